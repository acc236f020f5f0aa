// The command line's way to a running service: HTTP with a token, like any client. Errors come out as sentences.
// Settings: LESSOR_URL (http://127.0.0.1:8080) and LESSOR_TOKEN; a token is never taken from the command line, where
// the process list and the shell's history would keep it.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
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
  /** Calls the control API; `path` is below its prefix. Returns `data`. Throws CommandError. */
  call(method: Method, path: string, body?: unknown, idempotencyKey?: string): Promise<unknown>;
  /** The control API's own OpenAPI document. Throws CommandError. */
  document(): Promise<Record<string, unknown>>;
}

/**
 * A client of the control API at `base` (with its prefix), with `token`; `host` where it has a host name of its own.
 * The time-out is for one call and its whole answer; a PUT of a busy host waits for the launches before it.
 */
export function controlClient(base: string, token: string, host?: string, timeoutMs = 60_000): ControlClient {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...(host ? { host } : {}) };
  async function ask(method: Method, path: string, body?: unknown, key?: string): Promise<Record<string, unknown>> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const all = key === undefined ? headers : { ...headers, "idempotency-key": key };
    const { status, text } = await send(base, path, { method, headers: all, body: sent, timeoutMs });
    const answer = parseAnswer(text, status);
    if (status >= 200 && status < 300) return answer;
    throw refusal(answer, status);
  }
  return {
    call: async (method, path, body, key) => (await ask(method, path, body, key)).data,
    document: () => ask("GET", "/openapi.json"),
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

interface Sent {
  readonly method: Method;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
}

async function send(base: string, path: string, request: Sent): Promise<{ status: number; text: string }> {
  try {
    return await exchange(new URL(`${base}${path}`), request);
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
