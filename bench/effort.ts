// How long everything takes: the full measure, or the quick one. The only place with durations of rounds.

export interface Effort {
  /** Rounds of each side, after one that does not count. */
  readonly rounds: number;
  readonly readSeconds: number;
  readonly launchSeconds: number;
  readonly warmUpSeconds: number;
  /** So many rounds of launches that do not count: their ways are long, and V8 compiles them as they are walked. */
  readonly launchWarmUps: number;
  /** How long something at rest is watched. */
  readonly watchSeconds: number;
  /** How often something that happens once is repeated. */
  readonly repeats: number;
  /** Whether 100,000 instances are made. */
  readonly largeWorld: boolean;
  /** A measure that would begin later than this is left out, by name. */
  readonly lastBeginSeconds: number;
  /** Whether peers may be installed, or only used where they are. */
  readonly installs: boolean;
}

export const full: Effort = {
  rounds: 5,
  readSeconds: 2,
  launchSeconds: 2,
  warmUpSeconds: 2,
  launchWarmUps: 6,
  // As long as it takes until the engine is swept again (src/reconciler/resync-job.ts), and somewhat more.
  watchSeconds: 150,
  repeats: 3,
  largeWorld: true,
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
  largeWorld: false,
  lastBeginSeconds: 85,
  installs: false,
};
