// Jobs that are laid down while others are being laid down are laid down together (database/group-commit.ts): when much
// boots at once, one commit writes for many turns where they stand. Used by reconcile.ts.

import type { Database } from "../database/connect.ts";
import { firstOfEach, GroupCommit } from "../database/group-commit.ts";
import { type Job, type ReleasedLease, type Requeue, releaseAll, requeue } from "./lease-store.ts";
import type { Settings } from "./settings.ts";

/** So many in one transaction: while it lasts, whoever wants something of one of these instances waits. */
const mostJobs = 32;

export class LeaseReleaseQueue {
  readonly #group: GroupCommit<ReleasedLease, number>;

  constructor(db: Database, settings: Settings) {
    this.#group = new GroupCommit({
      mostAlone: 1,
      // Of several of one instance, whose older lease was lost, the first.
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
