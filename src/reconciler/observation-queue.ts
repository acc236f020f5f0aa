// Facts that become known while others are being recorded are recorded together (database/group-commit.ts): when much
// boots or ends at once, one commit writes what many turns found out. Used by reconcile.ts.

import { sql } from "kysely";
import { behind, type Database, inTransaction } from "../database/connect.ts";
import { firstOfEach, GroupCommit } from "../database/group-commit.ts";
import { type ObservationReport, recordObservations } from "../rental/instances/record-observation.ts";

/** So many in one transaction: while it lasts, whoever wants something else of one of these instances waits. */
const mostFacts = 32;
/** A turn whose fact waits longer for a lock breaks off, and the next one finds the same again. */
const lockTimeoutMs = 1_000;

export class ObservationQueue {
  readonly #removed: GroupCommit<ObservationReport, boolean>;
  readonly #others: GroupCommit<ObservationReport, boolean>;

  constructor(db: Database) {
    // Apart, because only a removal needs rows of hosts and accounts, which somebody else may have.
    this.#removed = groupOf(db);
    this.#others = groupOf(db);
  }

  /** Whether it was recorded (recordObservation says when not), after the commit. Throws what the database throws. */
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
    // Of several of one instance the first.
    choose: (waiting) => firstOfEach(waiting, ({ fence }) => fence.id, mostFacts),
    together: async (reports) => (await together(reports)).map((result) => ({ result })),
    alone: async (report) => (await together([report]))[0] === true,
  });
}
