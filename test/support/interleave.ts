// Two or more transactions in an order that a test writes down by hand: begin one, let another wait for it, commit.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database, Transaction } from "../../src/database/connect.ts";

/** A transaction that stays open until it is told. Left open, it is rolled back when the test ends (`await using`). */
export interface OpenTransaction extends AsyncDisposable {
  readonly tx: Transaction;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export async function begin(db: Database): Promise<OpenTransaction> {
  const tx = await db.startTransaction().setIsolationLevel("read committed").execute();
  const rollback = async () => {
    if (!tx.isCommitted && !tx.isRolledBack) await tx.rollback().execute();
  };
  return {
    tx,
    commit: async () => {
      await tx.commit().execute();
    },
    rollback,
    [Symbol.asyncDispose]: rollback,
  };
}

/** As `begin`, and the transaction has its id already: as far as ids tell, all that begins from now on is younger. */
export async function beginWithId(db: Database): Promise<OpenTransaction> {
  const open = await begin(db);
  await sql`select pg_current_xact_id()`.execute(open.tx);
  return open;
}

/** Comes back when everything is done that the transaction did not wait for (src/database/round-trips.ts). */
export async function written(tx: Transaction): Promise<void> {
  await sql`select`.execute(tx);
}

/** No instance is written until it ends: launches get as far as that and wait (`untilKeyHolderWaits`), and so does the reconciler. */
export async function withoutNewInstances(db: Database): Promise<OpenTransaction> {
  const open = await begin(db);
  await sql`lock table instances in share mode`.execute(open.tx);
  return open;
}

/** Comes back when `count` sessions of this database wait for a lock that another one holds. */
export async function untilWaiting(db: Database, count = 1): Promise<void> {
  const waiting = sql<{ sessions: number }>`
    select count(*)::integer as sessions from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(
    () => waiting.execute(db),
    ({ rows }) => (rows[0]?.sessions ?? 0) >= count,
  );
}

/**
 * Comes back when a request with an Idempotency-Key has its key's lock and waits for another one. Not merely when somebody
 * waits: the reconciler may, for what was launched before.
 */
export async function untilKeyHolderWaits(db: Database): Promise<void> {
  const waiting = sql<{ one: boolean }>`
    select exists (
      select from pg_locks wanted join pg_locks key using (pid)
      where not wanted.granted and key.granted and key.locktype = 'advisory'
      and key.database = (select oid from pg_database where datname = current_database())) as one`;
  await eventually(
    () => waiting.execute(db),
    (answer) => answer.rows[0]?.one === true,
  );
}

/**
 * Comes back when every transaction that has an id now has ended, of all databases of the cluster: ids are its own, so
 * what other tests are about counts too. From then on nothing that was changed before can be taken for a newer change.
 */
export async function untilOthersEnded(db: Database): Promise<void> {
  const { rows } = await sql<{ next: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(
    db,
  );
  const next = rows[0]?.next;
  const ended = sql<{ all: boolean }>`select pg_snapshot_xmin(pg_current_snapshot()) >= ${next}::xid8 as all`;
  await eventually(
    () => ended.execute(db),
    (answer) => answer.rows[0]?.all === true,
  );
}

/** Reads again and again until the answer has what is awaited: for what shows with a delay that nothing here bounds. */
export async function eventually<T>(read: () => Promise<T>, awaited: (answer: T) => boolean): Promise<T> {
  for (; ; await betweenLooks()) {
    const answer = await read();
    if (awaited(answer)) return answer;
  }
}

/** For who looks again and again: what is awaited needs the processor too. */
export async function betweenLooks(): Promise<void> {
  await sleep(4);
}
