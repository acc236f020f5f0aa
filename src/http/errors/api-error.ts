// The errors of HTTP itself, besides those of the rental (rental/errors.ts). Thrown by hooks and helpers of this
// module; errors/table.ts has exactly one row for every kind of either, and errors/handler.ts sends it as the response.

import type { RentalErrorDetails } from "../../rental/errors.ts";
import type { Scope } from "../../rental/service.ts";

/** Whose limit was reached: a token's, an address's, or an address's without valid token. Also in RateLimit-Policy. */
export type LimitName = "token" | "address" | "failed-authentications" | "sign-in-links" | "sign-ins";

/** Why the service is unavailable, for the log. Starting and stopping are normal, the others are failures. */
export type Unavailability =
  | "starting"
  | "stopping"
  | "the database does not respond"
  | "the database is out of space"
  | "too many event streams"
  | "too many terminals";

/** The kinds of error that only HTTP has, with their details. */
export interface HttpErrorDetails {
  /** `session-over`: the console's only error for a cookie. `at` says where the token was shown. */
  "invalid-api-key": {
    reason: "missing" | "malformed" | "unknown" | "expired" | "revoked" | "suspended" | "session-over";
    at?: "sign-in";
  };
  "account-inactive": object;
  forbidden: { scope: Scope };
  "unknown-path": object;
  "method-not-allowed": { allowed: readonly string[] };
  "payload-too-large": { limitBytes: number };
  /** Invalid JSON: malformed, not UTF-8, too deep, too many values. `problem` says which, without quoting it. */
  "malformed-body": { problem: string };
  /** The request line, its headers or its path are invalid HTTP. */
  "malformed-request": { problem: string };
  "headers-too-large": object;
  "request-timeout": object;
  /** What differs from the first use: the request, or the token, with a limit or expiry that the first did not have. */
  "idempotency-key-reused": { of: "request" | "token" };
  "idempotency-in-progress": object;
  "rate-limited": { limit: LimitName; retryAfterSeconds: number };
  "internal-error": object;
  /** The host of an instance's machine does not respond, or not in time. */
  "machine-unreachable": object;
  /** `overloaded`: more requests than can be served. Otherwise `why` is for the log, if known. */
  unavailable: { overloaded?: boolean; why?: Unavailability };
}

/** Every possible error. */
export type ErrorDetails = RentalErrorDetails & HttpErrorDetails;
export type ErrorKind = keyof ErrorDetails;

/** Thrown by this module only; nothing was changed. */
export class HttpError<K extends keyof HttpErrorDetails = keyof HttpErrorDetails> extends Error {
  readonly kind: K;
  readonly details: HttpErrorDetails[K];

  constructor(kind: K, details: HttpErrorDetails[K]) {
    super(kind);
    this.name = "HttpError";
    this.kind = kind;
    this.details = details;
  }
}
