// Counts durations in steps of 2 percent, in limited memory: a generator that kept every one of some million latencies
// would spend its time on them. Used by the generator's process; sent to ours as its counts.

const STEPS_PER_OCTAVE = 32;
/** 2^26 microseconds are 67 seconds. */
const STEPS = 26 * STEPS_PER_OCTAVE;

export class Histogram {
  readonly counts: number[];

  constructor(counts: readonly number[] = new Array<number>(STEPS).fill(0)) {
    this.counts = [...counts];
  }

  /** Microseconds; values outside the steps are clamped. */
  add(microseconds: number): void {
    const step = microseconds < 1 ? 0 : Math.floor(Math.log2(microseconds) * STEPS_PER_OCTAVE);
    const bounded = Math.min(step, STEPS - 1);
    this.counts[bounded] = (this.counts[bounded] ?? 0) + 1;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** The percentile in milliseconds, up to one step too high. Throws if there are no values. */
  percentileMs(percent: number): number {
    const wanted = Math.max(1, Math.ceil((percent / 100) * this.total));
    let seen = 0;
    for (const [step, count] of this.counts.entries()) {
      seen += count;
      if (seen >= wanted) return 2 ** ((step + 1) / STEPS_PER_OCTAVE) / 1000;
    }
    throw new Error("BUG: a percentile of nothing");
  }
}
