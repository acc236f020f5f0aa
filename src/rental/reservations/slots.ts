// Whether the slots of a reservation on one host can be used now, and whether they will be there for the rest of its time.
// Computes only. Used by begin-end.ts, replan.ts and undelivered.ts, on locked hosts, and by run.ts to see where to look.
//
// Where a host has less than it owes, the reservation that begins first has its slots before others, and among equals the
// one made first: so each looks at the same shortage and one of them misses it.

import { hostTraits, maintenanceMode } from "../../rules/host-lifecycle.ts";
import { type HostFuture, isInMaintenance, roomDuring, withResetting } from "../capacity/host-future.ts";
import { less, type Promised, promisedAt } from "../capacity/promised.ts";
import { howManyFit } from "../capacity/requirements.ts";
import { type Reservation, stayOf } from "./reservation.ts";
import type { ReservedSlots } from "./reservation-store.ts";

/** How many of its slots without an instance could be used at once. `future` undefined: the host is gone. */
export function usableNow(future: HostFuture | undefined, reservation: Reservation, nowMs: number): number {
  if (future === undefined || !hostTraits[future.state].acceptsInstances) return 0;
  const { host } = future;
  const own = host.promised?.find((one) => one.reservation === reservation.id);
  const others = promisedAt(before(host.promised ?? [], reservation.id), nowMs);
  return Math.min(own?.unused ?? 0, howManyFit(less(host, others), reservation.product));
}

/**
 * How many of its slots cannot be used now. GPUs that are reset after an instance count as there, as long as that takes no
 * longer than it may. `stopped`: how many of its instances there are stopped for maintenance.
 */
export function undeliveredNow(
  future: HostFuture | undefined,
  { slots, used }: ReservedSlots,
  reservation: Reservation,
  { nowMs, stopped }: { readonly nowMs: number; readonly stopped: number },
): number {
  if (future === undefined || !hostTraits[future.state].isReached) return slots;
  const unused = Math.max(0, slots - used);
  const reset = withResetting(future, nowMs, reservation.handoverSeconds * 1000);
  return Math.min(slots, unused - Math.min(unused, usableNow(reset, reservation, nowMs)) + stopped);
}

/** How many of its slots without an instance are to be promised on another host. */
export function toMove(
  future: HostFuture | undefined,
  { slots, used }: ReservedSlots,
  reservation: Reservation,
  nowMs: number,
): number {
  const unused = Math.max(0, slots - used);
  if (future === undefined || unused === 0) return unused;
  const stay = stayOf(reservation, nowMs);
  // After its maintenance it accepts instances as before.
  const willAccept = future.state === maintenanceMode && stay.fromMs > nowMs;
  const accepts = hostTraits[future.state].acceptsInstances || willAccept;
  if (!accepts || isInMaintenance(future, stay)) return unused;
  const others = before(future.host.promised ?? [], reservation.id);
  const room = roomDuring(withResetting(future, nowMs, stay.handoverMs), stay, others);
  return unused - Math.min(unused, howManyFit(room, reservation.product));
}

/** Of the promises of a host, those that have their slots before this one. They are in order of their begin, and then of their ids. */
export function before(promised: readonly Promised[], reservation: string): Promised[] {
  const at = promised.findIndex((one) => one.reservation === reservation);
  return at < 0 ? [...promised] : promised.slice(0, at);
}
