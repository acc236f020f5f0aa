// What every launch may be refused for besides bad input, in whichever interface: the refusals of rental's `launch` that
// no field of one interface alone can cause. An interface adds `coupon-refused` where it takes coupons, and
// `fileSystemErrors` where it takes file systems.

import type { ErrorKind } from "../errors/api-error.ts";

/** For `errors` of an operation that launches. */
export const launchErrors: readonly ErrorKind[] = [
  "unknown-name",
  "image-not-supported",
  "insufficient-capacity",
  "quota-exceeded",
  "spend-limit-exceeded",
];

/** The same, where file systems can be named. */
export const fileSystemErrors: readonly ErrorKind[] = ["conflict", "file-system-in-wrong-region"];
