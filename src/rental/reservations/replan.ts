// Promises slots of reservations on other hosts, when theirs stopped accepting instances, are to be maintained, or have
// not the capacity any more; and notes what an active reservation misses meanwhile. Used by run.ts, and before maintenance is
// scheduled (clear-windows.ts).
//
// Invariant: only slots without an instance move, under the locks of both hosts and of the reservation, and only to hosts
// that surely have the capacity for the rest of its time. What finds no other host stays where it is: the host may be back.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { type ReservationSettings, reservationTraits } from "../../rules/reservations.ts";
import { futuresOf, type HostFuture } from "../capacity/host-future.ts";
import type { HostOrder } from "../capacity/host-order.ts";
import { recordEvents } from "../events/record.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import { candidatesFor, chooseHosts } from "./choose-hosts.ts";
import { noticeMsOf } from "./order.ts";
import { type Reservation, stayOf } from "./reservation.ts";
import { atRiskEvent } from "./reservation-events.ts";
import { lockWithHosts, type ReadReservation, type ReservedSlots, readReservation } from "./reservation-store.ts";
import { toMove } from "./slots.ts";
import { endUndelivered, noteUndelivered } from "./undelivered.ts";

export interface ReplanParts {
  /** Ranks hosts. */
  readonly order: HostOrder;
  readonly bootSeconds: number | undefined;
  readonly settings: ReservationSettings;
}

/** Slots to move, by host. */
type Leaving = ReadonlyMap<string, number>;

/** What it came to: how many slots moved, and how many could not. */
export interface Replanned {
  readonly moved: number;
  readonly left: number;
}

/** Of one that is not over. Undefined: it changed meanwhile, or is over. */
export async function replan(db: Database, id: string, parts: ReplanParts): Promise<Replanned | undefined> {
  return inTransaction(db, async (tx) => {
    const proposed = await proposalFor(tx, id, parts);
    const held = await instancesByHost(tx, id);
    const locked = await lockWithHosts(tx, id, [...proposed.keys(), ...held.keys()]);
    if (locked === undefined || !reservationTraits[locked.state].isOpen) return undefined;
    await followInstances(tx, locked, held, parts.settings);
    const done = await replanLocked(tx, await readReservation(tx, id), [...proposed.keys()], parts);
    const now = await databaseNow(tx);
    const after = await readReservation(tx, id);
    if (reservationTraits[after.state].isInForce)
      await noteUndelivered(tx, after, await futuresByName(tx, after, parts), now, parts.settings);
    await noteRisk(tx, after, done.leaving);
    return { moved: done.moved, left: sum(done.leaving) };
  });
}

/** Hosts that would take what is to move, without locks. `besides`: hosts that it must leave, and that others must not use. */
export async function proposalFor(
  tx: Transaction,
  id: string,
  parts: ReplanParts,
  besides: ReadonlySet<string> = new Set(),
): Promise<Leaving> {
  const reservation = await readReservation(tx, id);
  const leaving = leavingOf(reservation, await futuresByName(tx, reservation, parts), await databaseNow(tx), besides);
  return (await placesFor(tx, reservation, leaving, parts, besides)) ?? new Map();
}

/** Moves what it can to these hosts, and says what is still to move. The caller holds all locks. */
export async function replanLocked(
  tx: Transaction,
  reservation: ReadReservation,
  among: readonly string[],
  parts: ReplanParts,
  besides: ReadonlySet<string> = new Set(),
): Promise<{ readonly moved: number; readonly leaving: Leaving }> {
  const now = await databaseNow(tx);
  const leaving = leavingOf(reservation, await futuresByName(tx, reservation, parts), now, besides);
  const places = await placesFor(tx, reservation, leaving, parts, besides, among);
  if (places === undefined) return { moved: 0, leaving };
  const left = new Map(leaving);
  let moved = 0;
  for (const [host, slots] of places) {
    moved += slots;
    await add(tx, reservation.id, host, slots);
  }
  let toTake = moved;
  for (const [host, slots] of leaving) {
    const here = Math.min(slots, toTake);
    if (here === 0) continue;
    toTake -= here;
    const own = reservation.hosts.filter((one) => one.host === host);
    await endUndelivered(tx, reservation, now, parts.settings, own);
    await take(tx, reservation.id, host, here);
    if (slots > here) left.set(host, slots - here);
    else left.delete(host);
  }
  return { moved, leaving: left };
}

