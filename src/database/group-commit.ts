// Group commit: jobs that arrive while others are in progress are done together, in one transaction. The more there
// are, the less each costs, and a single one does not wait. Used for launches (rental/launching/) and for observations
// (reconciler/).
//
// Invariants: each job is settled exactly once, and only after its commit; one job's failure is never another's: if a
// transaction fails for a reason that may lie in one of them, each is tried alone, few at once. A lost connection is
// reported to all, because the commit may have happened.

import { mayHaveHappened } from "./unavailable.ts";

/**
 * The result of a job in a transaction with others. "alone": nothing was done, and it must be tried alone. "later":
 * nothing was done, because another transaction has a lock it needs; a later batch retries it.
 */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown } | "alone" | "later";

/** The retry delay of "later", in milliseconds: most locks are held for less. */
const againMs = 20;
/**
 * The wait before the next batch, as a share of the time of a batch of several. Clients with a response send their next
 * request meanwhile, and join those that waited: else two halves would alternate, each at the price of all.
 */
const gatherShare = 0.1;

export interface GroupParts<Job, Result> {
  /** Which of the waiting jobs go together. The first always does. */
  readonly choose: (waiting: readonly Job[]) => ReadonlySet<Job>;
  /** Does them in one transaction, and returns the result of each, in their order. */
  readonly together: (jobs: readonly Job[]) => Promise<readonly Outcome<Result>[]>;
  readonly alone: (job: Job) => Promise<Result>;
  /** The maximum of jobs alone at once; each has a connection. The others wait here. */
  readonly mostAlone: number;
  /** The error of a job that was "later" repeatedly, for this many milliseconds since the first time. */
  readonly patience?: { readonly ms: number; readonly error: () => Error };
}

interface Waiting<Job, Result> {
  readonly job: Job;
  /** When it was first "later". */
  laterSinceMs?: number;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit<Job, Result> {
  readonly #parts: GroupParts<Job, Result>;
  #waiting: Waiting<Job, Result>[] = [];
  /** One transaction at a time: two would conflict on the rows that most of them need. */
  #isRunning = false;
  #planned = false;
  readonly #toBeAlone: Waiting<Job, Result>[] = [];
  #alone = 0;

  constructor(parts: GroupParts<Job, Result>) {
    this.#parts = parts;
  }

  /** The job's result, after the commit. Throws its error otherwise. */
  do(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      if (this.#planned) return;
      this.#planned = true;
      // After all jobs that have arrived by now.
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

/** In order of arrival, and of several with the same key the first; limited in number. For `choose`. */
export function firstOfEach<Job>(waiting: readonly Job[], keyOf: (job: Job) => string, most: number): Set<Job> {
  const byKey = new Map<string, Job>();
  for (const job of waiting) {
    if (byKey.size === most) break;
    if (!byKey.has(keyOf(job))) byKey.set(keyOf(job), job);
  }
  return new Set(byKey.values());
}
