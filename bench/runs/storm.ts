// `storm`: 1,000 launches sent at once, on as many connections, until all instances are active, with an engine that boots
// in no time; and how long other clients wait meanwhile. From the first launch's transaction to the last observation
// "active", by the database's clock: opening the connections is not in it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Stage } from "../bench.ts";
import type { PlannedRequest } from "../load/plan.ts";
import { shown } from "../output.ts";
import { figureOf, percentile } from "../statistics.ts";
import type { Outcome } from "../verdict.ts";
import { get, marketplace } from "../worlds/customers.ts";
import { cleared, settled } from "../worlds/settle.ts";
import { spreadOnMain } from "./launching.ts";

const LAUNCHES = 1000;
const pauseMs = 5;

export async function storm(bench: Bench): Promise<Outcome> {
  const stage = await bench.stage("storm");
  await oneStorm(bench, stage);
  const storms = [];
  for (let round = 0; round < bench.effort.rounds; round++) storms.push(await oneStorm(bench, stage));
  return {
    name: "storm",
    figures: {
      "all active": figureOf(storms.map(({ seconds }) => seconds)),
      "others, p99": figureOf(storms.map(({ waits }) => percentile(waits, 99))),
    },
    notes: [
      `${LAUNCHES} launches on as many connections, 10 products, 5 regions, ${stage.customers.length} accounts; the last response after ${storms.map(({ answeredMs }) => shown(answeredMs)).join(", ")} ms`,
      `others: a list of an account's instances every ${pauseMs} ms, p50 ${shown(figureOf(storms.map(({ waits }) => percentile(waits, 50))).median)} ms`,
    ],
  };
}

interface Storm {
  readonly seconds: number;
  /** Until the last launch was answered. */
  readonly answeredMs: number;
  /** Milliseconds of each other request until all are active. */
  readonly waits: readonly number[];
}

async function oneStorm({ generator }: Bench, { service, customers }: Stage): Promise<Storm> {
  const [customer] = customers;
  if (customer === undefined) throw new Error("BUG: a world without customers");
  const [before] = await service.query<{ now: string }>("select clock_timestamp()::text as now");
  const others = waitsOf(service.url, get(`${marketplace}/instances`, customer));
  let [answeredMs, waits]: [number, readonly number[]] = [0, []];
  try {
    const load = await generator.run({
      ports: [service.ports.main],
      requests: spreadOnMain(customers),
      connections: LAUNCHES,
      seconds: 60,
      mostRequests: LAUNCHES,
    });
    answeredMs = load.latencies.percentileMs(100);
    await settled(service);
  } finally {
    waits = await others.stop();
  }
  const [row] = await service.query<{ seconds: number; active: number }>(
    `select extract(epoch from max(active_at) - min(created_at))::float8 as seconds, count(active_at)::integer as active
     from instances where created_at >= $1::timestamptz`,
    [before?.now],
  );
  if (row?.active !== LAUNCHES) throw new Error(`${row?.active} of ${LAUNCHES} instances became active`);
  await cleared(service, customers);
  return { seconds: row.seconds, answeredMs, waits };
}

/** Sends the request again and again, until it is stopped. */
function waitsOf(url: string, { path, headers }: PlannedRequest): { stop(): Promise<number[]> } {
  const waits: number[] = [];
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      const began = performance.now();
      const response = await fetch(`${url}${path}`, { headers });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      waits.push(performance.now() - began);
      await sleep(pauseMs);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return waits;
    },
  };
}
