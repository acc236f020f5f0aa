// Makes reservations happen: promises slots on other hosts where theirs failed, begins and ends what is due, and warns before
// the end. A maintenance job of the reconciler: it can run twice at once, or be interrupted anywhere, because each
// reservation is checked and changed under its locks, in a transaction of its own, and the next run continues from what is
// stored.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import {
  endWarnings,
  openReservationStates,
  type ReservationSettings,
  reservationTraits,
  scheduledReservation,
  warningDue,
} from "../../rules/reservations.ts";
import { CapacityCache } from "../capacity/cache.ts";
import { futuresOf } from "../capacity/host-future.ts";
import { recordEvents } from "../events/record.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import { beginIfDue, endIfDue } from "./begin-end.ts";
import { replan } from "./replan.ts";
import { isOpenReservation, isReservationInForce } from "./reservation.ts";
import { endingEvent } from "./reservation-events.ts";
import { listReservations, type ReadReservation, readReservation } from "./reservation-store.ts";
import { toMove, undeliveredNow } from "./slots.ts";

export interface ReservationRun {
  /** Slots that are promised on another host now. */
  readonly moved: number;
  /** Slots that should be, and for which there is none. */
  readonly atRisk: number;
  readonly begun: number;
  readonly ended: number;
  readonly warned: number;
}

export interface ReservationRunOptions {
  readonly settings: ReservationSettings;
  /** How long a boot takes at most. */
  readonly bootSeconds?: number | undefined;
  /** Aborted when the replica stops. */
  readonly signal?: AbortSignal;
}

/** In this order: what ends makes room for what begins, and what begins should have all of its hosts. */
export async function runReservations(db: Database, options: ReservationRunOptions): Promise<ReservationRun> {
  const { settings, signal } = options;
  const each = async (ids: readonly string[], step: (tx: Transaction, id: string) => Promise<boolean>) => {
    let done = 0;
    for (const id of ids) {
      if (signal?.aborted === true) break;
      if (await inTransaction(db, (tx) => step(tx, id))) done++;
    }
    return done;
  };
  const ended = await each(await dueToEnd(db), (tx, id) => endIfDue(tx, id, settings));
  const { moved, atRisk } = await replanAll(db, options);
  const begun = await each(await dueToBegin(db), (tx, id) => beginIfDue(tx, id, settings));
  const warned = await each(await dueToWarn(db), warn);
  return { moved, atRisk, begun, ended, warned };
}

async function replanAll(
  db: Database,
  { settings, bootSeconds, signal }: ReservationRunOptions,
): Promise<Pick<ReservationRun, "moved" | "atRisk">> {
  const capacity = new CapacityCache(db);
  const sums = { moved: 0, atRisk: 0 };
  for (const id of await disturbed(db, bootSeconds)) {
    if (signal?.aborted === true) break;
    await capacity.refresh();
    const done = await replan(db, id, { order: capacity.order, bootSeconds, settings });
    sums.moved += done?.moved ?? 0;
    sums.atRisk += done?.left ?? 0;
  }
  return sums;
}

/** Reservations read at a time. */
const PAGE = 200;

/** Those whose hosts are not as they should be, or were not; read without locks. */
async function disturbed(db: Database, bootSeconds: number | undefined): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await openAfter(db, after);
    const names = [...new Set(page.flatMap(({ hosts }) => hosts.map(({ host }) => host)))];
    const futures = new Map((await futuresOf(db, names, bootSeconds)).map((future) => [future.host.name, future]));
    const nowMs = Date.now();
    const isDisturbed = (one: ReadReservation) =>
      one.atRiskSince !== null ||
      one.used > one.hosts.reduce((sum, { slots, used }) => sum + Math.min(slots, used), 0) ||
      one.hosts.some((slots) => {
        const future = futures.get(slots.host);
        if (toMove(future, slots, one, nowMs) > 0 || slots.undelivered > 0) return true;
        // What is stopped for maintenance is counted under the locks.
        return (
          reservationTraits[one.state].isInForce &&
          ((future?.windows.length ?? 0) > 0 || undeliveredNow(future, slots, one, { nowMs, stopped: 0 }) > 0)
        );
      });
    found.push(...page.filter(isDisturbed).map(({ id }) => id));
    after = page.at(-1)?.id;
    if (page.length < PAGE) return found;
  }
}

async function openAfter(db: Database, after: string | undefined): Promise<ReadReservation[]> {
  return listReservations(db, { after, limit: PAGE, states: openReservationStates });
}

async function dueToBegin(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from reservations r
    where ${isOpenReservation} and r.state = ${scheduledReservation} and r.begins_at <= now()
    order by r.begins_at, r.id`.execute(db);
  return rows.map(({ id }) => id);
}

async function dueToEnd(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from reservations r where ${isReservationInForce} and r.ends_at <= now()
    order by r.ends_at, r.id`.execute(db);
  return rows.map(({ id }) => id);
}

async function dueToWarn(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from reservations r
    where ${isReservationInForce} and r.ends_at <= now() + make_interval(secs => ${endWarnings[0]}) and r.ends_at > now()
    order by r.ends_at, r.id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Whether a warning was due. Locks the reservation alone. */
async function warn(tx: Transaction, id: string): Promise<boolean> {
  await sql`select from reservations where id = ${id} for update`.execute(tx);
  const reservation = await readReservation(tx, id);
  const { beginsAt, endsAt, warnedSeconds, state } = reservation;
  const left = (endsAt.getTime() - (await databaseNow(tx)).getTime()) / 1000;
  const due = warningDue(left, (endsAt.getTime() - beginsAt.getTime()) / 1000);
  const isOver = !reservationTraits[state].isInForce || left <= 0;
  if (isOver || due === undefined || (warnedSeconds !== null && warnedSeconds <= due)) return false;
  await sql`update reservations set warned_seconds = ${due} where id = ${id}`.execute(tx);
  await recordEvents(tx, [endingEvent(reservation)]);
  return true;
}
