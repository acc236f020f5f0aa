// The command line's client of a running service: the client package (src/client) over its own HTTP, which turns every
// failure into a CommandError.
// Service and token: connection.ts.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { buffer } from "node:stream/consumers";
import type { Answered, LessorClient } from "../../client/client.ts";
import { serviceError } from "../../mcp/service-client.ts";
import { CommandError } from "../command-error.ts";
import { exitOfAnswer } from "../exit-codes.ts";
import { listHint } from "../names.ts";
import { plain } from "../output/text.ts";
import { isRecord } from "../record.ts";
import { connectionFrom, controlBase } from "./connection.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ControlClient {
  /** One operation of the control API, typed by its document; returns the response body. Throws CommandError. */
  ask<T>(operation: (api: LessorClient) => Promise<Answered<T>>): Promise<T>;
  /** An operation known only at run time; `path` is below the prefix. Returns `data`. Throws CommandError. */
  call(method: Method, path: string, body?: unknown, idempotencyKey?: string): Promise<unknown>;
  /** The control API's own OpenAPI document. Throws CommandError. */
  document(): Promise<Record<string, unknown>>;
}

/** `request` of the client package without its types: for operations known only at run time. */
type Untyped = (method: Lowercase<Method>, path: string, init: object) => Promise<Answered<Record<string, unknown>>>;

/**
 * A client of the control API at `base` (with its prefix), with `token` if it needs one; `host` if it has its own host name.
 * The time-out covers a call and its whole response; a PUT of a busy host waits for the launches before it.
 */
export function controlClient(
  base: string,
  token: string | undefined,
  host?: string,
  timeoutMs = 60_000,
): ControlClient {
  async function ask<T>(operation: (api: LessorClient) => Promise<Answered<T>>): Promise<T> {
    // Loaded only when needed: a start makes no call.
    const { given, lessorClient } = await import("../../client/client.ts");
    const fetch = (request: Request) => fetchWith(request, { base, host, timeoutMs });
    return given(operation(lessorClient({ baseUrl: base, token, fetch })));
  }
  const untyped = (method: Method, path: string, init: object) =>
    ask(({ request }) => (request as Untyped)(method.toLowerCase() as Lowercase<Method>, path, init));
  return {
    ask,
    call: async (method, path, body, key) => {
      const headers = key === undefined ? {} : { "idempotency-key": key };
      return (await untyped(method, path, { body, headers })).data;
    },
    document: () => untyped("GET", "/openapi.json", {}),
  };
}

/** The client for the environment and the stored profiles. Throws CommandError if not signed in. */
export function clientFromEnvironment(env: NodeJS.ProcessEnv): ControlClient {
  const { address, token } = connectionFrom(env);
  return controlClient(controlBase(address), token);
}

/**
 * The client package's `fetch`: returns only successful responses. Throws CommandError if the service is unreachable,
 * times out or is a different program, and for every API error.
 */
async function fetchWith(
  request: Request,
  { base, host, timeoutMs }: { base: string; host: string | undefined; timeoutMs: number },
): Promise<Response> {
  const headers = { ...Object.fromEntries(request.headers), ...(host === undefined ? {} : { host }) };
  const body = await request.text();
  const sent = { method: request.method, headers, body: body === "" ? undefined : body, timeoutMs };
  const { status, type, bytes } = await send(base, request.url, sent);
  const succeeded = status >= 200 && status < 300;
  if (succeeded && files.test(type)) return new Response(bytes, { headers: { "content-type": type } });
  const answer = parseAnswer(bytes.toString(), status);
  if (succeeded) return Response.json(answer);
  throw refusal(answer, status);
}

/** What is not JSON. */
const files = /^(text\/csv|application\/pdf)\b/;

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
}

interface Answer {
  readonly status: number;
  /** Its Content-Type. */
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

async function send(base: string, url: string, request: Sent): Promise<Answer> {
  try {
    return await exchange(new URL(url), request);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") {
      throw new CommandError(`${base} did not respond within ${request.timeoutMs / 1000} seconds.`, "Try again.", {
        cause: error,
        exit: "unreachable",
      });
    }
    throw new CommandError(`Can't connect to ${base}.`, "Start the service, or set LESSOR_URL to its address.", {
      cause: error,
      exit: "unreachable",
    });
  }
}

/** One request and its whole response. Not `fetch`, which drops a Host header. */
function exchange(url: URL, { method, headers, body, timeoutMs }: Sent): Promise<Answer> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const { statusCode: status = 0, headers } = response;
      const type = headers["content-type"] ?? "";
      buffer(response).then((bytes) => resolve({ status, type, bytes }), reject);
    })
      .on("error", reject)
      .end(body);
  });
}

function parseAnswer(text: string, status: number): Record<string, unknown> {
  try {
    const answer: unknown = text === "" ? {} : JSON.parse(text);
    if (isRecord(answer)) return answer;
  } catch {
    // Another program responded; reported below.
  }
  // A proxy also responds if the service is down or its response was lost or cut off. Only a status that says that the
  // request was wrong proves that the service did nothing.
  const exit = status >= 400 && status < 500 ? exitOfAnswer(status, undefined) : "unreachable";
  throw new CommandError(`The response (${status}) is not from a Lessor service.`, "Check LESSOR_URL.", { exit });
}

function refusal({ error, ...answer }: Record<string, unknown>, status: number): CommandError {
  const { message, suggestion: meant, code } = serviceError(status, { error, ...answer });
  const fields = isRecord(answer.field_errors) ? Object.keys(answer.field_errors) : [];
  const suggestion = fields.length === 0 ? meant : typedSuggestion(code, fields, meant);
  const requestId = isRecord(error) && typeof error.request_id === "string" ? error.request_id : undefined;
  // One line each, so that none of them can imitate one of our lines.
  const hint = suggestion === undefined ? undefined : plain(suggestion);
  return new CommandError(plain(message), hint, { code, requestId, exit: exitOfAnswer(status, code) });
}

/** The commands that list the valid values of a request field. */
const lists: Readonly<Record<string, string>> = {
  region: "lessor regions",
  instance_type: "lessor types",
  ssh_key_names: "lessor keys list",
  file_system_names: "lessor fs list",
};

/** The API's suggestions are about request fields; on the command line, the message is enough. */
function typedSuggestion(
  code: string | undefined,
  fields: readonly string[],
  meant: string | undefined,
): string | undefined {
  if (fields.includes("reason")) return "Add --reason with one line for the account of the instance.";
  if (meant?.includes("field_errors") === true) return undefined;
  const list = fields.map((field) => lists[field]).find((command) => command !== undefined);
  return code === "global/object-does-not-exist" && list !== undefined ? listHint(list) : meant;
}
