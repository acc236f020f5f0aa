// A reservation begins, ends, is cancelled, or is unfulfilled: its state, its span, what is promised to it, and the event,
// in one transaction. Used by run.ts, admit.ts, launches that use one, and the control interface.
//
// Invariant: it changes only as rules/reservations.ts says, under its lock and those of its hosts; so each of these happens
// once. Its span has both ends from its begin on: it is billed to the second, whenever anything runs.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import {
  afterReservationAction,
  type ReservationAction,
  type ReservationBounds,
  type ReservationSettings,
  type ReservationState,
  reservationBounds,
  reservationTraits,
} from "../../rules/reservations.ts";
import { isHeld } from "../accounts/holds.ts";
import { futuresOf } from "../capacity/host-future.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { reservationEvent } from "./reservation-events.ts";
import { lockWithHosts, type ReadReservation, readReservation } from "./reservation-store.ts";
import { usableNow } from "./slots.ts";
import { isCovered } from "./spending.ts";
import { endUndelivered } from "./undelivered.ts";

/** It is active from its begin on; if it is late, from now on. All of its slots can be used. The caller holds the locks. */
export async function begin(tx: Transaction, reservation: ReadReservation, isLate: boolean): Promise<void> {
  const { id, state, beginsAt } = reservation;
  const { rows } = await sql`
    insert into billing_spans (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour,
      discount_basis_points, quantity)
    select r.id, r.account_id, r.token_id, start.at, greatest(start.at, r.ends_at), r.price_cents_per_hour, 0, r.quantity
    from reservations r cross join lateral (
      select greatest(case when ${isLate} then billing_now() else ${beginsAt}::timestamptz end,
        (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months)) as at) start
    where r.id = ${id} returning 1`.execute(tx);
  if (rows.length === 0) throw new Error(`BUG: reservation ${id} is gone under its lock`);
  await sql`
    update reservations r set state = ${after(state, "begin")}, at_risk_since = null,
      started_at = (select s.started_at from billing_spans s where s.instance_id = r.id) where id = ${id}`.execute(tx);
  await recordEvents(tx, [reservationEvent(await readReservation(tx, id))]);
}

/**
 * Begins it if it is due, its hosts have all of it and the balance of its account covers it; if not for too long, it is
 * unfulfilled. Returns whether it is active now.
 */
export async function beginIfDue(
  tx: Transaction,
  id: string,
  { toleranceSeconds }: Pick<ReservationSettings, "toleranceSeconds">,
): Promise<boolean> {
  const reservation = await lockWithHosts(tx, id);
  if (reservation === undefined) return false;
  const { state, beginsAt, endsAt, hosts } = reservation;
  const now = await databaseNow(tx);
  if (afterReservationAction(state, "begin") === undefined || beginsAt > now) return reservationTraits[state].isInForce;
  if (endsAt <= now) {
    await over(tx, reservation, "fail", now, "The service did not run during its time.");
    return false;
  }
  const names = hosts.map(({ host }) => host);
  const futures = new Map((await futuresOf(tx, names, undefined)).map((future) => [future.host.name, future]));
  const usable = new Map(hosts.map(({ host }) => [host, usableNow(futures.get(host), reservation, now.getTime())]));
  const lateSeconds = (now.getTime() - beginsAt.getTime()) / 1000;
  const hasHosts = hosts.every(({ host, slots }) => (usable.get(host) ?? 0) >= slots);
  const isLate = reservation.beginsLate || lateSeconds > toleranceSeconds;
  if (hasHosts && (await isCovered(tx, reservation, isLate ? now : beginsAt))) {
    await begin(tx, reservation, isLate);
    return true;
  }
  if (lateSeconds > toleranceSeconds) {
    const missing = hasHosts
      ? await unpaidReason(tx, reservation)
      : "Its hosts failed, and no others had the capacity.";
    await over(tx, reservation, "fail", now, missing);
    return false;
  }
  await sql`update reservations set begins_late = true where id = ${id}`.execute(tx);
  return false;
}

