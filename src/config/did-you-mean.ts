// Finds the name that somebody probably meant, for the messages about unknown settings and fields. Pure; used by
// config/file.ts and by cli/known-fields.ts.

/** The candidate closest to `word`, or undefined where none is close: at most a third of its letters are off. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  // The environment's spelling of a setting is the likeliest slip in the file: LESSOR_PORT for port.
  const meant = word.toLowerCase().replace(/^lessor_/, "");
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(meant, candidate);
    if (distance > Math.max(1, Math.floor(candidate.length / 3))) continue;
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbour to turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  // Three rows of the usual table: two above (for a swap), one above, and the one being filled.
  let twoAbove: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(above, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      let least = Math.min(replaced, at(above, column) + 1, at(current, column - 1) + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) least = Math.min(least, at(twoAbove, column - 2) + 1);
      current.push(least);
    }
    twoAbove = above;
    above = current;
  }
  return at(above, b.length);
}

function at(row: readonly number[], column: number): number {
  const value = row[column];
  if (value === undefined) throw new Error("BUG: the table of edit distances has a hole");
  return value;
}
