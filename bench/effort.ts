// The durations of a full and a quick benchmark. The only place with durations of rounds.

export interface Effort {
  /** Rounds of each side, after one warm-up round. */
  readonly rounds: number;
  readonly readSeconds: number;
  readonly launchSeconds: number;
  readonly warmUpSeconds: number;
  /** Warm-up rounds of launches: their code paths are long, and V8 compiles them as they run. */
  readonly launchWarmUps: number;
  /** How long an idle service is measured. */
  readonly watchSeconds: number;
  /** How often a one-time event is repeated. */
  readonly repeats: number;
  /** Launches of one replay of placement; their statistics need many, because some instances run for weeks. */
  readonly packedLaunches: number;
  /** Whether 100,000 instances are created. */
  readonly largeWorld: boolean;
  /** The instances of the largest dataset of `million`. */
  readonly mostInstances: number;
  /** A measure that would start later than this is skipped, and named. */
  readonly lastBeginSeconds: number;
  /** Whether missing peers may be installed. */
  readonly installs: boolean;
}

export const full: Effort = {
  rounds: 5,
  readSeconds: 2,
  launchSeconds: 2,
  warmUpSeconds: 2,
  launchWarmUps: 6,
  // The time to the engine's next full resync (src/reconciler/resync-job.ts), and somewhat more.
  watchSeconds: 180,
  repeats: 3,
  packedLaunches: 200_000,
  largeWorld: true,
  mostInstances: 1_000_000,
  lastBeginSeconds: Number.POSITIVE_INFINITY,
  installs: true,
};

export const quick: Effort = {
  rounds: 2,
  readSeconds: 0.5,
  launchSeconds: 0.5,
  warmUpSeconds: 0.5,
  launchWarmUps: 2,
  watchSeconds: 5,
  repeats: 1,
  packedLaunches: 40_000,
  largeWorld: false,
  mostInstances: 0,
  lastBeginSeconds: 85,
  installs: false,
};