async function unpaidReason(tx: Transaction, { accountId }: ReadReservation): Promise<string> {
  return (await isHeld(tx, accountId))
    ? "Its account was on hold."
    : "The balance of its account did not cover its price.";
}

/** Ends it if it is due. Returns whether it did. */
export async function endIfDue(tx: Transaction, id: string, settings: ReservationSettings): Promise<boolean> {
  const reservation = await lockWithHosts(tx, id);
  if (reservation === undefined || afterReservationAction(reservation.state, "end") === undefined) return false;
  const { endsAt } = reservation;
  if (endsAt > (await databaseNow(tx))) return false;
  await endUndelivered(tx, reservation, endsAt, settings);
  await over(tx, reservation, "end", endsAt, null);
  return true;
}

/**
 * Cancels one that has not begun. `principal`: of a customer, only its own, and in time; operators cancel any. Throws
 * RentalError unknown-object, conflict.
 */
export async function cancelReservation(
  tx: Transaction,
  { accountId, scopes }: Principal,
  id: string,
  { cancelNoticeHours }: ReservationBounds = reservationBounds,
): Promise<ReadReservation> {
  const isOperator = scopes.has("operator");
  await readReservation(tx, id, isOperator ? undefined : accountId);
  const reservation = await lockWithHosts(tx, asUuid(id));
  if (reservation === undefined) throw changedMeanwhile(id);
  const { state, beginsAt } = reservation;
  if (afterReservationAction(state, "cancel") === undefined) {
    throw new RentalError("conflict", {
      message: `The reservation ${reservation.id} is ${state}.`,
      suggestion: cannotCancel[state],
    });
  }
  const now = await databaseNow(tx);
  // Only the next run begins it, but it is billed from now on.
  if (!isOperator && beginsAt <= now && !reservation.beginsLate) {
    throw new RentalError("conflict", {
      message: `The reservation ${reservation.id} began at ${beginsAt.toISOString()}.`,
      suggestion: cannotCancel.active,
    });
  }
  const hours = (beginsAt.getTime() - now.getTime()) / 3_600_000;
  if (!isOperator && hours >= 0 && hours < cancelNoticeHours) {
    throw new RentalError("conflict", {
      message: `The reservation ${reservation.id} begins at ${beginsAt.toISOString()}, in less than ${cancelNoticeHours === 1 ? "an hour" : `${cancelNoticeHours} hours`}.`,
      suggestion: "It can no longer be cancelled. Use it, or ask your provider.",
    });
  }
  await over(tx, reservation, "cancel", now, null);
  return readReservation(tx, reservation.id);
}

/** By the state that rejects a cancel. */
const cannotCancel: Readonly<Record<ReservationState, string>> = {
  scheduled: "Retry the request.",
  active: "Only a reservation that has not begun can be cancelled; it is billed to its end.",
  ended: "It was billed to its end; nothing is left to cancel.",
  cancelled: "It costs nothing; nothing is left to do.",
  unfulfilled: "It costs nothing; nothing is left to do.",
};

export function changedMeanwhile(id: string): RentalError {
  return new RentalError("conflict", {
    message: `The hosts of the reservation ${id} were changed at the same time.`,
    suggestion: "Retry the request.",
  });
}

async function over(
  tx: Transaction,
  { id, state }: ReadReservation,
  action: Exclude<ReservationAction, "begin">,
  endedAt: Date,
  reason: string | null,
): Promise<void> {
  await sql`delete from reservation_hosts where reservation_id = ${id}`.execute(tx);
  await sql`
    update reservations set state = ${after(state, action)}, ended_at = ${endedAt}, reason = ${reason}, at_risk_since = null
    where id = ${id}`.execute(tx);
  await recordEvents(tx, [reservationEvent(await readReservation(tx, id))]);
}

/** Throws "BUG: …" where the state rejects the action. */
function after(state: ReservationState, action: ReservationAction): ReservationState {
  const next = afterReservationAction(state, action);
  if (next === undefined) throw new Error(`BUG: a reservation that is ${state} cannot ${action}`);
  return next;
}
