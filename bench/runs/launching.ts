// Rounds of launches on the main dataset: spread over instance types, regions and accounts, or all for one type in one
// region. After a round its instances are terminated and removed before anything else is measured.

import type { Bench, Stage } from "../bench.ts";
import type { Load } from "../load/generator.ts";
import type { Histogram } from "../load/histogram.ts";
import type { PlannedRequest } from "../load/plan.ts";
import { hot, mainWorld, productName, regions, smallWorld } from "../worlds/catalog.ts";
import { type Customer, launch } from "../worlds/customers.ts";
import { cleared } from "../worlds/settle.ts";

export const LAUNCH_CONNECTIONS = 50;
/** Of 3,200 places, evenly taken: a rejection for lack of capacity is no launch. */
const MOST_LAUNCHES = 3000;

/** For every customer in turn, every instance type with one GPU in every region, or "any", in turn. */
export function spreadLaunches(
  customers: readonly Customer[],
  models: readonly string[],
  places: readonly string[] = regions,
): PlannedRequest[] {
  const orders = models.flatMap((model) => places.map((region) => ({ product: productName(model, 1), region })));
  return Array.from({ length: orders.length * customers.length }, (_, i) => {
    const [customer, order] = [customers[i % customers.length], orders[i % orders.length]];
    if (customer === undefined || order === undefined) throw new Error("BUG: nobody to launch, or nothing");
    return launch(customer, order.product, order.region);
  });
}

export function spreadOnMain(customers: readonly Customer[]): PlannedRequest[] {
  return spreadLaunches(
    customers,
    mainWorld.models.filter((model) => model !== hot.model),
  );
}

/** For every customer in turn. */
export function hotLaunches(customers: readonly Customer[]): PlannedRequest[] {
  return customers.map((customer) => launch(customer, productName(hot.model, 1), hot.region));
}

/** Few, so that what is measured is a launch and not a queue. */
export const CALM_CONNECTIONS = 4;
/** Every other launch leaves the region to the service, which then has five times the hosts to choose from. */
const calmPlaces = regions.flatMap((region) => [region, "any"]);
/** Of a model 10 in any region and 2 in each: never more than the 16 places that the small dataset has of it in one. */
const MOST_CALM_LAUNCHES = 200;

/** The latencies of a round on few connections in any dataset but the main one; the instances are removed afterwards. */
export async function calmLaunches(bench: Bench, { service, customers }: Stage): Promise<Histogram> {
  const load = await bench.generator.run({
    ports: [service.ports.main],
    requests: spreadLaunches(customers, smallWorld.models, calmPlaces),
    connections: CALM_CONNECTIONS,
    seconds: bench.effort.launchSeconds,
    mostRequests: MOST_CALM_LAUNCHES,
  });
  await cleared(service, customers);
  return load.latencies;
}

/** One round of these launches, or several for warm-up; the instances are removed afterwards. */
export async function launchRound(
  bench: Bench,
  stage: Stage,
  requests: readonly PlannedRequest[],
  counts: boolean,
  ports: readonly number[] = [stage.service.ports.main],
): Promise<Load> {
  let load = await oneRound(bench, stage, requests, counts, ports);
  for (let round = 1; !counts && round < bench.effort.launchWarmUps; round++) {
    load = await oneRound(bench, stage, requests, counts, ports);
  }
  return load;
}

async function oneRound(
  bench: Bench,
  { service, customers }: Stage,
  requests: readonly PlannedRequest[],
  counts: boolean,
  ports: readonly number[],
): Promise<Load> {
  const { effort, generator } = bench;
  const load = await generator.run({
    ports,
    requests,
    connections: LAUNCH_CONNECTIONS,
    seconds: counts ? effort.launchSeconds : effort.warmUpSeconds,
    mostRequests: MOST_LAUNCHES,
  });
  await cleared(service, customers);
  return load;
}
