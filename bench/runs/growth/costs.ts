// The costs whose growth with the number of instances is measured, each as one figure of one dataset. Used by million.ts,
// which measures each in every dataset in turn; the chart draws them in this order.

import type { Bench, Stage } from "../../bench.ts";
import type { Effort } from "../../effort.ts";
import type { PlannedRequest } from "../../load/plan.ts";
import { npmStart } from "../../service/npm-start.ts";
import { operatorToken, type Service } from "../../service/service.ts";
import { median } from "../../statistics.ts";
import { type Customer, get, marketplace } from "../../worlds/customers.ts";
import { resyncedSinceStart } from "../../worlds/settle.ts";
import { CALM_CONNECTIONS, calmLaunches } from "../launching.ts";
import { sweeps } from "../sweep.ts";
import { backupSeconds, restoreSeconds } from "./backups.ts";

export interface Cost {
  readonly unit: "ms" | "s" | "MB";
  /** Rounds, after one that only warms up if `warmsUp`. */
  readonly rounds: (effort: Effort) => number;
  readonly warmsUp: boolean;
  readonly measure: (bench: Bench, stage: Stage) => Promise<number>;
}

/** Hosts of a page: fewer than half of the smallest fleet. */
const pageLength = 40;

const once = () => 1;

/** Latencies are medians. */
export const costs = {
  launch: {
    unit: "ms",
    rounds: ({ rounds }) => rounds,
    warmsUp: true,
    measure: async (bench, stage) => (await calmLaunches(bench, stage)).percentileMs(50),
  },
  list: {
    unit: "ms",
    rounds: ({ rounds }) => rounds,
    warmsUp: true,
    measure: (bench, stage) => latency(bench, stage, get(`${marketplace}/instances`, ownerOf(stage))),
  },
  // The control interface caches no responses.
  "list, not cached": {
    unit: "ms",
    rounds: ({ rounds }) => rounds,
    warmsUp: true,
    measure: (bench, stage) => latency(bench, stage, get("/control/v1/instances", ownerOf(stage))),
  },
  "fleet page": {
    unit: "ms",
    rounds: ({ rounds }) => rounds,
    warmsUp: true,
    measure: async (bench, stage) => latency(bench, stage, await fleetPage(stage)),
  },
  resync: {
    unit: "s",
    rounds: once,
    warmsUp: false,
    measure: async ({ effort }, { service }) =>
      median((await sweeps(service, effort.repeats)).map(({ seconds }) => seconds)),
  },
  start: {
    unit: "s",
    rounds: ({ repeats }) => repeats,
    warmsUp: false,
    measure: (_, { service }) => startSeconds(service),
  },
  memory: {
    unit: "MB",
    rounds: once,
    warmsUp: false,
    measure: memoryMb,
  },
  // Of the process that memory was just measured of.
  "memory, peak": { unit: "MB", rounds: once, warmsUp: false, measure: (_, { service }) => service.peakMb() },
  backup: { unit: "s", rounds: once, warmsUp: false, measure: (_, { service }) => backupSeconds(service) },
  restore: { unit: "s", rounds: once, warmsUp: false, measure: (_, { service }) => restoreSeconds(service) },
} as const satisfies Record<string, Cost>;

export type CostName = keyof typeof costs;

export const costNames = Object.keys(costs) as CostName[]; // the record's keys

/** The table's row, without the literal types of its own. */
export function costOf(name: CostName): Cost {
  return costs[name];
}

function ownerOf({ owner }: Stage): Customer {
  if (owner === undefined) throw new Error("BUG: no account of this dataset has instances at rest");
  return owner;
}

async function latency({ generator, effort }: Bench, { service }: Stage, request: PlannedRequest): Promise<number> {
  const ports = [service.ports.main];
  const order = { ports, requests: [request], connections: CALM_CONNECTIONS, seconds: effort.readSeconds };
  return (await generator.run(order)).latencies.percentileMs(50);
}

/** From the middle of the fleet: a page near its beginning would not show what skipping costs. */
async function fleetPage({ service }: Stage): Promise<PlannedRequest> {
  const [row] = await service.query<{ name: string }>(
    "select name from hosts order by name offset (select count(*) / 2 from hosts) limit 1",
  );
  const cursor = Buffer.from(row?.name ?? "").toString("base64url");
  const headers = { authorization: `Bearer ${operatorToken}` };
  return { method: "GET", path: `/control/v1/hosts?limit=${pageLength}&cursor=${cursor}`, headers };
}

/** The resync that follows a start is over before anything else is measured. */
async function startSeconds(service: Service): Promise<number> {
  const { directory, ports, environment } = service;
  await service.down();
  const seconds = await npmStart({ directory, port: ports.main, env: environment });
  await service.up();
  await resyncedSinceStart(service);
  return seconds;
}

/** Right after a start with its full resync and some launches: the capacity of all hosts is in its memory. */
async function memoryMb(bench: Bench, stage: Stage): Promise<number> {
  const { service } = stage;
  await service.restart();
  await resyncedSinceStart(service);
  await calmLaunches(bench, stage);
  return service.residentMb();
}
