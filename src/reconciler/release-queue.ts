// Batches leases that are released while others are being released (database/group-commit.ts): under load, one commit
// writes the progress of many reconciliations. Used by reconcile.ts.

import type { Database } from "../database/connect.ts";
import { firstOfEach, GroupCommit } from "../database/group-commit.ts";
import { type Job, type ReleasedLease, type Requeue, releaseAll, requeue } from "./lease-store.ts";
import type { Settings } from "./settings.ts";

/** Maximum per transaction: other writers of these instances wait while it lasts. */
const mostJobs = 32;

export class LeaseReleaseQueue {
  readonly #group: GroupCommit<ReleasedLease, number>;

  constructor(db: Database, settings: Settings) {
    this.#group = new GroupCommit({
      mostAlone: 1,
      // Only the first of each instance; its older lease was lost.
      choose: (waiting) => firstOfEach(waiting, ({ job }) => job.id, mostJobs),
      together: async (all) => (await releaseAll(db, all, settings)).map((result) => ({ result })),
      alone: ({ job, how }) => requeue(db, job, how, settings),
    });
  }

  /** As releaseAll, of one. Throws what the database throws. */
  release(job: Job, how: Requeue): Promise<number> {
    return this.#group.do({ job, how });
  }
}
