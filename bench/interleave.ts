// A B A B: alternates the measured sides, so that other load affects all equally. Used by every comparison.

/** One round of a side; returns its rate per second. `counts`: false for the warm-up round. */
export type Side = (counts: boolean) => Promise<number>;

/** One warm-up round of each, then this many of each, in the order of the sides. Returns the result of each round. */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[]; // the record's keys
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
