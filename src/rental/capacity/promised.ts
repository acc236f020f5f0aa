// What of a host is promised to reservations, and what room is left for others. The only definition of it: for proposals
// from memory and on locked hosts, for launches, moves and longer lifetimes, and for further reservations.
//
// A launch uses what is free without the unused slots of each reservation that it might still run beside. So whatever is
// free when a reservation begins was left to it, by all that did not surely end before; what a slot frees again is left to
// it too. Invariant: if at each later moment the slots promised for it fit into what is free now, and what surely ends
// before, then they do after a launch that got its room here.
//
// Slots are taken off whole, though less may be free than they need: the rest is to come from instances that end. What
// would be left beside those that fit now is theirs too.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import { instanceTypeOf } from "../catalog/instance-type-store.ts";
import { holdsBoth, secondHost } from "../moving/move-sql.ts";
import { type GpuPool, type Needs, type Room, without } from "./requirements.ts";

/** What a host owes to one reservation. Times in milliseconds since 1970. */
export interface Promised {
  readonly reservation: string;
  readonly fromMs: number;
  /** What has not ended by then leaves it its slots: its begin, less what the host needs between two customers. */
  readonly keptFromMs: number;
  /** Its end, and what the host needs after it. */
  readonly untilMs: number;
  /** Slots without an instance. */
  readonly unused: number;
  /** Of one slot. */
  readonly needs: Needs;
}

/** A host's free capacity, and what of it is promised. */
export interface PromisedRoom extends Room {
  /** In order of their begin. Undefined: nothing. */
  readonly promised?: readonly Promised[] | undefined;
}

export const noRoom: Room = { freeVcpus: 0, freeMemoryGib: 0, freeStorageGb: 0, gpus: new Map() };

/** The room for what ends at `endsMs` at the latest; undefined: not known. */
export function roomUntil(host: PromisedRoom, endsMs = Number.POSITIVE_INFINITY): Room {
  const all = host.promised ?? [];
  const beside = all.filter(({ keptFromMs }) => keptFromMs < endsMs);
  if (beside.length === 0) return host;
  return leastOf(beside.map(({ fromMs }) => less(host, promisedAt(all, fromMs))));
}

/** The room for launches with the reservation: its unused slots, as far as they are free. Others' slots are not in its way. */
export function reservedRoom(host: PromisedRoom, reservation: string): Room {
  const own = host.promised?.find((one) => one.reservation === reservation);
  if (own === undefined) return noRoom;
  const { unused, needs } = own;
  const pool = needs.gpuModel === null ? undefined : host.gpus.get(needs.gpuModel);
  return {
    freeVcpus: Math.min(host.freeVcpus, unused * needs.vcpus),
    freeMemoryGib: Math.min(host.freeMemoryGib, unused * needs.memoryGib),
    freeStorageGb: Math.min(host.freeStorageGb, unused * needs.storageGb),
    gpus:
      needs.gpuModel === null || pool === undefined
        ? new Map()
        : new Map([[needs.gpuModel, ofSlots(pool, needs.gpus, unused)]]),
  };
}

function ofSlots(pool: GpuPool, gpus: number, slots: number): GpuPool {
  const fits = pool.fits && new Map([[gpus, Math.min(pool.fits.get(gpus) ?? 0, slots)]]);
  return { ...pool, free: Math.min(pool.free, slots * gpus), fits };
}

/** The host after `times` instances, which fit, were launched: with a reservation they use its slots. */
export function afterTaking<H extends PromisedRoom>(
  host: H,
  needs: Needs,
  times: number,
  reservation: string | undefined,
): H {
  const promised =
    reservation === undefined
      ? host.promised
      : host.promised?.map((one) => (one.reservation === reservation ? { ...one, unused: one.unused - times } : one));
  return { ...host, ...without(host, needs, times), promised };
}

/** Those whose slots it has at this moment. */
export function promisedAt(all: readonly Promised[], ms: number): Promised[] {
  return all.filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs);
}

/** The room without all of these slots; of what is not enough for them nothing is left. */
export function less(room: Room, promised: readonly Promised[]): Room {
  // The largest first: partitions that enclose others are not broken for them.
  const largestFirst = promised.filter(({ unused }) => unused > 0).sort((a, b) => b.needs.gpus - a.needs.gpus);
  return largestFirst.reduce((left, { needs, unused }) => lessSlots(left, needs, unused), room);
}

