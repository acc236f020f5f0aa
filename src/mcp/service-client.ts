// How the tools reach the service: as a client of its interfaces, with one token, over the network (the command line)
// or within the server (http/mcp/endpoint.ts). So an agent can do what its token allows, and nothing else.

/** The interfaces that tools call. */
export type ToolInterface = "marketplace" | "control";

export interface ServiceRequest {
  readonly interface: ToolInterface;
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the interface's prefix. */
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

export interface ServiceClient {
  /** Returns the response's `data`; undefined without a body. Throws ServiceError. */
  call(request: ServiceRequest): Promise<unknown>;
}

/** An API error, or why the service could not be reached, in words for the caller. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** The wire code, such as "global/spend-limit-exceeded"; undefined if the service did not respond. */
  readonly code: string | undefined;
  readonly suggestion: string | undefined;

  constructor(told: { message: string; code?: string | undefined; suggestion?: string | undefined }, cause?: unknown) {
    super(told.message, { cause });
    this.code = told.code;
    this.suggestion = told.suggestion;
  }
}

/** Whether a retry may soon succeed: the service was too busy, or the rate limit was reached. */
export function isForNow(error: unknown): error is ServiceError {
  return error instanceof ServiceError && ["global/unavailable", "global/rate-limited"].includes(error.code ?? "");
}

/** The error of an unsuccessful response. `body`: parsed JSON, or the raw body. */
export function serviceError(status: number, body: unknown): ServiceError {
  const { error, field_errors: fields } = asRecord(body);
  const { message, code, suggestion } = asRecord(error);
  const sentence = text(message) ?? `Rejected (${status}).`;
  const more = Object.entries(asRecord(fields))
    .map(([field, problem]) => ({ field, problem: text(asRecord(problem).message) ?? "" }))
    .filter(({ problem }) => !sentence.includes(problem))
    .map(({ field, problem }) => ` ${field}: ${problem}`);
  return new ServiceError({ message: `${sentence}${more.join("")}`, code: text(code), suggestion: text(suggestion) });
}

/** An object unchanged; an empty object for anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
