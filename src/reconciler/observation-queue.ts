// Batches observations that arrive while others are being recorded (database/group-commit.ts): under load, one commit
// records those of many reconciliations. Used by reconcile.ts.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { firstOfEach, GroupCommit } from "../database/group-commit.ts";
import { behind } from "../database/round-trips.ts";
import { inTransaction } from "../database/transaction.ts";
import { type ObservationReport, recordObservations } from "../rental/instances/record-observation.ts";

/** Maximum per transaction: other writers of these instances wait while it lasts. */
const mostFacts = 32;
/** A reconciliation whose observation waits longer for a lock fails, and the next one observes the same again. */
const lockTimeoutMs = 1_000;

export class ObservationQueue {
  readonly #removed: GroupCommit<ObservationReport, boolean>;
  readonly #others: GroupCommit<ObservationReport, boolean>;

  constructor(db: Database) {
    // Separate, because only a removal locks rows of hosts and accounts.
    this.#removed = groupOf(db);
    this.#others = groupOf(db);
  }

  /** Whether it was recorded (see recordObservation), after the commit. Throws what the database throws. */
  record(report: ObservationReport): Promise<boolean> {
    return (report.fact === "removed" ? this.#removed : this.#others).do(report);
  }
}

function groupOf(db: Database): GroupCommit<ObservationReport, boolean> {
  const together = (reports: readonly ObservationReport[]) =>
    inTransaction(db, async (tx) => {
      await behind(sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`).execute(tx);
      return recordObservations(tx, reports);
    });
  return new GroupCommit({
    mostAlone: 1,
    // Only the first of each instance.
    choose: (waiting) => firstOfEach(waiting, ({ fence }) => fence.id, mostFacts),
    together: async (reports) => (await together(reports)).map((result) => ({ result })),
    alone: async (report) => (await together([report]))[0] === true,
  });
}
