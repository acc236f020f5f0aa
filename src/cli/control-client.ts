// The command line's way to a running service: the client package (src/client), like any client, over an HTTP of its own
// that turns everything that goes wrong into sentences.
// Settings: LESSOR_URL (http://127.0.0.1:8080) and LESSOR_TOKEN; a token is never taken from the command line, where
// the process list and the shell's history would keep it.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import type { Answered, LessorClient } from "../client/index.ts";
import { serviceError } from "../mcp/index.ts";
import { isRecord } from "./record.ts";

/** What went wrong, in words for a person; `suggestion` says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly suggestion: string | undefined;
  /** The wire code of the service's refusal, where it was one. */
  readonly code: string | undefined;

  constructor(message: string, suggestion?: string, options?: ErrorOptions & { code?: string | undefined }) {
    super(message, options);
    this.suggestion = suggestion;
    this.code = options?.code;
  }
}

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
    const { given, lessorClient } = await import("../client/index.ts");
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

/** The client that the environment describes. Throws CommandError when there is no token, or LESSOR_URL is no URL. */
export function clientFromEnvironment(env: NodeJS.ProcessEnv): ControlClient {
  return controlClient(controlBase(addressIn(env)), tokenIn(env));
}

/** The service's address in LESSOR_URL, or its default. */
export function addressIn(env: NodeJS.ProcessEnv): string {
  return env.LESSOR_URL || "http://127.0.0.1:8080";
}

/** LESSOR_TOKEN. Throws CommandError where it is not set. */
export function tokenIn(env: NodeJS.ProcessEnv): string {
  const token = env.LESSOR_TOKEN;
  if (token !== undefined && token !== "") return token;
  throw new CommandError("LESSOR_TOKEN is not set.", "Set it to a token of the service: export LESSOR_TOKEN=…");
}

/** Where the control API is: at the URL's path, or where it is by default when the URL has none. */
export function controlBase(address: string): string {
  const url = serviceUrl(address);
  return `${url.origin}${url.pathname === "/" ? "/control/v1" : url.pathname.replace(/\/+$/, "")}`;
}

/** The address as a URL. Throws CommandError where it is none of http or https. */
export function serviceUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && ["http:", "https:"].includes(url.protocol)) return url;
  throw new CommandError("LESSOR_URL is not an http or https URL.", "Such as http://127.0.0.1:8080.");
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
  const { status, text } = await send(base, request.url, sent);
  const answer = parseAnswer(text, status);
  if (status >= 200 && status < 300) return Response.json(answer);
  throw refusal(answer, status);
}

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
}

async function send(base: string, url: string, request: Sent): Promise<{ status: number; text: string }> {
  try {
    return await exchange(new URL(url), request);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") {
      throw new CommandError(`${base} did not answer within ${request.timeoutMs / 1000} seconds.`, "Try again.", {
        cause: error,
      });
    }
    throw new CommandError(`No service answers at ${base}.`, "Start it, or set LESSOR_URL to where it is.", {
      cause: error,
    });
  }
}

/** One request and its whole answer. Not `fetch`, which drops a Host header. */
function exchange(url: URL, { method, headers, body, timeoutMs }: Sent): Promise<{ status: number; text: string }> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      text(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
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
  throw new CommandError(`The answer (${status}) is not this service's.`, "Check LESSOR_URL.");
}

function refusal(answer: unknown, status: number): CommandError {
  const { message, suggestion, code } = serviceError(status, answer);
  return new CommandError(message, suggestion, { code });
}
