// What an active reservation misses, because hosts failed, and the credit for it. Its slots that cannot be used are counted
// by host, with the time since when; when that changes, or the reservation ends, what lasted longer than the tolerance is
// credited. Used by replan.ts and begin-end.ts, under the locks of the reservation and its hosts.
//
// Invariant: each second of a slot is credited once, at the price of one. Shorter failures are billed, as outages of hosts
// are (billing/downtime.ts).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { ReservationSettings } from "../../rules/reservations.ts";
import { giveReservationCredit } from "../billing/credits.ts";
import type { HostFuture } from "../capacity/host-future.ts";
import type { ReadReservation, ReservedSlots } from "./reservation-store.ts";
import { undeliveredNow } from "./slots.ts";

/** Notes what it misses now. It is in force. */
export async function noteUndelivered(
  tx: Transaction,
  reservation: ReadReservation,
  futures: ReadonlyMap<string, HostFuture>,
  now: Date,
  settings: ReservationSettings,
): Promise<void> {
  const stopped = await stoppedFor(tx, reservation.id);
  for (const slots of reservation.hosts) {
    const future = futures.get(slots.host);
    const count = { nowMs: now.getTime(), stopped: stopped.get(slots.host) ?? 0 };
    const missing = undeliveredNow(future, slots, reservation, count);
    if (missing === slots.undelivered) continue;
    await settle(tx, reservation, slots, now, settings);
    if (missing === 0) continue;
    // That a host is not reached is known only after a while.
    const sinceMs = Math.min(now.getTime(), future?.unreachableSinceMs ?? now.getTime());
    const settled = slots.undelivered > 0 ? now : slots.settledUntil;
    const since = new Date(Math.max(sinceMs, reservation.startedAt?.getTime() ?? 0, settled?.getTime() ?? 0));
    await sql`
      update reservation_hosts set undelivered = ${missing}, undelivered_since = ${since}
      where reservation_id = ${reservation.id} and host = ${slots.host}`.execute(tx);
  }
}

/** It ends at `end`, or these slots of it are promised elsewhere: what they missed until then is credited. */
export async function endUndelivered(
  tx: Transaction,
  reservation: ReadReservation,
  end: Date,
  settings: ReservationSettings,
  hosts = reservation.hosts,
): Promise<void> {
  for (const slots of hosts) await settle(tx, reservation, slots, end, settings);
}

async function settle(
  tx: Transaction,
  { id, startedAt }: ReadReservation,
  { host, undelivered, undeliveredSince: since }: ReservedSlots,
  end: Date,
  { unfulfilled, toleranceSeconds }: ReservationSettings,
): Promise<void> {
  if (since === null) return;
  const isLong = (end.getTime() - since.getTime()) / 1000 > toleranceSeconds;
  if (isLong && unfulfilled === "credit" && startedAt !== null)
    await giveReservationCredit(tx, id, { slots: undelivered, since, end });
  await sql`
    update reservation_hosts set undelivered = 0, undelivered_since = null, settled_until = ${end}
    where reservation_id = ${id} and host = ${host}`.execute(tx);
}

/** How many of its instances are stopped for maintenance, by host. */
async function stoppedFor(tx: Transaction, id: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ host: string; stopped: number }>`
    select host, count(*)::integer as stopped from instances
    where reservation_id = ${id} and terminated_at is null and stopped_for is not null group by host`.execute(tx);
  return new Map(rows.map(({ host, stopped }) => [host, stopped]));
}
