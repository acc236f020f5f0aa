// Before maintenance of hosts is scheduled or changed: what is promised of them at that time, and not used, is promised on
// other hosts. Used by maintenance/schedule.ts and maintenance/defer.ts.
//
// Invariant: no window falls into the time of a reservation that could use a slot of its host then, unless it was used when
// the window was scheduled. Locks hosts first, so it comes before anything else that does.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { type ReservationSettings, reservationSettings } from "../../rules/reservations.ts";
import { HostOrder } from "../capacity/host-order.ts";
import { usedSlots } from "../capacity/promised.ts";
import { RentalError } from "../errors.ts";
import type { MaintenanceWindow } from "../maintenance/window.ts";
import type { RentalLimits } from "../service.ts";
import { proposalFor, replanLocked } from "./replan.ts";
import { isOpenReservation } from "./reservation.ts";
import { lockHostRows, readReservation } from "./reservation-store.ts";

/** What is known of reservations and boots. Undefined: the defaults. */
export interface ClearingParts {
  /** For credits. */
  readonly reservations?: ReservationSettings | undefined;
  readonly limits?: Pick<RentalLimits, "bootSeconds"> | undefined;
}

/** Throws RentalError conflict, which names a reservation that stays. */
export async function clearForWindow(
  tx: Transaction,
  hosts: readonly string[],
  times: Pick<MaintenanceWindow, "beginsAt" | "endsAt">,
  { reservations: settings = reservationSettings, limits }: ClearingParts = {},
): Promise<void> {
  const affected = await promisedDuring(tx, hosts, times);
  if (affected.length === 0) return;
  const parts = { order: new HostOrder(), bootSeconds: limits?.bootSeconds, settings };
  const leaving = new Set(hosts);
  const proposed: string[] = [];
  for (const { id } of affected) {
    proposed.push(...(await proposalFor(tx, id, parts, leaving)).keys());
    proposed.push(...(await readReservation(tx, id)).hosts.map(({ host }) => host));
  }
  await lockHostRows(tx, [...hosts, ...proposed]);
  await sql`
    select from reservations where id = any(${affected.map(({ id }) => id)}::uuid[]) order by id for update`.execute(
    tx,
  );
  for (const { id } of affected) {
    const reservation = await readReservation(tx, id);
    const isLocked = reservation.hosts.every(({ host }) => leaving.has(host) || proposed.includes(host));
    if (isLocked)
      await replanLocked(
        tx,
        reservation,
        proposed.filter((host) => !leaving.has(host)),
        parts,
        leaving,
      );
  }
  const [left] = await promisedDuring(tx, hosts, times);
  if (left === undefined) return;
  throw new RentalError("conflict", {
    message: `Host ${left.host} is promised to the reservation ${left.id} from ${left.beginsAt.toISOString()} to ${left.endsAt.toISOString()}, and no other host has the capacity.`,
    suggestion: "Choose another time, or add or uncordon hosts. Maintenance cannot begin on a host that is promised.",
  });
}

interface PromisedHost {
  readonly id: string;
  readonly host: string;
  readonly beginsAt: Date;
  readonly endsAt: Date;
}

/** Reservations with slots of these hosts without an instance, at some of this time; by id. */
async function promisedDuring(
  tx: Transaction,
  hosts: readonly string[],
  { beginsAt, endsAt }: Pick<MaintenanceWindow, "beginsAt" | "endsAt">,
): Promise<PromisedHost[]> {
  const { rows } = await sql<PromisedHost>`
    select distinct on (r.id) r.id, rh.host, r.begins_at as "beginsAt", r.ends_at as "endsAt"
    from reservation_hosts rh join reservations r on r.id = rh.reservation_id cross join lateral (select rh.host as name) h
    where rh.host = any(${[...hosts]}::text[]) and ${isOpenReservation} and r.begins_at < ${endsAt}
      and r.ends_at > ${beginsAt} and rh.slots > ${usedSlots}
    order by r.id, rh.host`.execute(tx);
  return rows;
}
