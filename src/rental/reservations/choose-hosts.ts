// Hosts for the slots of a reservation: those that surely have the capacity during all of its time, the best first as for
// launches. Used for new reservations (admit.ts), for those whose hosts stopped accepting instances (replan.ts), and to
// say when one would fit that does not.
//
// Invariant: a host that an earlier waiting launch could use now, or that is kept for one, is not chosen. What is chosen
// without locks is only a proposal, and is chosen again on locked hosts.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { futuresOf, type HostFuture, isInMaintenance, roomDuring, type Stay } from "../capacity/host-future.ts";
import type { HostOrder } from "../capacity/host-order.ts";
import { linesNow, mayTake } from "../capacity/line.ts";
import { noRoom } from "../capacity/promised.ts";
import { fill, howManyFit, type Room } from "../capacity/requirements.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import type { InstanceType } from "../instances/instance.ts";

/** What is wanted of hosts. */
export interface SlotsWanted {
  readonly product: InstanceType;
  /** Undefined: the best one. */
  readonly region: string | undefined;
  readonly quantity: number;
  readonly stay: Stay;
  /** How long a boot takes at most. */
  readonly bootSeconds: number | undefined;
  /** Only these hosts. */
  readonly among?: readonly string[] | undefined;
  /** Not these hosts. */
  readonly except?: ReadonlySet<string> | undefined;
}

/** Hosts read at a time: some have kilobytes of GPUs and instances. */
const PAGE = 500;

/**
 * What is known of all hosts that might do, as of now: that accept instances, are large enough, and are of no use for an
 * earlier waiting launch. Scans those of the region.
 */
export async function candidatesFor(
  db: Database,
  { product, region, among, except = new Set(), bootSeconds }: Omit<SlotsWanted, "quantity" | "stay">,
): Promise<HostFuture[]> {
  const { rows } = await sql<{ name: string }>`
    select h.name from hosts h
    where ${acceptsInstances(sql`h.state`)} and h.earmarked_for is null
      and (${region ?? null}::text is null or h.region = ${region ?? null})
      and (${among ?? null}::text[] is null or h.name = any(${among ?? null}::text[]))
      and h.vcpus >= ${product.vcpus} and h.memory_gib >= ${product.memoryGib} and h.storage_gb >= ${product.storageGb}
      and (${product.gpuModel}::text is null or exists (
        select from gpu_pools p where p.host = h.name and p.model = ${product.gpuModel} and p.total >= ${product.gpus}))
    order by h.name`.execute(db);
  const names = rows.map(({ name }) => name).filter((name) => !except.has(name));
  const futures: HostFuture[] = [];
  for (let at = 0; at < names.length; at += PAGE)
    futures.push(...(await futuresOf(db, names.slice(at, at + PAGE), bootSeconds)));
  const lines = await ask(db, linesNow);
  return futures.filter(({ host }) => mayTake(host, {}, lines));
}

/** What of the candidate one can have for all of its time. */
export function slotRoom(future: HostFuture, stay: Stay): Room {
  return isInMaintenance(future, stay) ? noRoom : roomDuring(future, stay);
}

/**
 * How many slots of each host, by name, all in one region. Undefined: there are not enough, in any region. `isPart`: as
 * many as there are will do, in one region.
 */
export function chooseHosts(
  order: HostOrder,
  candidates: readonly HostFuture[],
  wanted: SlotsWanted,
  isPart = false,
): ReadonlyMap<string, number> | undefined {
  const { product, quantity, stay } = wanted;
  const compare = order.comparator(product);
  const offered = candidates
    .map((future) => ({ ...slotRoom(future, stay), name: future.host.name, region: future.host.region }))
    .filter((room) => howManyFit(room, product) > 0)
    .sort(compare);
  for (const region of new Set(offered.map((one) => one.region))) {
    const here = offered.filter((one) => one.region === region);
    const most = here.reduce((sum, room) => sum + howManyFit(room, product), 0);
    const taken = fill(here, (room) => room, product, isPart ? Math.min(quantity, most) : quantity);
    if (taken !== undefined) return new Map([...taken].map(([{ name }, slots]) => [name, slots]));
  }
  return undefined;
}
