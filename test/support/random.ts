// Chance that can be had again: the same seed gives the same numbers. For tests that do things at random moments, which
// print their seed, so that what failed once can be run again. LESSOR_TEST_SEED=<number> chooses it.

export interface Random {
  readonly seed: number;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** One of the list, which is not empty. */
  one<T>(list: readonly T[]): T;
  /** All of the list, in any order. */
  shuffled<T>(list: readonly T[]): T[];
}

/** The same in every run, unless somebody wants other choices. */
export const chosenSeed = Number(process.env.LESSOR_TEST_SEED ?? 20_261_122);

/** For proofs, which make other choices in each run unless told, and print them. */
export function anySeed(): number {
  return Number(process.env.LESSOR_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
}

/** `seed`: any whole number. */
export function seeded(seed: number = chosenSeed): Random {
  // mulberry32
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    seed,
    below,
    one: (list) => {
      const found = list[below(list.length)];
      if (found === undefined) throw new Error("BUG: one of nothing");
      return found;
    },
    shuffled: (list) => {
      const places = list.map((item) => ({ item, place: below(2 ** 31) }));
      return places.sort((a, b) => a.place - b.place).map(({ item }) => item);
    },
  };
}
