// Finds the intended names, for messages about unknown ones: settings, fields, types of events, operations. Pure and
// generic. Used by config/did-you-mean.ts, rental/events and http.

/**
 * Up to `most` of the candidates, the closest first: those with at most a third of the letters wrong. Ties go to those
 * with the longest common prefix: gpu_1x_a600 means gpu_1x_a6000, and not gpu_1x_a100. Cheap for words of any length,
 * because clients send them.
 */
export function nearest(word: string, candidates: readonly string[], most: number): string[] {
  const bound = (candidate: string) => Math.max(1, Math.floor(candidate.length / 3));
  return candidates
    .filter((candidate) => Math.abs(candidate.length - word.length) <= bound(candidate))
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= bound(candidate))
    .sort((a, b) => a.distance - b.distance || sameBeginning(word, b.candidate) - sameBeginning(word, a.candidate))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** The length of the common prefix. */
function sameBeginning(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The letters to insert, remove, replace or swap with their neighbor to turn `a` into `b`. */
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
