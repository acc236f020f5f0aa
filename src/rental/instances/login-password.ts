// The password of an instance launched without SSH keys. Variant D shows passwords as JSON numbers, so it is a number
// that every JSON reader preserves exactly. Source: decisions, Launch. Used by launches.

import { randomInt } from "node:crypto";

export const mostLoginPassword = 10 ** 15 - 1;

/** A random number of 15 digits, not starting with 0, uniformly distributed (49 bits). Below MAX_SAFE_INTEGER. */
export function newLoginPassword(): number {
  // In two parts, because randomInt draws from less than 2^48 numbers.
  return randomInt(1, 10) * 10 ** 14 + randomInt(10 ** 14);
}
