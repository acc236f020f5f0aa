// Reservations in a world (world.ts), for tests: made through the rental's own functions, and run as the reconciler runs them.

import { sql } from "kysely";
import { reserveCapacity } from "../../src/rental/reservations/admit.ts";
import type { ReservationOrder } from "../../src/rental/reservations/order.ts";
import { type ReadReservation, readReservation } from "../../src/rental/reservations/reservation-store.ts";
import { type ReservationRun, runReservations } from "../../src/rental/reservations/run.ts";
import type { Principal } from "../../src/rental/service.ts";
import { type ReservationSettings, reservationSettings } from "../../src/rules/reservations.ts";
import type { World } from "./world.ts";

/** Times in hours from now; `from` undefined: now. */
export interface Reserve extends Partial<Omit<ReservationOrder, "from" | "to">> {
  readonly instanceType: string;
  readonly from?: number | undefined;
  readonly to: number;
}

/** `start`: what times whose difference counts have in common, in milliseconds. */
export const inHours = (hours: number, start = Date.now()): Date => new Date(start + hours * 3_600_000);

/** One anywhere, unless told. */
export async function reserve(world: World, principal: Principal, order: Reserve): Promise<ReadReservation> {
  await world.service.capacity.refresh();
  const { from, to, ...more } = order;
  const whole = { name: undefined, region: "any", quantity: 1, ...more };
  const start = Date.now();
  const times = { from: from === undefined ? undefined : inHours(from, start), to: inHours(to, start) };
  return world.tx((tx) => reserveCapacity(tx, world.service, principal, { ...whole, ...times }));
}

export function run(world: World, settings: Partial<ReservationSettings> = {}): Promise<ReservationRun> {
  return runReservations(world.db, { settings: { ...reservationSettings, ...settings } });
}

export function read(world: World, id: string): Promise<ReadReservation> {
  return readReservation(world.db, id);
}

/** The slots of each host. */
export async function slotsOf(world: World, id: string): Promise<Record<string, number>> {
  return Object.fromEntries((await read(world, id)).hosts.map(({ host, slots }) => [host, slots]));
}

/** What was told about it, in order. */
export async function toldOf(world: World, id: string): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    select type from events where subject_id = ${id} order by position`.execute(world.db);
  return rows.map(({ type }) => type.replace("reservation.", ""));
}