function leavingOf(
  reservation: ReadReservation,
  futures: ReadonlyMap<string, HostFuture>,
  now: Date,
  besides: ReadonlySet<string>,
): Leaving {
  const slotsOf = (one: ReservedSlots) =>
    besides.has(one.host)
      ? Math.max(0, one.slots - one.used)
      : toMove(futures.get(one.host), one, reservation, now.getTime());
  return new Map(reservation.hosts.map((one) => [one.host, slotsOf(one)] as const).filter(([, slots]) => slots > 0));
}

async function placesFor(
  tx: Transaction,
  reservation: Reservation,
  leaving: Leaving,
  { order, bootSeconds }: ReplanParts,
  besides: ReadonlySet<string>,
  among?: readonly string[],
): Promise<Leaving | undefined> {
  const quantity = sum(leaving);
  if (quantity === 0 || among?.length === 0) return undefined;
  const { product, region } = reservation;
  // Notices that the operator made longer than the default are given all the same, and then it may begin late.
  const stay = { ...stayOf(reservation, (await databaseNow(tx)).getTime()), noticeMs: noticeMsOf({}) };
  const except = new Set([...leaving.keys(), ...besides]);
  const wanted = { product, region, quantity, stay, bootSeconds, except, among };
  return chooseHosts(order, await candidatesFor(tx, wanted), wanted, true);
}

async function futuresByName(
  tx: Transaction,
  { hosts }: ReadReservation,
  { bootSeconds }: ReplanParts,
): Promise<Map<string, HostFuture>> {
  const names = hosts.map(({ host }) => host);
  return new Map((await futuresOf(tx, names, bootSeconds)).map((future) => [future.host.name, future]));
}

async function add(tx: Transaction, id: string, host: string, slots: number): Promise<void> {
  await sql`
    insert into reservation_hosts as rh (reservation_id, host, slots) values (${id}, ${host}, ${slots})
    on conflict (reservation_id, host) do update set slots = rh.slots + excluded.slots`.execute(tx);
}

async function take(tx: Transaction, id: string, host: string, slots: number): Promise<void> {
  await sql`
    delete from reservation_hosts where reservation_id = ${id} and host = ${host} and slots = ${slots}`.execute(tx);
  await sql`
    update reservation_hosts set slots = slots - ${slots}
    where reservation_id = ${id} and host = ${host} and slots > ${slots}`.execute(tx);
}

/** How many of its instances are on each host. */
async function instancesByHost(tx: Transaction, id: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ host: string; count: number }>`
    select host, count(*)::integer as count from instances
    where reservation_id = ${id} and terminated_at is null group by host`.execute(tx);
  return new Map(rows.map(({ host, count }) => [host, count]));
}

/** Slots follow instances that were moved to hosts where the reservation has none. `held`: read before the locks. */
async function followInstances(
  tx: Transaction,
  reservation: ReadReservation,
  held: ReadonlyMap<string, number>,
  settings: ReservationSettings,
): Promise<void> {
  const { id, hosts } = reservation;
  const now = await databaseNow(tx);
  const here = await instancesByHost(tx, id);
  const spare = hosts.map((own) => ({ own, host: own.host, slots: own.slots - (here.get(own.host) ?? 0) }));
  const settled = new Set<string>();
  for (const [host, count] of here) {
    if (!held.has(host)) continue;
    let missing = count - (hosts.find((one) => one.host === host)?.slots ?? 0);
    for (const from of spare) {
      const slots = Math.min(missing, from.slots);
      if (slots <= 0) continue;
      // Once: several hosts can take slots from one.
      if (!settled.has(from.host)) await endUndelivered(tx, reservation, now, settings, [from.own]);
      settled.add(from.host);
      await add(tx, id, host, slots);
      await take(tx, id, from.host, slots);
      missing -= slots;
      from.slots -= slots;
    }
  }
}

/** Operators are told once, until all is promised again. */
async function noteRisk(tx: Transaction, reservation: Reservation, leaving: Leaving): Promise<void> {
  const isAtRisk = leaving.size > 0;
  if (isAtRisk === (reservation.atRiskSince !== null)) return;
  await sql`
    update reservations set at_risk_since = case when ${isAtRisk} then now() end where id = ${reservation.id}`.execute(
    tx,
  );
  if (isAtRisk) await recordEvents(tx, [atRiskEvent(reservation, Object.fromEntries(leaving))]);
}

function sum(slots: Leaving): number {
  return [...slots.values()].reduce((all, one) => all + one, 0);
}
