// Hosts for the slots of a reservation: those that surely have the capacity during all of its time, the best first as for
// launches. Used for new reservations (admit.ts), for those whose hosts stopped accepting instances (replan.ts), and to
// say when one would fit that does not.
//
// Invariant: a host that is kept for a waiting launch is not chosen. A new reservation lets no launch wait longer that waits
// already (waiting-places.ts); slots that were promised before move to no host that one could use now. What is chosen without
// locks is only a proposal, and is chosen again on locked hosts.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { ask, type Question, question, together } from "../../database/round-trips.ts";
import { futuresOf, type HostFuture, isInMaintenance, roomDuring, type Stay } from "../capacity/host-future.ts";
import type { HostOrder } from "../capacity/host-order.ts";
import { linesNow, mayTake } from "../capacity/line.ts";
import { leastOf, noRoom } from "../capacity/promised.ts";
import { fill, howManyFit, type Room } from "../capacity/requirements.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type WaitingDemand, waitingDemand } from "./waiting-demand.ts";
import { roomsBeside, type WaitingPlaces, waitingPlaces } from "./waiting-places.ts";

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

/** What is known of all hosts that might do, as of now. */
export interface Candidates {
  readonly futures: readonly HostFuture[];
  /** Of launches that come before a new reservation. Undefined: none waits. */
  readonly waiting?: WaitingPlaces | undefined;
}

type Where = Omit<SlotsWanted, "quantity" | "stay">;

/**
 * Hosts that accept instances, are large enough, and are of no use for a waiting launch now: for slots that were promised
 * before. Scans those of the region.
 */
export async function candidatesFor(db: Database, wanted: Where): Promise<Candidates> {
  const futures = await allFuturesOf(db, await ask(db, namesFor(wanted)), wanted);
  const lines = await ask(db, linesNow);
  return { futures: futures.filter(({ host }) => mayTake(host, {}, lines)) };
}

/** As above, for a new reservation. While launches wait, scans all hosts that they could use too. */
export async function candidatesForNew(
  db: Database,
  wanted: Where,
  delays: Pick<Stay, "handoverMs" | "noticeMs">,
): Promise<Candidates> {
  const [names, demand] = await together(db, [namesFor(wanted), waitingDemand(wanted.bootSeconds)]);
  if (demand === undefined) return { futures: await allFuturesOf(db, names, wanted) };
  const chosen = new Set(names);
  const all = await allFuturesOf(db, [...new Set([...names, ...(await ask(db, namesOfDemand(demand)))])], wanted);
  const futures = all.filter(({ host }) => chosen.has(host.name));
  return { futures, waiting: await waitingPlaces(all, demand, delays) };
}

function namesFor({ product, region, among, except = new Set() }: Where): Question<string[]> {
  const query = sql<{ name: string }>`
    select h.name from hosts h
    where ${acceptsInstances(sql`h.state`)} and h.earmarked_for is null
      and (${region ?? null}::text is null or h.region = ${region ?? null})
      and (${among ?? null}::text[] is null or h.name = any(${among ?? null}::text[]))
      and h.vcpus >= ${product.vcpus} and h.memory_gib >= ${product.memoryGib} and h.storage_gb >= ${product.storageGb}
      and (${product.gpuModel}::text is null or exists (
        select from gpu_pools p where p.host = h.name and p.model = ${product.gpuModel} and p.total >= ${product.gpus}))
    order by h.name`;
  return question(query, (rows) => rows.map(({ name }) => name).filter((name) => !except.has(name)));
}

/** The hosts with GPUs of a model that a launch waits for; if one waits without GPUs, all. */
function namesOfDemand({ demands }: WaitingDemand): Question<string[]> {
  const models = [...new Set(demands.map(({ product }) => product.gpuModel))];
  const query = sql<{ name: string }>`
    select h.name from hosts h where ${acceptsInstances(sql`h.state`)} and (${models.includes(null)} or exists (
      select from gpu_pools p where p.host = h.name and p.model = any(${models}::text[])))`;
  return question(query, (rows) => rows.map(({ name }) => name));
}

async function allFuturesOf(
  db: Database,
  names: readonly string[],
  { bootSeconds }: Pick<Where, "bootSeconds">,
): Promise<HostFuture[]> {
  const futures: HostFuture[] = [];
  for (let at = 0; at < names.length; at += PAGE)
    futures.push(...(await futuresOf(db, names.slice(at, at + PAGE), bootSeconds)));
  return futures;
}

/** What of the candidate one can have for all of its time. `waiting`: launches that come before. */
export function slotRoom(future: HostFuture, stay: Stay, waiting?: WaitingPlaces): Room {
  if (isInMaintenance(future, stay)) return noRoom;
  const room = roomDuring(future, stay);
  return waiting === undefined ? room : leastOf([room, ...roomsBeside(future, stay, waiting)]);
}

/**
 * How many slots of each host, by name, all in one region. Undefined: there are not enough, in any region. `isPart`: as
 * many as there are will do, in one region.
 */
export function chooseHosts(
  order: HostOrder,
  { futures, waiting }: Candidates,
  wanted: SlotsWanted,
  isPart = false,
): ReadonlyMap<string, number> | undefined {
  const { product, quantity, stay } = wanted;
  const compare = order.comparator(product);
  const offered = futures
    .map((future) => ({ ...slotRoom(future, stay, waiting), name: future.host.name, region: future.host.region }))
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
