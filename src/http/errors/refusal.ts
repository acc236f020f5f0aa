// What HTTP itself can refuse, beside what the rental refuses (rental/errors.ts). Thrown by hooks and helpers of this
// room; errors/table.ts has exactly one row for every kind of either, and errors/handler.ts makes the answer from it.

import type { RefusalDetails } from "../../rental/errors.ts";
import type { Scope } from "../../rental/service.ts";

/** Kinds of refusal that only HTTP knows, and what is known about each. */
export interface HttpRefusalDetails {
  "invalid-api-key": { reason: "missing" | "malformed" | "unknown" | "expired" | "revoked" };
  "account-inactive": object;
  forbidden: { scope: Scope };
  "unknown-path": object;
  "method-not-allowed": { allowed: readonly string[] };
  "payload-too-large": { limitBytes: number };
  /** The body is no JSON: malformed, not UTF-8, nested too deeply. `problem` says which, without repeating any of it. */
  "malformed-body": { problem: string };
  /** The request line, its headers or its path are no HTTP. */
  "malformed-request": { problem: string };
  "headers-too-large": object;
  "request-timeout": object;
  "idempotency-key-reused": object;
  "idempotency-in-progress": object;
  "rate-limited": { retryAfterSeconds: number };
  "internal-error": object;
  unavailable: object;
}

/** Everything that can be answered instead of success. */
export type ErrorDetails = RefusalDetails & HttpRefusalDetails;
export type ErrorKind = keyof ErrorDetails;

/** Thrown by this room only; nothing was changed. */
export class HttpRefusal<K extends keyof HttpRefusalDetails = keyof HttpRefusalDetails> extends Error {
  readonly kind: K;
  readonly details: HttpRefusalDetails[K];

  constructor(kind: K, details: HttpRefusalDetails[K]) {
    super(kind);
    this.name = "HttpRefusal";
    this.kind = kind;
    this.details = details;
  }
}
