// The command line's way to a running service: HTTP with a token, like any client. Errors come out as sentences.
// Settings: LESSOR_URL (http://127.0.0.1:8080) and LESSOR_TOKEN; a token is never taken from the command line, where
// the process list and the shell's history would keep it.

import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import { isRecord } from "./record.ts";

/** What went wrong, in words for a person; `suggestion` says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string, options?: ErrorOptions) {
    super(message, options);
    this.suggestion = suggestion;
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface ControlClient {
  /** Calls the control API; `path` is below its prefix. Returns `data`. Throws CommandError. */
  call(method: Method, path: string, body?: unknown): Promise<unknown>;
  /** The control API's own OpenAPI document. Throws CommandError. */
  document(): Promise<Record<string, unknown>>;
}

/**
 * A client of the control API at `base` (with its prefix), with `token`; `host` where it has a host name of its own.
 * The time-out is for one call and its whole answer; a PUT of a busy host waits for the launches before it.
 */
export function controlClient(base: string, token: string, host?: string, timeoutMs = 60_000): ControlClient {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...(host ? { host } : {}) };
  async function ask(method: Method, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const { status, text } = await send(base, path, { method, headers, body: sent, timeoutMs });
    const answer = parseAnswer(text, status);
    if (status >= 200 && status < 300) return answer;
    throw refusal(answer, status);
  }
  return {
    call: async (method, path, body) => (await ask(method, path, body)).data,
    document: () => ask("GET", "/openapi.json"),
  };
}

/** The client that the environment describes. Throws CommandError when there is no token, or LESSOR_URL is no URL. */
export function clientFromEnvironment(env: NodeJS.ProcessEnv): ControlClient {
  const token = env.LESSOR_TOKEN;
  if (token === undefined || token === "") {
    throw new CommandError("LESSOR_TOKEN is not set.", "Set it to a token of the service: export LESSOR_TOKEN=…");
  }
  return controlClient(controlBase(env.LESSOR_URL || "http://127.0.0.1:8080"), token);
}

/** Where the control API is: at the URL's path, or where it is by default when the URL has none. */
export function controlBase(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new CommandError("LESSOR_URL is not an http or https URL.", "Such as http://127.0.0.1:8080.");
  }
  return `${url.origin}${url.pathname === "/" ? "/control/v1" : url.pathname.replace(/\/+$/, "")}`;
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

function refusal(answer: Record<string, unknown>, status: number): CommandError {
  const error = isRecord(answer.error) ? answer.error : {};
  const message = wordOf(error, "message") || `Refused (${status}).`;
  const fields = isRecord(answer.field_errors) ? Object.entries(answer.field_errors) : [];
  // The message of an error with one field says it already.
  const details = fields
    .map(([field, problem]) => ({ field, problem: wordOf(problem, "message") }))
    .filter(({ problem }) => !message.includes(problem))
    .map(({ field, problem }) => ` ${field}: ${problem}`);
  return new CommandError(`${message}${details.join("")}`, wordOf(error, "suggestion"));
}

function wordOf(record: unknown, key: string): string {
  const word = isRecord(record) ? record[key] : undefined;
  return typeof word === "string" ? word : "";
}
