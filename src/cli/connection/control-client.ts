// The command line's way to a running service: the client package (src/client), like any client, over an HTTP of its own
// that turns everything that goes wrong into sentences.
// Which service, and with which token: connection.ts.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
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
  /** One operation of the control API, typed by its document; gives the body of the answer. Throws CommandError. */
  ask<T>(operation: (api: LessorClient) => Promise<Answered<T>>): Promise<T>;
  /** An operation that is only known when the program runs; `path` is below the prefix. Returns `data`. Throws CommandError. */
  call(method: Method, path: string, body?: unknown, idempotencyKey?: string): Promise<unknown>;
  /** The control API's own OpenAPI document. Throws CommandError. */
  document(): Promise<Record<string, unknown>>;
}

/** `request` of the client package without its types: for operations that are only known when the program runs. */
type Untyped = (method: Lowercase<Method>, path: string, init: object) => Promise<Answered<Record<string, unknown>>>;

/**
 * A client of the control API at `base` (with its prefix), with `token`; `host` where it has a host name of its own.
 * The time-out is for one call and its whole answer; a PUT of a busy host waits for the launches before it.
 */
export function controlClient(base: string, token: string, host?: string, timeoutMs = 60_000): ControlClient {
  async function ask<T>(operation: (api: LessorClient) => Promise<Answered<T>>): Promise<T> {
    // Not before it is needed: a start has no call to make.
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

/** The client that the environment and the kept profiles describe. Throws CommandError where nobody is signed in. */
export function clientFromEnvironment(env: NodeJS.ProcessEnv): ControlClient {
  const { address, token } = connectionFrom(env);
  return controlClient(controlBase(address), token);
}

/**
 * What the client package is given for `fetch`: answers with successes alone. Throws CommandError where nobody answers, where
 * it takes too long, where it is something else, and for every refusal.
 */
async function fetchWith(
  request: Request,
  { base, host, timeoutMs }: { base: string; host: string | undefined; timeoutMs: number },
): Promise<Response> {
  const headers = { ...Object.fromEntries(request.headers), ...(host === undefined ? {} : { host }) };
  const body = await request.text();
  const sent = { method: request.method, headers, body: body === "" ? undefined : body, timeoutMs };
  const { status, type, text } = await send(base, request.url, sent);
  const succeeded = status >= 200 && status < 300;
  if (succeeded && type.startsWith("text/csv")) return new Response(text, { headers: { "content-type": type } });
  const answer = parseAnswer(text, status);
  if (succeeded) return Response.json(answer);
  throw refusal(answer, status);
}

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
  readonly text: string;
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

/** One request and its whole answer. Not `fetch`, which drops a Host header. */
function exchange(url: URL, { method, headers, body, timeoutMs }: Sent): Promise<Answer> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((text) => resolve({ status, type: headers["content-type"] ?? "", text }), reject);
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
    // Something else than this service answered; said below.
  }
  // A proxy in front of a service that is down answers too, and one that lost the service's answer, whole or its end. Only
  // where it says that the request was wrong, the service has surely done nothing.
  const exit = status >= 400 && status < 500 ? exitOfAnswer(status, undefined) : "unreachable";
  throw new CommandError(`The response (${status}) is not from a Lessor service.`, "Check LESSOR_URL.", { exit });
}

function refusal({ error, ...answer }: Record<string, unknown>, status: number): CommandError {
  const { message, suggestion: meant, code } = serviceError(status, { error, ...answer });
  const fields = isRecord(answer.field_errors) ? Object.keys(answer.field_errors) : [];
  const suggestion = fields.length === 0 ? meant : typedSuggestion(code, fields, meant);
  const requestId = isRecord(error) && typeof error.request_id === "string" ? error.request_id : undefined;
  // One line each, so that none of them looks like the next one of ours.
  const hint = suggestion === undefined ? undefined : plain(suggestion);
  return new CommandError(plain(message), hint, { code, requestId, exit: exitOfAnswer(status, code) });
}

/** The commands that list what a field of a request may name. */
const lists: Readonly<Record<string, string>> = {
  region: "lessor regions",
  instance_type: "lessor types",
  ssh_key_names: "lessor keys list",
  file_system_names: "lessor fs list",
};

/** The interface's suggestions are for whoever writes requests; here options were typed, and the message has said which. */
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
