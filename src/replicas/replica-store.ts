// The running replicas of one database, a row each. Uses the database's clock, so that replicas need no common time.
// Used by presence.ts, by encryption/ (which encryption keys all replicas have) and by the control interface.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { everything, type Page, pageOf } from "../rental/paging.ts";

/** A replica expires after this time without a heartbeat: five heartbeats. */
export const expirySeconds = 15;

export interface Replica {
  readonly id: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly version: string;
  /** Hostname and process id, for people. */
  readonly host: string;
  readonly pid: number;
  /** The encryption keys that it can decrypt with, and the current one. */
  readonly keyIds: readonly string[];
  readonly currentKeyId: string;
  /** Null while it changes its current encryption key. */
  readonly sealingSince: Date | null;
}

/** What a replica records when it joins. */
export type Joining = Pick<Replica, "id" | "version" | "host" | "pid" | "keyIds" | "currentKeyId">;

/** The unexpired replicas, by id, which is in order of their start. */
export async function liveReplicas(db: Database | Transaction, page: Page = everything): Promise<Replica[]> {
  const rows = await pageOf(db.selectFrom("replicas").selectAll().where(seenLately), "id", page).execute();
  return rows.map((row) => ({
    id: row.id,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    version: row.version,
    host: row.host,
    pid: row.pid,
    keyIds: row.key_ids,
    currentKeyId: row.current_key_id,
    sealingSince: row.sealing_since,
  }));
}

/** Adds a replica; one that has expired is added again. */
export async function enterReplica(tx: Transaction, joining: Joining): Promise<void> {
  const { id, ...facts } = joining;
  const row = {
    version: facts.version,
    host: facts.host,
    pid: facts.pid,
    key_ids: [...facts.keyIds],
    current_key_id: facts.currentKeyId,
    sealing_since: null,
  };
  await tx
    .insertInto("replicas")
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...row, seen_at: sql<Date>`now()` }))
    .execute();
}

/** A heartbeat. False if it is too late: this replica has expired and has to join again. */
export async function sendHeartbeat(db: Database, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("replicas")
    .set({ seen_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where(seenLately)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records the keys that this replica can decrypt with from now on, and the one that it will encrypt with. */
export async function noteKeys(tx: Transaction, id: string, keyIds: readonly string[], currentKeyId: string) {
  await tx
    .updateTable("replicas")
    .set({ key_ids: [...keyIds], current_key_id: currentKeyId, sealing_since: null })
    .where("id", "=", id)
    .execute();
}

/** Records the keys that this replica can decrypt with from now on; its current key stays. */
export async function noteKeyIds(tx: Transaction, id: string, keyIds: readonly string[]): Promise<void> {
  await tx
    .updateTable("replicas")
    .set({ key_ids: [...keyIds] })
    .where("id", "=", id)
    .execute();
}

/** To be called once the replica encrypts only with the key recorded by `noteKeys` or `enterReplica`. */
export async function noteSealing(db: Database, id: string): Promise<void> {
  await db.updateTable("replicas").set({ sealing_since: sql<Date>`clock_timestamp()` }).where("id", "=", id).execute();
}

export async function leave(db: Database, id: string): Promise<void> {
  await db.deleteFrom("replicas").where("id", "=", id).execute();
}

/** Deletes the rows of expired replicas; `all`: of all others, if no other can be running. */
export async function deleteExpired(tx: Transaction, ownId: string, all: boolean): Promise<void> {
  let query = tx.deleteFrom("replicas").where("id", "<>", ownId);
  if (!all) query = query.where((eb) => eb.not(seenLately));
  await query.execute();
}

const seenLately = sql<boolean>`seen_at > now() - make_interval(secs => ${sql.lit(expirySeconds)})`;
