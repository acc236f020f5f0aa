// Counts durations in steps of 2 per cent, in bounded memory: a generator that kept every one of some million latencies
// would spend its time on them. Used by the generator's process; travels to ours as its counts.

const STEPS_PER_OCTAVE = 32;
/** 2^26 microseconds are 67 seconds. */
const STEPS = 26 * STEPS_PER_OCTAVE;

export class Histogram {
  readonly counts: number[];

  constructor(counts: readonly number[] = new Array<number>(STEPS).fill(0)) {
    this.counts = [...counts];
  }

  /** Microseconds; what is below 1 or beyond the last step counts as that. */
  add(microseconds: number): void {
    const step = microseconds < 1 ? 0 : Math.floor(Math.log2(microseconds) * STEPS_PER_OCTAVE);
    const bounded = Math.min(step, STEPS - 1);
    this.counts[bounded] = (this.counts[bounded] ?? 0) + 1;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** Milliseconds that `percent` of all do not exceed, up to a step too much. Throws where there are none. */
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
