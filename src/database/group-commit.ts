// Group commit: what arrives while others are under way is done together, in one transaction. The more there is, the less
// each costs, and a single one waits for nobody. Used for launches (rental/launching/) and for facts (reconciler/).
//
// Invariants: each job is settled exactly once, and only after its commit; one job's failure is never another's: where a
// transaction fails for a reason that may lie in one of them, each is tried alone, few at once. A lost connection is told
// to all, for then the commit may have happened.

import { mayHaveHappened } from "./unavailable.ts";

/**
 * What came of a job in a transaction with others. "alone": nothing was done of it, and it has to be tried alone.
 * "later": nothing was done of it, because somebody has a lock it needs; it comes again with a later batch.
 */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown } | "alone" | "later";

/** How soon what has to come later comes again, in milliseconds: most locks are held for less. */
const againMs = 20;
/**
 * Of the time that a batch of several took, so much is waited before the next one. Whoever was answered asks again in
 * it, and comes with those that waited meanwhile: else two halves would take turns, each at the price of all.
 */
const gatherShare = 0.1;

export interface GroupParts<Job, Result> {
  /** Which of those that wait go together. The first always does. */
  readonly choose: (waiting: readonly Job[]) => ReadonlySet<Job>;
  /** Does them in one transaction, and tells what came of each, in their order. */
  readonly together: (jobs: readonly Job[]) => Promise<readonly Outcome<Result>[]>;
  readonly alone: (job: Job) => Promise<Result>;
  /** So many alone at once; each has a connection. The others wait here. */
  readonly mostAlone: number;
  /** What a job is told that came later again and again, for so many milliseconds from the first time. */
  readonly patience?: { readonly ms: number; readonly error: () => Error };
}

interface Waiting<Job, Result> {
  readonly job: Job;
  /** When it was first told to come later. */
  laterSinceMs?: number;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit<Job, Result> {
  readonly #parts: GroupParts<Job, Result>;
  #waiting: Waiting<Job, Result>[] = [];
  /** One transaction at a time: two would get in each other's way at the rows that most of them want. */
  #isRunning = false;
  #planned = false;
  readonly #toBeAlone: Waiting<Job, Result>[] = [];
  #alone = 0;

  constructor(parts: GroupParts<Job, Result>) {
    this.#parts = parts;
  }

  /** The job's result, after the commit. Throws what came of it otherwise. */
  do(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      if (this.#planned) return;
      this.#planned = true;
      // After all that has arrived by now.
      setImmediate(() => {
        this.#planned = false;
        this.#begin();
      });
    });
  }

  #begin(): void {
    if (this.#isRunning || this.#waiting.length === 0) return;
    const chosen = this.#parts.choose(this.#waiting.map(({ job }) => job));
    const batch = this.#waiting.filter(({ job }) => chosen.has(job));
    if (batch.length === 0) throw new Error("BUG: jobs wait, and none of them is chosen");
    this.#waiting = this.#waiting.filter(({ job }) => !chosen.has(job));
    this.#isRunning = true;
    const sinceMs = performance.now();
    const next = () => {
      this.#isRunning = false;
      this.#begin();
    };
    void this.#run(batch).finally(() => {
      const gatherMs = batch.length === 1 ? 0 : (performance.now() - sinceMs) * gatherShare;
      if (gatherMs < 1) next();
      else setTimeout(next, gatherMs);
    });
  }

  /** Never throws. */
  async #run(batch: readonly Waiting<Job, Result>[]): Promise<void> {
    try {
      const outcomes = await this.#parts.together(batch.map(({ job }) => job));
      for (const [index, one] of batch.entries()) this.#settle(one, outcomes[index] ?? "alone");
    } catch (error) {
      const concernsAll = mayHaveHappened(error) || batch.length === 1;
      for (const one of batch) this.#settle(one, concernsAll ? { error } : "alone");
    }
  }

  #settle(one: Waiting<Job, Result>, outcome: Outcome<Result>): void {
    if (outcome === "alone") {
      this.#toBeAlone.push(one);
      this.#beginAlone();
    } else if (outcome === "later") this.#again(one);
    else if ("error" in outcome) one.reject(outcome.error);
    else one.resolve(outcome.result);
  }

  #beginAlone(): void {
    while (this.#alone < this.#parts.mostAlone) {
      const one = this.#toBeAlone.shift();
      if (one === undefined) return;
      this.#alone += 1;
      const { alone } = this.#parts;
      alone(one.job)
        .then(one.resolve, one.reject)
        .finally(() => {
          this.#alone -= 1;
          this.#beginAlone();
        });
    }
  }

  #again(one: Waiting<Job, Result>): void {
    const { patience } = this.#parts;
    one.laterSinceMs ??= performance.now();
    if (patience !== undefined && performance.now() - one.laterSinceMs >= patience.ms) one.reject(patience.error());
    else
      setTimeout(() => {
        this.#waiting.push(one);
        this.#begin();
      }, againMs);
  }
}

/** In order of arrival, and of several with the same key the first; so many at most. For `choose`. */
export function firstOfEach<Job>(waiting: readonly Job[], keyOf: (job: Job) => string, most: number): Set<Job> {
  const byKey = new Map<string, Job>();
  for (const job of waiting) {
    if (byKey.size === most) break;
    if (!byKey.has(keyOf(job))) byKey.set(keyOf(job), job);
  }
  return new Set(byKey.values());
}
