// Moves in the full resync: which machines of a list are second copies, and what moves left behind. Used by resync.ts and
// left-copies.ts.
//
// Invariant: a copy on a host where a move expects it is no orphan, and is compared with nothing.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import type { ListedMachine, MachineListing } from "../engines/engine.ts";
import { releaseSecondCopies } from "../rental/capacity/release.ts";
import { hasWork, holdsBoth, secondHost } from "../rental/moving/move-sql.ts";
import { asUuid } from "../rental/uuid.ts";
import { finalState } from "../rules/lifecycle.ts";

/** A move that holds both hosts. */
export interface MoveInResync {
  readonly id: string;
  /** The host that is not the instance's. */
  readonly secondHost: string;
  /** There is work for it at the engine, and no check is scheduled. */
  readonly isForgotten: boolean;
  /** Its instance has ended, so no reconciliation works on it. */
  readonly isOver: boolean;
}

/** Those of the engine, by id. Read them after the list of its machines. */
export async function movesIn(db: Database, engine: string): Promise<MoveInResync[]> {
  const { rows } = await sql<MoveInResync>`
    select m.instance_id as id, ${secondHost} as "secondHost", i.state = ${sql.lit(finalState)} as "isOver",
      i.state <> ${sql.lit(finalState)} and ${hasWork} and i.next_look_at is null as "isForgotten"
    from moves m join instances i on i.id = m.instance_id
    where i.engine = ${engine} and ${holdsBoth} order by m.instance_id`.execute(db);
  return rows;
}

/** The list without the second copies of moves. */
export function withoutSecondCopies(listing: MachineListing, moves: readonly MoveInResync[]): MachineListing {
  if (moves.length === 0) return listing;
  const second = new Map(moves.map((move) => [move.id, move.secondHost]));
  return { ...listing, machines: listing.machines.filter(({ id, host }) => second.get(id) !== host) };
}

/** What is on a host, of a machine that belongs on another. */
export interface StrayCopy {
  readonly id: string;
  readonly host: string;
  /** The host of the instance. */
  readonly kept: string;
}

/** Those of these machines that are copies of instances that have not ended, are elsewhere, and are not being moved. */
export async function strayCopiesAmong(db: Database, machines: readonly ListedMachine[]): Promise<StrayCopy[]> {
  if (machines.length === 0) return [];
  const { rows } = await sql<StrayCopy>`
    select i.id, listed.host, i.host as kept
    from unnest(${machines.map(({ id }) => asUuid(id))}::uuid[], ${machines.map(({ host }) => host)}::text[])
      as listed (id, host)
    join instances i on i.id = listed.id
    where i.state <> ${sql.lit(finalState)} and i.host <> listed.host and not exists (
      select from moves m where m.instance_id = i.id and ${holdsBoth} and ${secondHost} = listed.host)
    order by i.id, listed.host`.execute(db);
  return rows;
}

/** The second copy of an instance that has ended is removed: its capacity is free. Does nothing if the move is over. */
export async function forgetMove(db: Database, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`select from instances where id = ${id} for update`.execute(tx);
    await releaseSecondCopies(tx, [id]);
    await sql`delete from moves where instance_id = ${id}`.execute(tx);
  });
}
