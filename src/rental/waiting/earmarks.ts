// Hosts that are kept for waiting launches that fit on no host yet, such as one of 8 GPUs while instances of 1 come and go:
// otherwise each GPU that becomes free would go to a smaller one, and it would wait forever. Used by placer.ts. Those on
// which spot instances are evicted for a launch are kept for it too, whatever its size (spot/settle.ts).
//
// Invariant: a host is kept for one launch at most, and only for the first of a line; only launches behind it are kept
// off, and those that end before it is expected to fit are not. An earmark decides nothing else: the launch is placed
// wherever it fits first.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { inTransaction } from "../../database/transaction.ts";
import { type SpotSettings, spotDefaults } from "../../rules/spot.ts";
import { holdsPlace } from "../capacity/line.ts";
import { instanceTypesNamed } from "../catalog/instance-type-store.ts";
import { returnsByItself } from "../gpus/gpu-sql.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import type { InstanceType } from "../instances/instance.ts";
import { expectedRoom, type RoomWanted } from "./expected-room.ts";

/** The first of a line for which hosts are missing. */
interface First extends RoomWanted {
  readonly id: string;
  readonly quantity: number;
  readonly instanceType: string;
}

/** Keeps hosts for the first of each line. */
export async function keepHosts(db: Database, spot: SpotSettings = spotDefaults): Promise<void> {
  for (const first of await firsts(db)) await keepFor(db, first, spot);
}

/** Whether spot instances are evicted for the launch with this id, or are being removed for it. */
const isEvictedFor = (id: RawBuilder<string>) => sql<boolean>`exists (
  select from instances i where i.evicted_for = ${id} and i.evict_at is not null and i.terminated_at is null)`;

/**
 * Whether the host `h` is kept for a launch that waits no longer for capacity, or accepts nothing now; for one of 1 GPU or
 * none, also when all that was evicted for it is gone, and no GPU returns.
 */
export const isKeptInVain = sql<boolean>`(h.earmarked_for is not null and (not ${acceptsInstances(sql`h.state`)}
  or not exists (
    select from waiting_launches w left join instance_types t on t.name = w.instance_type
    where w.id = h.earmarked_for and ${holdsPlace}
      and (t.gpus > 1 or ${isEvictedFor(sql<string>`w.id`)}
        or exists (select from gpus g where g.host = h.name and ${returnsByItself(sql`g.state`)})))))`;

/** Gives those back. */
export async function giveHostsBack(db: Database): Promise<void> {
  // Locked in order of name, as by launches that wait for hosts.
  await sql`
    with over as (
      select h.name from hosts h where ${isKeptInVain} order by h.name for update)
    update hosts set earmarked_for = null, earmark_position = null, earmark_from = null
    from over where hosts.name = over.name`.execute(db);
}

/** Of launches of several GPUs: one of 1 GPU or none fits wherever one ends. Not of spot, for which nothing is kept. */
async function firsts(db: Database): Promise<First[]> {
  const { rows } = await sql<First>`
    select first.id, first.position, first.quantity, l.instance_type as "instanceType", l.region, l.bound
    from launch_lines l join instance_types t on t.name = l.instance_type and t.gpus > 1 and not l.spot cross join lateral (
      select w.id, w.position, w.quantity from waiting_launches w
      where w.line_id = l.id and ${holdsPlace}
      order by w.position limit 1) first
    where (select count(*) from hosts h where h.earmarked_for = first.id) < first.quantity
      and not ${isEvictedFor(sql<string>`first.id`)}
    order by first.position`.execute(db);
  return rows;
}

async function keepFor(db: Database, first: First, spot: SpotSettings): Promise<void> {
  await inTransaction(db, async (tx) => {
    const product = (await ask(tx, instanceTypesNamed(tx, [first.instanceType]))).get(first.instanceType);
    if (product === undefined) return;
    const kept = await keptNow(tx, first);
    const missing = first.quantity - (kept?.hosts ?? first.quantity);
    if (missing <= 0) return;
    const region = kept?.region ?? first.region;
    await sql`
      with best as (${bestHosts(product, { ...first, region }, missing, spot)}), locked as (
        select h.name from hosts h where h.name in (select name from best) and h.earmarked_for is null
        order by h.name for update)
      update hosts h set earmarked_for = ${first.id}, earmark_position = ${first.position},
        earmark_from = coalesce((select starts_at from waiting_launches where id = ${first.id}), best.since)
      from best, locked where h.name = best.name and h.name = locked.name`.execute(tx);
  });
}

/** Under its lock, so that two replicas keep no hosts twice. Undefined: it does not wait for capacity any more. */
async function keptNow(tx: Transaction, { id }: First): Promise<Kept | undefined> {
  const { rows: waiting } = await sql`
    select from waiting_launches w where w.id = ${id} and ${holdsPlace} for update`.execute(tx);
  if (waiting.length === 0) return undefined;
  const { rows } = await sql<Kept>`
    select count(*)::integer as hosts, min(region) as region from hosts where earmarked_for = ${id}`.execute(tx);
  return rows[0];
}

interface Kept {
  readonly hosts: number;
  /** Null: none is kept. */
  readonly region: string | null;
}

/** Where it is expected to fit first (expected-room.ts), in one region, because all of a launch is in one. */
function bestHosts(product: InstanceType, first: RoomWanted, count: number, { noticeSeconds }: SpotSettings) {
  return sql`
    with ranked as (
      select room.host as name, room.region, room.since, room.free,
        row_number() over (partition by room.region order by room.since nulls last, room.free desc, room.host) as place
      from ${expectedRoom(product, first, noticeSeconds)} room join hosts h on h.name = room.host
      where room.slot = 1 and h.earmarked_for is null
    )
    select name, since from ranked where place <= ${count} and region = (
      select region from ranked where place <= ${count} group by region
      order by count(*) desc, case when bool_and(since is not null) then max(since) end nulls last, sum(free) desc, region
      limit 1)`;
}
