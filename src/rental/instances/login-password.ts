// The password of an instance that was launched without SSH keys. Variant D shows passwords as JSON numbers, so it is
// one, small enough that every JSON reader gives it back exactly. Source: decisions, Launch. Used by launch.ts.

import { randomInt } from "node:crypto";

export const mostLoginPassword = 10 ** 15 - 1;

/** A random number of 15 digits, the first of them not 0, every one equally likely (49 bits). Below MAX_SAFE_INTEGER. */
export function newLoginPassword(): number {
  // In two parts, because randomInt draws from less than 2^48 numbers.
  return randomInt(1, 10) * 10 ** 14 + randomInt(10 ** 14);
}
