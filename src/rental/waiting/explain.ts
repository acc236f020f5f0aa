// Explains in words what a waiting launch waits for: what is before it, what the hosts of each region have, which are kept
// for it, and which GPUs are expected back. Used by the control interface for one launch.
//
// Invariant: it tells customers nothing of hosts or of other accounts but numbers, as lists of instance types do.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { holdingBlocker } from "../../rules/waiting-launches.ts";
import type { HostBound, OrderedHost } from "../capacity/host-order.ts";
import { longestBootMs, mayTake, roomFor } from "../capacity/line.ts";
import { noRoom } from "../capacity/promised.ts";
import type { Room } from "../capacity/requirements.ts";
import { instanceTypesNamed } from "../catalog/instance-type-store.ts";
import { readReturning } from "../gpus/returning.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";
import { evictedFor } from "./waiting-store.ts";

/** Sentences, the most important first; none if it is over. */
export async function explainWait(db: Database, service: Service, launch: WaitingLaunch): Promise<string[]> {
  const { blockedBy, blockedMessage } = launch;
  if (blockedBy === null || blockedMessage === null) return [];
  const product = (await ask(db, instanceTypesNamed(db, [launch.instanceType]))).get(launch.instanceType);
  if (blockedBy !== holdingBlocker || product === undefined) return [blockedMessage];
  return [
    blockedMessage,
    ...placeInLine(launch, product),
    ...(await keptFor(db, launch)),
    ...(await regionByRegion(db, service, launch, product)),
    ...(await returning(db, launch, product)),
  ];
}

function placeInLine({ ahead }: WaitingLaunch, { gpuModel }: InstanceType): string[] {
  if (ahead === null || ahead === 0) return [];
  const like = gpuModel === null ? "without GPUs" : `for GPUs of model ${gpuModel}`;
  return [ahead === 1 ? `One launch ${like} comes before it.` : `${ahead} launches ${like} come before it.`];
}

/**
 * Hosts that are kept so that smaller launches do not take each GPU as it becomes free (earmarks.ts): one by one, and all
 * of them at once where spot instances are evicted for it (spot/settle.ts).
 */
async function keptFor(db: Database, { id, quantity, expectedAt }: WaitingLaunch): Promise<string[]> {
  const { rows } = await sql<{ kept: number; areAll: boolean }>`
    select (select count(*) from hosts where earmarked_for = waiting_launches.id)::integer as kept,
      exists (${evictedFor}) as "areAll"
    from waiting_launches where id = ${id}`.execute(db);
  const { kept, areAll } = rows[0] ?? { kept: 0, areAll: false };
  if (kept === 0)
    return expectedAt === null ? [] : [`By when other instances end, it is expected to fit at ${moment(expectedAt)}.`];
  const hosts = kept === 1 ? "A host is" : `${areAll ? kept : `${kept} of ${quantity}`} hosts are`;
  const when = expectedAt === null ? "when it is free is not known" : `expected to be free at ${moment(expectedAt)}`;
  return [`${hosts} kept for it, ${when}.`];
}

interface RegionNow {
  readonly region: string;
  /** Whether it has hosts that could have room some day. */
  readonly couldFit: boolean;
  /** The most free GPUs of the model on one host. */
  readonly most: number;
}

async function regionByRegion(
  db: Database,
  { capacity, limits }: Service,
  launch: WaitingLaunch,
  product: InstanceType,
): Promise<string[]> {
  const { quantity, position, isSpot } = launch;
  const { bound, endsMs } = await lineOf(db, launch, longestBootMs(limits.bootSeconds));
  await capacity.refresh();
  const { order } = capacity;
  const fits = (roomOf: (host: OrderedHost) => Room) =>
    new Map(order.capacityByRegion(product, quantity, bound, roomOf).map((one) => [one.region, one.fits] as const));
  const turn = { position, endsMs, isSpot };
  const all = fits((host) => host);
  const open = fits((host) => (mayTake(host, turn, order.lines) ? host : noRoom));
  const own = fits((host) => roomFor(host, turn, order.lines));
  const regions = await regionsNow(db, launch, product);
  return regions.map(({ region, couldFit, most }) => {
    const [here, unkept, left] = [all.get(region) ?? 0, open.get(region) ?? 0, own.get(region) ?? 0];
    const instances = quantity === 1 ? "it" : `all ${quantity} instances`;
    if (here >= quantity && unkept < quantity)
      return `Region ${region} has room for ${instances}, which launches before it wait for.`;
    if (here >= quantity && left < quantity)
      return `Region ${region} has room for ${instances}, which is promised to reservations.`;
    if (here >= quantity) return `Region ${region} has room for ${instances}.`;
    if (here > 0) return `Region ${region} has room for ${here} of ${quantity} instances.`;
    if (!couldFit) return `Region ${region} has no host for this instance type that accepts instances.`;
    const free = product.gpus === 0 ? "" : `; the most free GPUs on one host are ${most} of ${product.gpus}`;
    return `No host in region ${region} has room for an instance${free}.`;
  });
}

/** Its hosts, and when its instances would end at the latest if it were placed now; undefined: not known. */
async function lineOf(
  db: Database,
  { id }: WaitingLaunch,
  bootMs: number,
): Promise<{ readonly bound: HostBound; readonly endsMs: number | undefined }> {
  const { rows } = await sql<{ bound: HostBound; seconds: number | null }>`
    select l.bound, w.max_lifetime_seconds as seconds
    from waiting_launches w join launch_lines l on l.id = w.line_id where w.id = ${id}`.execute(db);
  const seconds = rows[0]?.seconds ?? null;
  return {
    bound: rows[0]?.bound ?? {},
    endsMs: seconds === null ? undefined : Date.now() + seconds * 1000 + bootMs,
  };
}

/** Of the regions that it can be placed in, by name. */
async function regionsNow(
  db: Database,
  { region }: WaitingLaunch,
  { gpuModel, gpus, vcpus, memoryGib, storageGb }: InstanceType,
): Promise<readonly RegionNow[]> {
  const { rows } = await sql<RegionNow>`
    select r.name as region, coalesce(max(p.free), 0)::integer as most,
      coalesce(bool_or(h.vcpus >= ${vcpus} and h.memory_gib >= ${memoryGib} and h.storage_gb >= ${storageGb}
        and (${gpuModel}::text is null or p.total >= ${gpus})), false) as "couldFit"
    from regions r left join hosts h on h.region = r.name and ${acceptsInstances(sql`h.state`)}
    left join gpu_pools p on p.host = h.name and p.model = ${gpuModel}
    where ${region ?? null}::text is null or r.name = ${region ?? null}
    group by r.name order by r.name`.execute(db);
  return rows;
}

async function returning(db: Database, { region }: WaitingLaunch, { gpuModel }: InstanceType): Promise<string[]> {
  if (gpuModel === null) return [];
  const back = await readReturning(db, { model: gpuModel });
  const { rows } = await sql<{ name: string }>`
    select name from regions where ${region ?? null}::text is null or name = ${region ?? null} order by name`.execute(
    db,
  );
  return rows.flatMap(({ name }) =>
    back.of(name, gpuModel).map(({ gpus, backAt }) => {
      const count = gpus === 1 ? "One GPU" : `${gpus} GPUs`;
      const when = backAt === null ? "with no estimate when" : `expected back at ${moment(backAt)}`;
      return `${count} of the model in region ${name} ${gpus === 1 ? "is" : "are"} being reset or validated, ${when}.`;
    }),
  );
}

/** To the minute: they are estimates. */
function moment(at: Date): string {
  return `${at.toISOString().slice(0, 16)}Z`;
}
