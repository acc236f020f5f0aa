// A B A B: sides measured in turn, so that whatever else the machine does is done to all. Used by every comparison.

/** One round of a side; how many a second. `counts`: false for the round that only warms up. */
export type Side = (counts: boolean) => Promise<number>;

/** One round of each to warm up, then so many of each, in the order of the sides. What each round came to. */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[]; // they are the record's
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>; // one for each
  for (let round = 0; round <= rounds; round++) {
    const counts = round > 0;
    for (const name of names) {
      const rate = await sides[name](counts);
      if (counts) results[name].push(rate);
    }
  }
  return results;
}
