// For how long metrics are kept at which resolution, and when they become coarser: as one table. Used by what stores,
// compacts and reads them. Times are in seconds since 1970.
//
// Invariant: a point in time is in chunks of one level, except that the last two levels hold the same days until the
// finer one ends. A level becomes the next one a whole chunk later than it has to, so that what a chart of the last
// hour or day shows is always there in full.

interface Level {
  /** Seconds of a point. */
  readonly step: number;
  /** Seconds of a chunk: of one row. */
  readonly chunk: number;
  /** Seconds that it is read for at least. */
  readonly kept: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Level 0 is the table guest_metrics_recent. */
export const levels = [
  { step: 15, chunk: 60, kept: HOUR },
  { step: 60, chunk: HOUR, kept: DAY },
  { step: 900, chunk: DAY, kept: 7 * DAY },
  { step: HOUR, chunk: DAY, kept: 30 * DAY },
] as const satisfies readonly Level[];
export type LevelNumber = 0 | 1 | 2 | 3;

/** Days that metrics are kept. */
export const keptDays = levels[3].kept / DAY;

/** What becomes coarser together: chunks of one level that are one chunk of the others. */
export const compactions = [
  { from: 0, to: [1] },
  { from: 1, to: [2, 3] },
] as const satisfies readonly { readonly from: LevelNumber; readonly to: readonly LevelNumber[] }[];

/** The chunk of the level that a time is in, and the place of its point there. */
export function placeOf(level: LevelNumber, seconds: number): { readonly chunk: number; readonly place: number } {
  const { step, chunk } = levels[level];
  return { chunk: Math.floor(seconds / chunk), place: Math.floor((seconds % chunk) / step) };
}

/** When a point begins. */
export function beginOf(level: LevelNumber, chunk: number, place: number): number {
  return chunk * levels[level].chunk + place * levels[level].step;
}

/** The last chunk of the level that has ended for so long that it becomes coarser. */
export function lastToCompact(level: LevelNumber, now: number): number {
  const { chunk, kept } = levels[level];
  return Math.floor((now - kept) / chunk) - 1;
}

/** The last chunk of the level that is deleted, because all of it is older than what is kept. */
export function lastToDelete(level: LevelNumber, now: number): number {
  return lastToCompact(level, now);
}

/** The least step with which there is something of that age, in seconds. */
export function stepOfAge(age: number): number {
  return (levels.find(({ kept }) => age <= kept) ?? levels[3]).step;
}
