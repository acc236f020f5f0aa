// Reads the facts that a model (model.ts) judges, as they are stored.

import { sql } from "kysely";
import type { Database } from "../../../src/database/connect.ts";
import type { Facts, Sizes } from "./model.ts";

interface Read {
  readonly now: number;
  readonly hosts: readonly {
    readonly name: string;
    readonly region: string;
    readonly accepts: boolean;
    readonly has: Sizes;
    readonly windows: readonly { readonly fromMs: number; readonly untilMs: number }[] | null;
    readonly promised: number;
  }[];
  readonly instances: readonly {
    readonly id: string;
    readonly host: string;
    readonly needs: Sizes;
    readonly ends: number | null;
    readonly reservation: string | null;
    readonly isSpot: boolean;
    readonly evictedFor: string | null;
  }[];
  readonly reservations: readonly {
    readonly id: string;
    readonly account: string;
    readonly region: string;
    readonly type: string;
    readonly state: string;
    readonly quantity: number;
    readonly needs: Sizes;
    readonly from: number;
    readonly until: number;
    readonly started: number | null;
    readonly slots: Readonly<Record<string, number>> | null;
  }[];
  readonly waiting: readonly {
    readonly position: number;
    readonly type: string;
    readonly region: string | null;
    readonly needs: Sizes;
    readonly quantity: number;
    readonly lifetime: number | null;
    readonly until: number;
  }[];
}

/** Throws an error where what is stored contradicts itself. */
export async function readFacts(db: Database): Promise<Facts> {
  const { rows } = await sql<Read>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now,
      (select coalesce(json_agg(json_build_object('name', h.name, 'region', h.region,
          'accepts', h.available and h.mode = 'up', 'promised', h.promised,
          'has', json_build_array(h.vcpus, h.memory_gib, h.storage_gb, (select count(*) from gpus g where g.host = h.name)),
          'windows', (select json_agg(json_build_object('fromMs', extract(epoch from w.begins_at) * 1000,
              'untilMs', extract(epoch from w.ends_at) * 1000))
            from maintenance_windows w where w.host = h.name and w.ended_at is null)) order by h.name), '[]')
        from hosts h) as hosts,
      (select coalesce(json_agg(json_build_object('id', i.id, 'host', i.host, 'reservation', i.reservation_id,
          'isSpot', i.spot and i.terminating_at is null, 'evictedFor', i.evicted_for,
          'needs', json_build_array(i.vcpus, i.memory_gib, i.storage_gb, i.gpus),
          'ends', extract(epoch from coalesce((
            select own.ends_at from reservations own where own.id = i.reservation_id and own.ended_at is null), least(i.terminating_at, coalesce(i.expires_at,
            i.created_at + make_interval(secs => i.max_lifetime_seconds + 600)), i.evict_at))) * 1000) order by i.id), '[]')
        from instances i where i.terminated_at is null) as instances,
      (select coalesce(json_agg(json_build_object('id', r.id, 'account', r.account_id, 'region', r.region,
          'type', r.instance_type, 'state', r.state, 'quantity', r.quantity,
          'needs', json_build_array(r.type -> 'vcpus', r.type -> 'memory_gib', r.type -> 'storage_gb', r.type -> 'gpus'),
          'from', extract(epoch from r.begins_at) * 1000, 'until', extract(epoch from r.ends_at) * 1000,
          'started', extract(epoch from r.started_at) * 1000,
          'slots', (select json_object_agg(rh.host, rh.slots) from reservation_hosts rh where rh.reservation_id = r.id))
          order by r.id), '[]') from reservations r) as reservations,
      (select coalesce(json_agg(json_build_object('position', w.position, 'type', w.instance_type, 'region', w.region,
          'needs', json_build_array(t.vcpus, t.memory_gib, t.storage_gb, t.gpus), 'quantity', w.quantity,
          'lifetime', w.max_lifetime_seconds * 1000, 'until', extract(epoch from w.wait_until) * 1000)), '[]')
        from waiting_launches w join instance_types t on t.name = w.instance_type
        where w.state = 'waiting' and w.blocked_by = 'capacity' and not w.spot) as waiting`.execute(db);
  const [read] = rows;
  if (read === undefined) throw new Error("a select without a from gives a row");
  const facts: Facts = {
    nowMs: read.now,
    hosts: read.hosts.map(({ windows, ...host }) => ({ ...host, windows: windows ?? [] })),
    instances: read.instances.map(({ ends, reservation, evictedFor, ...one }) => ({
      ...one,
      evictedFor: evictedFor ?? undefined,
      endsMs: ends ?? undefined,
      reservation: reservation ?? undefined,
    })),
    reservations: read.reservations.map(({ from, until, started, slots, ...one }) => ({
      ...one,
      fromMs: from,
      untilMs: until,
      startedMs: started ?? undefined,
      slots: new Map(Object.entries(slots ?? {})),
    })),
    waiting: read.waiting.map(({ region, lifetime, until, ...one }) => ({
      ...{ ...one, untilMs: until, region: region ?? undefined, lifetimeMs: lifetime ?? undefined },
    })),
  };
  refuseContradiction(read, facts);
  return facts;
}

function refuseContradiction({ hosts }: Read, { reservations, instances }: Facts): void {
  for (const { id, state, quantity, slots } of reservations) {
    const isOpen = state === "scheduled" || state === "active";
    const all = [...slots.values()].reduce((sum, one) => sum + one, 0);
    if (all !== (isOpen ? quantity : 0)) throw new Error(`${id} is ${state} and has ${all} slots of ${quantity}`);
    const used = instances.filter((one) => one.reservation === id).length;
    if (used > quantity) throw new Error(`${id} has ${used} instances of ${quantity}`);
  }
  for (const { name, promised } of hosts) {
    const all = reservations.reduce((sum, { slots }) => sum + (slots.get(name) ?? 0), 0);
    if (all !== promised) throw new Error(`${name} says that ${promised} slots are promised, and they are ${all}`);
  }
}
