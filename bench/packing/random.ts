// Repeatable random numbers for the replays: the same seed gives the same launches.

import { seeded } from "../../test/support/random.ts";

const steps = 2 ** 32;

/** Numbers from 0 to below 1. `seed`: a whole number. */
export function randomNumbers(seed: number): () => number {
  const random = seeded(seed);
  return () => random.below(steps) / steps;
}

/** One of the list, by its weights. Throws "BUG: …" if it is empty. */
export function weighted<T>(next: () => number, list: readonly T[], weightOf: (one: T) => number): T {
  let left = next() * list.reduce((sum, one) => sum + weightOf(one), 0);
  for (const one of list) {
    left -= weightOf(one);
    if (left < 0) return one;
  }
  const last = list.at(-1);
  if (last === undefined) throw new Error("BUG: one of nothing");
  return last;
}

/** Exponentially distributed, with this mean. */
export function exponential(next: () => number, mean: number): number {
  return -Math.log(1 - next()) * mean;
}

/** Lognormally distributed (Box-Muller). */
export function lognormal(next: () => number, median: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return median * Math.exp(sigma * normal);
}
