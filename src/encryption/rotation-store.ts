// The requests to re-encrypt everything, a row each. The database allows one unfinished request at a time.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";

export interface Rotation {
  readonly id: string;
  readonly askedAt: Date;
  /** Whether a new key is created for it. */
  readonly makesKey: boolean;
  readonly formerKeyId: string;
  /** The key to encrypt everything with; null until the new key is in use. */
  readonly keyId: string | null;
  /** How many values were re-encrypted. */
  readonly resealed: number;
  readonly finishedAt: Date | null;
  /** Why it waits, or what was left undone. */
  readonly problem: string | null;
}

/** The one in progress, or else the last one. */
export async function latestRotation(db: Database | Transaction): Promise<Rotation | undefined> {
  const query = db.selectFrom("key_rotations").selectAll();
  const row = await query.orderBy(sql`finished_at desc nulls first`).limit(1).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: row.id,
    askedAt: row.asked_at,
    makesKey: row.makes_key,
    formerKeyId: row.former_key_id,
    keyId: row.key_id,
    resealed: row.values_done,
    finishedAt: row.finished_at,
    problem: row.problem,
  };
}

/** The one in progress. */
export async function currentRotation(db: Database | Transaction): Promise<Rotation | undefined> {
  const latest = await latestRotation(db);
  return latest?.finishedAt === null ? latest : undefined;
}

export async function insertRotation(
  tx: Transaction,
  rotation: Pick<Rotation, "makesKey" | "formerKeyId" | "keyId">,
): Promise<void> {
  await tx
    .insertInto("key_rotations")
    .values({ makes_key: rotation.makesKey, former_key_id: rotation.formerKeyId, key_id: rotation.keyId })
    .execute();
}

export async function noteKeyTaken(tx: Transaction, id: string, keyId: string): Promise<void> {
  await tx.updateTable("key_rotations").set({ key_id: keyId, problem: null }).where("id", "=", id).execute();
}

export async function addReencrypted(tx: Transaction, id: string, count: number): Promise<void> {
  await sql`update key_rotations set values_done = values_done + ${count} where id = ${id}`.execute(tx);
}

/** Records what it waits for; null: for nothing. */
export async function noteWaiting(db: Database | Transaction, id: string, problem: string | null): Promise<void> {
  await sql`update key_rotations set problem = ${problem} where id = ${id} and finished_at is null
    and problem is distinct from ${problem}`.execute(db);
}

export async function finishRotation(tx: Transaction, id: string, problem: string | null): Promise<void> {
  await tx
    .updateTable("key_rotations")
    .set({ finished_at: sql<Date>`now()`, problem })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .execute();
}
