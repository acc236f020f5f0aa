// The waiting launches whose turn it is: those of each line that capacity alone blocks, and of those that a quota, a spend limit or a price
// blocks the ones that are due. Read by placer.ts, which tries them.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { comesBefore, type WaitingPlace } from "../../rules/spot.ts";
import { holdingBlocker, waitingState } from "../../rules/waiting-launches.ts";
import { turnsOfLine } from "../capacity/line.ts";
import { isKeptInVain } from "./earmarks.ts";

export interface Head extends WaitingPlace {
  readonly id: string;
  readonly quantity: number;
  /** Whether it has not been tried for a while, or never. */
  readonly isDue: boolean;
}

/** What there is to do for a run of the placer. */
export interface Pending {
  readonly someWait: boolean;
  /** Whether the wait of one is over. */
  readonly someExpire: boolean;
  /** Whether `dueAgain` gives some. */
  readonly someAreDue: boolean;
  /** Whether there are hosts to give back (earmarks.ts). */
  readonly hostsAreKeptInVain: boolean;
}

/** One statement, because it is asked also where none ever waits. In order of an index, so that no plan reads what is over. */
export async function pending(db: Database): Promise<Pending> {
  const { rows } = await sql<Pending>`
    select until.wait_until is not null as "someWait", coalesce(until.wait_until <= now(), false) as "someExpire",
      coalesce(blocked.next_try_at <= now(), false) as "someAreDue", kept.host is not null as "hostsAreKeptInVain"
    from (select) one
    left join (select wait_until from waiting_launches where state = ${sql.lit(waitingState)}
      order by wait_until limit 1) until on true
    left join (select next_try_at from waiting_launches
      where state = ${sql.lit(waitingState)} and blocked_by <> ${sql.lit(holdingBlocker)}
      order by next_try_at limit 1) blocked on true
    left join (select h.name as host from hosts h where ${isKeptInVain}
      order by h.earmarked_for limit 1) kept on true`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a row that is joined to nothing is gone");
  return row;
}

/** A launch to try. */
export type Due = Pick<Head, "id" | "position" | "isSpot">;

/** Negative if the first is tried before the other. */
export function compareTurns(one: Due, other: Due): number {
  return comesBefore(one, other) ? -1 : Number(comesBefore(other, one));
}

/** Those of each line whose turn it is. */
export async function heads(db: Database): Promise<Head[]> {
  const { rows } = await sql<Head>`
    select turn.id, turn.position, turn.quantity, l.spot as "isSpot", turn.next_try_at <= now() as "isDue"
    from launch_lines l cross join lateral ${turnsOfLine} turn`.execute(db);
  return rows;
}

/** What something else than capacity blocks, and has not been tried for a while; at most `most`. */
export async function dueAgain(db: Database, most: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    select w.id, w.position, w.spot as "isSpot" from waiting_launches w
    where w.state = ${sql.lit(waitingState)} and w.blocked_by <> ${sql.lit(holdingBlocker)} and w.next_try_at <= now()
    order by w.next_try_at, w.position limit ${most}`.execute(db);
  return rows;
}
