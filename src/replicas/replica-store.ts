// The running servers of one database, a row each. By the database's clock, so that servers need not agree on the time.
// Used by presence.ts, by the encryption room (which keys everybody has) and by the control interface.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { everything, type Page, pageOf } from "../rental/paging.ts";

/** After so many seconds without a sign a server counts as gone: five beats. */
export const expirySeconds = 15;

export interface Replica {
  readonly id: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly version: string;
  /** Name of the machine and number of the process, for people. */
  readonly host: string;
  readonly pid: number;
  /** What it can open with, and what it seals with. */
  readonly keyIds: readonly string[];
  readonly currentKeyId: string;
  /** Null while it changes the key that it seals with. */
  readonly sealingSince: Date | null;
}

/** What a server says of itself when it joins. */
export type Joining = Pick<Replica, "id" | "version" | "host" | "pid" | "keyIds" | "currentKeyId">;

/** The servers that were seen lately, by id, which is by the time of their start. */
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

/** Enters a server; one that was there, and was forgotten or not seen for too long, is entered again. */
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

/** A sign of life. False where it comes too late: others have counted this server as gone, and it has to join again. */
export async function sendHeartbeat(db: Database, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("replicas")
    .set({ seen_at: sql<Date>`now()` })
    .where("id", "=", id)
    .where(seenLately)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What this server can open with from now on, and what it is about to seal with. */
export async function noteKeys(tx: Transaction, id: string, keyIds: readonly string[], currentKeyId: string) {
  await tx
    .updateTable("replicas")
    .set({ key_ids: [...keyIds], current_key_id: currentKeyId, sealing_since: null })
    .where("id", "=", id)
    .execute();
}

/** What this server can open with from now on; what it seals with stays. */
export async function noteKeyIds(tx: Transaction, id: string, keyIds: readonly string[]): Promise<void> {
  await tx
    .updateTable("replicas")
    .set({ key_ids: [...keyIds] })
    .where("id", "=", id)
    .execute();
}

/** To be said after the server seals with what `noteKeys` or `enterReplica` announced, and with nothing else. */
export async function noteSealing(db: Database, id: string): Promise<void> {
  await db.updateTable("replicas").set({ sealing_since: sql<Date>`clock_timestamp()` }).where("id", "=", id).execute();
}

export async function leave(db: Database, id: string): Promise<void> {
  await db.deleteFrom("replicas").where("id", "=", id).execute();
}

/** Removes the rows of servers that are gone; `all`: of everybody else, where nobody else can be running. */
export async function deleteExpired(tx: Transaction, ownId: string, all: boolean): Promise<void> {
  let query = tx.deleteFrom("replicas").where("id", "<>", ownId);
  if (!all) query = query.where((eb) => eb.not(seenLately));
  await query.execute();
}

const seenLately = sql<boolean>`seen_at > now() - make_interval(secs => ${sql.lit(expirySeconds)})`;
