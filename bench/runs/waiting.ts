// `waiting`: 10,000 launches that wait, on a fleet whose GPUs are all taken. Instances are terminated one at a time, and the
// time counts from the commit that frees the GPU to the commit that places the head of its line, both of the database
// (track_commit_timestamp). And the CPU of the server and PostgreSQL at rest, with them and before they came.

import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Stage } from "../bench.ts";
import type { PlannedRequest } from "../load/plan.ts";
import { shown } from "../output.ts";
import type { Service } from "../service/service.ts";
import { type Figure, figureOf, percentile } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { gpusPerHost, productName, waitingWorld } from "../worlds/catalog.ts";
import { type Customer, marketplace } from "../worlds/customers.ts";
import { settled } from "../worlds/settle.ts";
import { type Commit, commitsSince, trackCommits } from "./commits.ts";
import { spreadLaunches } from "./launching.ts";

/** Launches of one GPU, and of a whole host, which come after them. */
const [SINGLE, WHOLE] = [9_000, 1_000];
/** GPUs freed in a round. */
const ROUND = 40;
const CALM_SECONDS = 20;
const WINDOWS = 3;
const [{ regions }] = waitingWorld.hosts as readonly [(typeof waitingWorld.hosts)[number]];

export async function waiting(bench: Bench): Promise<Result> {
  if (!bench.effort.largeWorld) return { name: "waiting", missing: "left out of --quick: run bench:scale" };
  const stage = await bench.stage("waiting");
  const { service } = stage;
  await trackCommits(service);
  await takeAllGpus(bench, stage);
  const without = await watched(service, bench.effort.watchSeconds / 2);
  const began = performance.now();
  await beginWaits(bench, stage);
  bench.say(`${SINGLE + WHOLE} wait after ${shown((performance.now() - began) / 1000)} s`);
  const withThem = await watched(service, bench.effort.watchSeconds / 2);
  const rounds: number[][] = [];
  for (let round = 0; round <= bench.effort.rounds; round++) {
    const times = await freed(stage);
    // The first one warms up.
    if (round > 0) rounds.push(times);
  }
  const of = (percent: number): Figure => figureOf(rounds.map((one) => percentile(one, percent)));
  const [before, after] = [without, withThem].map(({ server, database }) => mean(server) + mean(database));
  const both = ({ server, database }: Watched) => `${shown(mean(server))} + ${shown(mean(database))} %`;
  return {
    name: "waiting",
    figures: {
      p50: of(50),
      p99: of(99),
      "at rest": { ...figureOf(extra(withThem, without)), median: (after ?? 0) - (before ?? 0) },
    },
    notes: [
      `${SINGLE} for one GPU and, behind them, ${WHOLE} for a host of ${gpusPerHost}, in 12 lines (2 sizes, ${waitingWorld.models.length} models, ${regions.length} regions) of ${stage.customers.length} accounts; ${rounds.flat().length} GPUs freed one at a time, the longest ${shown(Math.max(...rounds.flat()))} ms`,
      `at rest, the server and all of PostgreSQL's processes: ${both(withThem)} of a core with them, ${both(without)} without, watched for ${WINDOWS} × ${shown(bench.effort.watchSeconds / 2 / WINDOWS)} s each; the difference of the means counts`,
    ],
  };
}

async function takeAllGpus({ generator }: Bench, { service, customers }: Stage): Promise<void> {
  const requests = spreadLaunches(customers, waitingWorld.models, regions);
  const gpus = gpusPerHost * waitingWorld.hosts.reduce((sum, { count }) => sum + count, 0);
  await generator.run({ ports: [service.ports.main], requests, connections: 16, seconds: 60, mostRequests: gpus });
  await settled(service);
  const [row] = await service.query<{ free: number }>("select sum(free)::integer as free from gpu_pools");
  if (row?.free !== 0) throw new Error(`${row?.free} GPUs are free`);
}

async function beginWaits({ generator }: Bench, { service, customers }: Stage): Promise<void> {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  for (const [gpus, mostRequests] of [
    [1, SINGLE],
    [gpusPerHost, WHOLE],
  ] as const) {
    const requests = waitsOf(customers, gpus, until);
    await generator.run({ ports: [service.ports.main], requests, connections: 48, seconds: 900, mostRequests });
  }
  const [row] = await service.query<{ waiting: number }>(
    "select count(*)::integer as waiting from waiting_launches where state = 'waiting'",
  );
  if (row?.waiting !== SINGLE + WHOLE) throw new Error(`${row?.waiting} launches wait`);
  await service.query("vacuum analyze");
}

/** For every customer in turn, every model in every region in turn. */
function waitsOf(customers: readonly Customer[], gpus: number, until: string): PlannedRequest[] {
  const places = waitingWorld.models.flatMap((model) => regions.map((region) => ({ model, region })));
  return customers.flatMap(({ token }) =>
    places.map(({ model, region }) => ({
      method: "POST",
      path: "/control/v1/instances",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ instance_type: productName(model, gpus), region, wait: { until } }),
    })),
  );
}

/** Frees GPUs one at a time. Milliseconds of each. */
async function freed({ service, customers }: Stage): Promise<number[]> {
  const tokens = new Map(customers.map(({ accountId, token }) => [accountId, token]));
  const times: number[] = [];
  for (let one = 0; one < ROUND; one++) {
    await settled(service);
    const [row] = await service.query<{ id: string; account: string; now: string }>(
      `select id, account_id as account, clock_timestamp()::text as now from instances where state = 'active' order by random() limit 1`,
    );
    if (row === undefined) throw new Error("no instance is active");
    const path = `${marketplace}/instance-operations/terminate`;
    await service.call("POST", path, tokens.get(row.account) ?? "", { instance_ids: [row.id] });
    const commits = await untilPlaced(service, row.now);
    const at = (type: string) => commits.find((commit) => commit.type === type)?.at ?? Number.NaN;
    times.push(at("launch.placed") - at("instance.terminated"));
  }
  if (times.some(Number.isNaN)) throw new Error("a GPU was not freed by the end of its instance");
  return times;
}

async function untilPlaced(service: Service, since: string): Promise<readonly Commit[]> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const commits = await commitsSince(service, since);
    if (commits.some(({ type }) => type === "launch.placed")) return commits;
    if (Date.now() > deadline) throw new Error("a GPU is free, and no launch was placed");
    await sleep(20);
  }
}

interface Watched {
  /** In % of a core, of each window. */
  readonly server: readonly number[];
  readonly database: readonly number[];
}

async function watched(service: Service, watchSeconds: number): Promise<Watched> {
  await service.restart();
  await sleep(CALM_SECONDS * 1000);
  const seconds = watchSeconds / WINDOWS;
  const [server, database]: [number[], number[]] = [[], []];
  for (let window = 0; window < WINDOWS; window++) {
    const before = [await service.cpuSeconds(), await service.databaseSeconds()] as const;
    await sleep(seconds * 1000);
    server.push((100 * ((await service.cpuSeconds()) - before[0])) / seconds);
    database.push((100 * ((await service.databaseSeconds()) - before[1])) / seconds);
  }
  return { server, database };
}

/** Of each window with them, beyond the one without. */
function extra(withThem: Watched, without: Watched): number[] {
  const all = ({ server, database }: Watched) => server.map((cpu, window) => cpu + (database[window] ?? 0));
  const before = all(without);
  return all(withThem).map((cpu, window) => cpu - (before[window] ?? 0));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
