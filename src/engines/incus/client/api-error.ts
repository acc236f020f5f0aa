// Errors of the cluster's API. Engine calls translate them to the contract's EngineError (../translate.ts); nothing
// outside this engine sees them.

/** The API rejected a request, with its HTTP status and message; or a background operation failed (`status` 400). */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No connection was made (or none to a trusted server): nothing was sent. */
export class NotConnected extends Error {
  override name = "NotConnected";
}

/** No endpoint responded: whether the request was carried out is unknown. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
}

/** The response does not match the API's documentation. */
export class UnexpectedAnswer extends Error {
  override name = "UnexpectedAnswer";
}
