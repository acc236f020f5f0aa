// Request bodies: JSON whatever their Content-Type says, because the clients of such services send none, text/plain and
// form types. Source: decisions, Where the variants live. One that is too large is rejected as soon as that is known;
// unread-bodies.ts handles the rest of it. Its memory is counted for the verified token, or before one is verified (a
// sign-in), for the address; then it must arrive whole within seconds.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import { HttpError } from "../errors/api-error.ts";
import { type BodyMemory, type BodyOwner, leastPieceBytes, mostSmallPieces } from "./body-memory.ts";
import type { BodyRate } from "./body-rate.ts";
import { addressGroup } from "./client-address.ts";
import { hasTooManyPieces } from "./small-pieces.ts";
import { checkTree, excessOf, maxValues } from "./text.ts";

/** How long a body may take before a token is verified: a few hundred bytes that a browser has ready. */
const unverifiedMs = 5000;

/** Makes this the server's only body parser. An absent or blank body is `undefined`. */
export function takeJsonBodies(
  server: FastifyInstance,
  limitBytes: number,
  { bodyMemory, bodyRate }: { bodyMemory: BodyMemory; bodyRate: BodyRate },
): void {
  server.removeAllContentTypeParsers();
  const responses = new WeakMap<IncomingMessage, ServerResponse>();
  server.addHook("onRequest", (request, reply, done) => {
    responses.set(request.raw, reply.raw);
    done();
  });
  server.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
    // A body that the route does not use (of a DELETE, or at an unknown path) is ignored, so it cannot be invalid.
    const { schema, config } = request.routeOptions;
    if (schema?.body === undefined) return undefined;
    const response = responses.get(request.raw);
    if (response === undefined) throw new Error("BUG: a body without an answer to come");
    if (request.principal === null) bodyRate.limit(request.raw, unverifiedMs);
    const take = bodyMemory.begin(response, ownerOf(request), declaredBytes(payload));
    const bytes = await readAll(payload, mostBodyBytes(config, limitBytes), take);
    return config.rawBody === true ? bytes : parseJson(bytes, config.ownText);
  });
  // Without this header every body goes to the parser above, even if its type is malformed.
  server.addHook("onRequest", async (request) => {
    delete request.raw.headers["content-type"];
  });
}

/** The limit of a route's body; `limitBytes`: the setting. */
export function mostBodyBytes(
  { mostBodyBytes: own, moreBodyBytes = 0 }: FastifyContextConfig,
  limitBytes: number,
): number {
  return own === undefined ? limitBytes + moreBodyBytes : Math.min(own, limitBytes);
}

/** Whether the request declares a body larger than this. */
export function declaresMoreThan(limitBytes: number, request: IncomingMessage): boolean {
  return declaredBytes(request) > limitBytes;
}

function declaredBytes({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

function ownerOf({ principal, clientAddress }: FastifyRequest): BodyOwner {
  return principal === null
    ? { kind: "address", id: addressGroup(clientAddress) }
    : { kind: "token", id: principal.tokenId };
}

async function readAll(payload: IncomingMessage, limitBytes: number, take: (bytes: number) => void): Promise<Buffer> {
  const tooLarge = () => new HttpError("payload-too-large", { limitBytes });
  if (declaresMoreThan(limitBytes, payload)) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limitBytes) throw tooLarge();
    take(Math.max(chunk.length, leastPieceBytes));
    chunks.push(chunk);
  }
  if (hasTooManyPieces(payload))
    throw malformed(`it comes in more than ${mostSmallPieces} pieces of less than ${leastPieceBytes} bytes.`);
  return Buffer.concat(chunks, length);
}

/** Throws HttpError malformed-body, RentalError invalid-parameters. */
function parseJson(bytes: Uint8Array, ownText: readonly string[] | undefined): unknown {
  const text = decodeUtf8(bytes);
  if (text.trim() === "") return undefined;
  const excess = excessOf(text);
  if (excess !== undefined)
    throw malformed(excess === "depth" ? "it is nested too deeply." : `it has more than ${maxValues} values.`);
  const value = parseText(text);
  if (!checkTree(value, ownText)) throw new Error("BUG: a body is deeper than its brackets");
  return value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("it is not valid UTF-8.");
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed("it is not valid JSON.");
  }
}

function malformed(problem: string): HttpError {
  return new HttpError("malformed-body", { problem });
}
