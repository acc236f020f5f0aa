// What the cluster's API answers when it does not do what it was asked. Engine calls translate it into the contract's
// EngineError (../translate.ts); nothing outside this engine sees it.

/** The API said no, with its HTTP status and its own words; or a background operation of it failed (`status` 400). */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No connection came about (or none to a server that is trusted): of this request nothing has left. */
export class NotConnected extends Error {
  override name = "NotConnected";
}

/** No endpoint answered: nobody knows whether the request was carried out. */
export class NoAnswer extends Error {
  override name = "NoAnswer";
}

/** The API answered something that is not what its documentation says. */
export class UnexpectedAnswer extends Error {
  override name = "UnexpectedAnswer";
}