function lessSlots(room: Room, needs: Needs, times: number): Room {
  const left = without(room, needs, times);
  const { gpuModel } = needs;
  const [before, after] = gpuModel === null ? [] : [room.gpus.get(gpuModel), left.gpus.get(gpuModel)];
  const gpus = new Map(left.gpus);
  if (gpuModel !== null && before !== undefined && after !== undefined)
    gpus.set(gpuModel, isEnough(before, needs.gpus, times) ? after : nothingOf(before));
  return {
    freeVcpus: Math.max(0, left.freeVcpus),
    freeMemoryGib: Math.max(0, left.freeMemoryGib),
    freeStorageGb: Math.max(0, left.freeStorageGb),
    gpus,
  };
}

function isEnough({ free, fits }: GpuPool, gpus: number, times: number): boolean {
  return fits === undefined ? free >= gpus * times : (fits.get(gpus) ?? 0) >= times;
}

/** GPUs that are free now can be a part of a partition that is to be whole later. */
function nothingOf(pool: GpuPool): GpuPool {
  const fits = pool.fits && new Map([...pool.fits.keys()].map((size) => [size, 0]));
  return { ...pool, free: 0, freeByNode: pool.freeByNode.map(() => 0), fits };
}

/** What fits into each of these rooms of one host, of which there is at least one. */
export function leastOf(rooms: readonly Room[]): Room {
  return rooms.reduce((a, b) => ({
    freeVcpus: Math.min(a.freeVcpus, b.freeVcpus),
    freeMemoryGib: Math.min(a.freeMemoryGib, b.freeMemoryGib),
    freeStorageGb: Math.min(a.freeStorageGb, b.freeStorageGb),
    gpus: new Map([...a.gpus].map(([model, pool]) => [model, leastPool(pool, b.gpus.get(model))])),
  }));
}

function leastPool(a: GpuPool, b: GpuPool | undefined): GpuPool {
  if (b === undefined) return nothingOf(a);
  const fits = a.fits && new Map([...a.fits].map(([size, count]) => [size, Math.min(count, b.fits?.get(size) ?? 0)]));
  return {
    ...{ total: a.total, free: Math.min(a.free, b.free), fits },
    freeByNode: a.freeByNode.map((free, node) => Math.min(free, b.freeByNode[node] ?? 0)),
  };
}

/** How many instances of `reservations r` have capacity of `hosts h`, also as the other host of a move. */
export const usedSlots: RawBuilder<number> = sql<number>`(
  (select count(*) from instances i where i.reservation_id = r.id and i.host = h.name and i.terminated_at is null) + (
    select count(*) from instances i join moves m on m.instance_id = i.id
    where i.reservation_id = r.id and ${holdsBoth} and ${secondHost} = h.name))::integer`;

/** What `hosts h` owes, as JSON; null: nothing. Read with the host, so that it is as old as its free capacity. */
export const promisedOn: RawBuilder<PromisedRow[] | null> = sql<PromisedRow[] | null>`case when h.promised > 0 then (
  select json_agg(json_build_object('reservation', r.id, 'from', extract(epoch from r.begins_at) * 1000,
    'until', extract(epoch from r.ends_at) * 1000, 'handover', r.handover_seconds * 1000,
    'unused', greatest(0, rh.slots - ${usedSlots}), 'type', r.type) order by r.begins_at, r.id)
  from reservation_hosts rh join reservations r on r.id = rh.reservation_id where rh.host = h.name) end`;

export interface PromisedRow {
  reservation: string;
  from: number;
  until: number;
  handover: number;
  unused: number;
  type: Selectable<InstanceTypesTable>;
}

export function promisedFrom(rows: readonly PromisedRow[] | null): readonly Promised[] | undefined {
  return rows?.map(({ reservation, from, until, handover, unused, type }) => ({
    ...{ reservation, unused, needs: instanceTypeOf(type) },
    ...{ fromMs: from, keptFromMs: from - handover, untilMs: until + handover },
  }));
}
