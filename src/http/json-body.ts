// Request bodies: JSON whatever their Content-Type says, for the clients of such services send none, text/plain and
// form types. Source: decisions, Where the variants live.
// A body that is too large is read to its end and thrown away (up to a bound), so that the client, who is still
// sending, gets to see the answer instead of a reset connection.

import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpRefusal } from "./errors/refusal.ts";
import { checkTree } from "./text.ts";

/** How much more than the limit is read for the sake of a proper answer. */
const discardBytes = 16 * 1024 * 1024;

/** Makes this the only body parser of the server. An absent or blank body is `undefined`. */
export function takeJsonBodies(server: FastifyInstance, limitBytes: number): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", async (request: FastifyRequest, payload: IncomingMessage) => {
    // A body that nobody takes (of a DELETE, or at an unknown path) means nothing, so nothing can be wrong with it.
    if (request.routeOptions.schema?.body === undefined) return undefined;
    return parseJson(await readAll(payload, limitBytes));
  });
  // Without this header every body goes to the parser above, also one whose type is malformed.
  server.addHook("onRequest", async (request) => {
    delete request.raw.headers["content-type"];
  });
}

async function readAll(payload: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limitBytes) chunks.push(chunk);
    else if (length > limitBytes + discardBytes) break;
  }
  if (length > limitBytes) throw new HttpRefusal("payload-too-large", { limitBytes });
  return Buffer.concat(chunks, length);
}

/** Exported for its test. Throws HttpRefusal malformed-body, RentalError invalid-parameters. */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes);
  if (text.trim() === "") return undefined;
  const value = parseText(text);
  if (!checkTree(value)) throw malformed("it is nested too deeply.");
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

function malformed(problem: string): HttpRefusal {
  return new HttpRefusal("malformed-body", { problem });
}
