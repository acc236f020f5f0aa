// What HTTP itself can refuse, beside what the rental refuses (rental/errors.ts). Thrown by hooks and helpers of this
// room; errors/table.ts has exactly one row for every kind of either, and errors/handler.ts makes the answer from it.

import type { RentalErrorDetails } from "../../rental/errors.ts";
import type { Scope } from "../../rental/service.ts";

/** Whose requests were too many: a token's, an address's, or an address's without a valid token. Also in RateLimit-Policy. */
export type LimitName = "token" | "address" | "failed-authentications";

/** Why the service is not available, as it is logged. To start and to stop is no trouble, the others are. */
export type Unavailability =
  | "starting"
  | "stopping"
  | "the database does not respond"
  | "the database is out of space"
  | "too many event streams"
  | "too many terminals";

/** Kinds of refusal that only HTTP knows, and what is known about each. */
export interface HttpErrorDetails {
  /** `session-over`: of the console, which has no other refusal for a cookie. `at` says where the token was shown. */
  "invalid-api-key": {
    reason: "missing" | "malformed" | "unknown" | "expired" | "revoked" | "session-over";
    at?: "sign-in";
  };
  "account-inactive": object;
  forbidden: { scope: Scope };
  "unknown-path": object;
  "method-not-allowed": { allowed: readonly string[] };
  "payload-too-large": { limitBytes: number };
  /** The body is no JSON: malformed, not UTF-8, nested too deeply, with too many values. `problem` says which, without repeating any of it. */
  "malformed-body": { problem: string };
  /** The request line, its headers or its path are no HTTP. */
  "malformed-request": { problem: string };
  "headers-too-large": object;
  "request-timeout": object;
  /** What differs from the first use: the request, or the token, which a limit or an expiry holds that did not hold that one. */
  "idempotency-key-reused": { of: "request" | "token" };
  "idempotency-in-progress": object;
  "rate-limited": { limit: LimitName; retryAfterSeconds: number };
  "internal-error": object;
  /** The host of an instance's machine does not answer, or not in time. */
  "machine-unreachable": object;
  /** `overloaded`: there are more requests than can be served. Otherwise `why` is for the log, where it is known. */
  unavailable: { overloaded?: boolean; why?: Unavailability };
}

/** Everything that can be answered instead of success. */
export type ErrorDetails = RentalErrorDetails & HttpErrorDetails;
export type ErrorKind = keyof ErrorDetails;

/** Thrown by this room only; nothing was changed. */
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
