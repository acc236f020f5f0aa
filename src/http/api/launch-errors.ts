// The errors of every launch besides invalid input, in all interfaces: those of rental's `launch` that do not depend on
// a field of one interface. An interface adds `coupon-refused` where it takes coupons, and `fileSystemErrors` where it
// takes file systems.

import type { ErrorKind } from "../errors/api-error.ts";

/** For `errors` of an operation that launches. */
export const launchErrors: readonly ErrorKind[] = [
  "unknown-name",
  "image-not-supported",
  "insufficient-capacity",
  "quota-exceeded",
  "spend-limit-exceeded",
  "insufficient-balance",
];

/** The same, where file systems can be named. */
export const fileSystemErrors: readonly ErrorKind[] = ["conflict", "file-system-in-wrong-region"];
