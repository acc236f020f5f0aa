// Errors of the cloud's APIs. Engine calls translate them to the contract's EngineError; nothing outside this engine
// sees them. Invariant: no message contains a secret (secrets.ts).

/** A service rejected a request. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  /** Such as "compute", or "identity". */
  readonly service: string;
  /** How long the service asks to wait; undefined: it does not. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, service: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.status = status;
    this.service = service;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A service was not reached or did not respond: whether the request was carried out is unknown. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
}

/** The response does not match the API's documentation. */
export class UnexpectedAnswer extends Error {
  override name = "UnexpectedAnswer";
}

/** The cloud lacks what Lessor needs: a service, a region, or a version of an API. The message says what. */
export class Unsuitable extends UnexpectedAnswer {
  override name = "Unsuitable";
}
