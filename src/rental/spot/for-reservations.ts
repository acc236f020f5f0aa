// Evictions for a reservation before it begins: of the spot instances that have the capacity that is promised to it, and that
// nothing else frees by then. Used by evictor.ts, with settle.ts.
//
// Invariant: notices are given so early that hosts are ready again at the begin, and no earlier. Either all of its hosts can
// have all of its slots then, or nothing is evicted for it. What is under notice for a launch that waits counts as gone:
// that launch leaves alone what is promised (capacity/promised.ts).

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { hostTraits } from "../../rules/host-lifecycle.ts";
import { scheduledReservation } from "../../rules/reservations.ts";
import { evictAheadSeconds } from "../../rules/spot.ts";
import { type Ending, futuresOf, given, goneBy, type HostFuture, withResetting } from "../capacity/host-future.ts";
import { promisedAt } from "../capacity/promised.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import { type ReadReservation, readReservation } from "../reservations/reservation-store.ts";
import { before } from "../reservations/slots.ts";
import { type ChosenHost, chooseEvictions } from "./choose-evictions.ts";
import type { Evictable } from "./evictable.ts";
import { type EvictionCase, idsOf } from "./settle.ts";

/** How long a boot takes at most, and a notice. */
export interface EvictionTimes {
  readonly bootSeconds: number | undefined;
  readonly noticeSeconds: number;
}

/** Whether it is time to give notice for `reservations r`, which has not begun. */
export const isDueToEvict = (noticeSeconds: number) => sql<boolean>`(r.state = ${sql.lit(scheduledReservation)}
  and r.begins_at <= now() + make_interval(secs => r.handover_seconds + ${noticeSeconds + evictAheadSeconds}::float8))`;

/** A case for each reservation for which it is time; those that begin first come first. */
export async function casesOfReservations(db: Database, times: EvictionTimes): Promise<EvictionCase[]> {
  const { rows } = await sql<{ id: string }>`
    select r.id from reservations r where ${isDueToEvict(times.noticeSeconds)} order by r.begins_at, r.id`.execute(db);
  const cases: EvictionCase[] = [];
  for (const { id } of rows) {
    const reservation = await readReservation(db, id);
    cases.push(forReservation(reservation, await chosenFor(db, reservation, times), times));
  }
  return cases;
}

function forReservation(
  { id, hosts }: ReadReservation,
  chosen: readonly ChosenHost[],
  times: EvictionTimes,
): EvictionCase {
  return {
    id,
    planned: idsOf(chosen),
    hosts: hosts.map(({ host }) => host),
    // Its row is locked behind those of its hosts (database/lock-order.ts).
    confirm: async () => "holds",
    choose: async (tx, names) => {
      await sql`select from reservations where id = ${id} for update`.execute(tx);
      const reservation = await readReservation(tx, id);
      if (reservation.state !== scheduledReservation) return [];
      if (!reservation.hosts.every(({ host }) => names.includes(host))) return undefined;
      return chosenFor(tx, reservation, times);
    },
    // What is promised to it is its own.
    keep: async () => {},
  };
}

/** For each of its hosts. Empty: some cannot have its slots, whatever is evicted. */
async function chosenFor(
  db: Database,
  reservation: ReadReservation,
  { bootSeconds }: EvictionTimes,
): Promise<readonly ChosenHost[]> {
  const names = reservation.hosts.map(({ host }) => host);
  const nowMs = (await databaseNow(db)).getTime();
  const chosen = (await futuresOf(db, names, bootSeconds)).map((future) => chosenOn(future, reservation, nowMs));
  const all = chosen.filter((one) => one !== undefined);
  return all.length === names.length ? all : [];
}

function chosenOn(
  future: HostFuture,
  { id, product, beginsAt, handoverSeconds }: ReadReservation,
  nowMs: number,
): ChosenHost | undefined {
  const handoverMs = handoverSeconds * 1000;
  const fromMs = Math.max(nowMs, beginsAt.getTime());
  const { host, endings, state } = withResetting(future, nowMs, handoverMs, true);
  if (!hostTraits[state].acceptsInstances) return undefined;
  // A notice for what needs it no more passes to this one.
  const isOpen = ({ isEvictable, evictedFor, isHeld }: Ending) => isEvictable && (evictedFor === id || !isHeld);
  const [open, others] = [endings.filter(isOpen), endings.filter((one) => !isOpen(one))];
  // By itself, and without any further notice.
  const endsBefore = goneBy(fromMs, { handoverMs, noticeMs: Number.POSITIVE_INFINITY });
  const isGone = (one: Ending) => one.isLeaving || endsBefore(one);
  const emptied = given(
    host,
    [...others, ...open.filter(({ evictedFor }) => evictedFor === null)].filter(isGone),
    true,
  );
  const left = open.filter((one) => one.evictedFor !== null || !isGone(one));
  const promised = promisedAt(before(host.promised ?? [], id), fromMs).map((one) => ({ ...one, keptFromMs: nowMs }));
  const evictionHost = { ...emptied, promised, evictable: left.map(evictableFrom), owner: undefined };
  const quantity = host.promised?.find((one) => one.reservation === id)?.unused ?? 0;
  if (quantity === 0) return { host: evictionHost, times: 0, evicted: [] };
  return chooseEvictions({ product, quantity }, [evictionHost])?.[0];
}

function evictableFrom({ evictedFor, gpus, ...one }: Ending): Evictable {
  return { ...one, gpus, isUnderNotice: evictedFor !== null };
}
