// Moves labels apart that would overlap. Pure; used by growth-chart.ts.

/**
 * Positions at least `gap` apart, in the same order as the wanted ones (ties in the order given), each as near to the
 * wanted one as its neighbors allow, between `least` and `most`. Without room for all between the two, they begin at
 * `least` and go beyond `most`.
 */
export function spread(wanted: readonly number[], gap: number, least: number, most: number): number[] {
  // Labels that touch form a block, which is placed around the mean of what its labels want.
  const blocks: { places: number[]; sum: number; start: number }[] = [];
  const order = wanted.map((_, place) => place).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const startOf = (sum: number, count: number) => {
    const start = sum / count - ((count - 1) * gap) / 2;
    return Math.max(least, Math.min(start, most - (count - 1) * gap));
  };
  for (const place of order) {
    let block = { places: [place], sum: wanted[place] ?? 0, start: 0 };
    block.start = startOf(block.sum, 1);
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.start + last.places.length * gap <= block.start) break;
      blocks.pop();
      const places = [...last.places, ...block.places];
      const sum = last.sum + block.sum;
      block = { places, sum, start: startOf(sum, places.length) };
    }
    blocks.push(block);
  }
  const found = new Array<number>(wanted.length).fill(0);
  for (const { places, start } of blocks) for (const [at, place] of places.entries()) found[place] = start + at * gap;
  return found;
}
