// The command line's way to a running service: HTTP with a token, like any client. Errors come out as sentences.
// Settings: LESSOR_URL (http://127.0.0.1:8080) and LESSOR_TOKEN; a token is never taken from the command line, where
// the process list and the shell's history would keep it.

/** What went wrong, in words for a person; `suggestion` says what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly suggestion: string | undefined;

  constructor(message: string, suggestion?: string, options?: ErrorOptions) {
    super(message, options);
    this.suggestion = suggestion;
  }
}

export interface ControlClient {
  /** Calls the control API; `path` is below its prefix. Returns `data`. Throws CommandError. */
  call(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<unknown>;
}

/** A client of the control API at `base` (with its prefix), with `token`; `host` where it has a host name of its own. */
export function controlClient(base: string, token: string, host?: string): ControlClient {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...(host ? { host } : {}) };
  return {
    async call(method, path, body) {
      const response = await send(base, path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const answer = parseAnswer(text, response.status);
      if (response.ok) return answer.data;
      throw refusal(answer, response.status);
    },
  };
}

/** The client that the environment describes. Throws CommandError when there is no token. */
export function clientFromEnvironment(env: NodeJS.ProcessEnv): ControlClient {
  const token = env.LESSOR_TOKEN;
  if (token === undefined || token === "") {
    throw new CommandError("LESSOR_TOKEN is not set.", "Set it to a token of the service: export LESSOR_TOKEN=…");
  }
  return controlClient(`${env.LESSOR_URL || "http://127.0.0.1:8080"}/control/v1`, token);
}

async function send(base: string, path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(`${base}${path}`, request);
  } catch (error) {
    throw new CommandError(`No service answers at ${base}.`, "Start it, or set LESSOR_URL to where it is.", {
      cause: error,
    });
  }
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
  const fields = isRecord(answer.field_errors) ? answer.field_errors : {};
  const details = Object.entries(fields).map(([field, problem]) => ` ${field}: ${wordOf(problem, "message")}`);
  return new CommandError(
    `${wordOf(error, "message") || `Refused (${status}).`}${details.join("")}`,
    wordOf(error, "suggestion"),
  );
}

function wordOf(record: unknown, key: string): string {
  const word = isRecord(record) ? record[key] : undefined;
  return typeof word === "string" ? word : "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
