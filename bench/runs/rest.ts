// `rest`: the cost of an idle server, new and without an instance, and with 100,000 instances and a year of work behind it.
// CPU and memory are the kernel's numbers for the server's
// process; PostgreSQL's are also reported. Queries are counted in PostgreSQL's own log, in a separate window, because
// writing that log may cost the server CPU.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../src/database/connect.ts";
import { maintain, yearOfEvents, yearOfInstances } from "../../test/support/year-of-work.ts";
import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import { cpuSeconds, residentMb } from "../service/process-figures.ts";
import type { Service } from "../service/service.ts";
import { type Figure, figureOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { lastResync } from "../worlds/settle.ts";
import { countQueries } from "./query-log.ts";

/** Earlier work (a start, a new dataset) is over by then. */
const CALM_SECONDS = 20;
const WINDOWS = 3;

export async function rest(bench: Bench): Promise<Result> {
  if (!bench.effort.largeWorld) return { name: "rest", missing: "left out of --quick: run bench:scale" };
  const clean = await watched(bench, (await bench.stage("empty")).service);
  const { service } = await bench.stage("large, full");
  await age(service);
  const old = await watched(bench, service);
  const postmasterMb = await residentMb(await postmasterPid(service));
  const queries = await queriesPerSecond(service, bench.effort.watchSeconds / 2);
  const note = (name: string, { databaseCpu, swept }: Watched) =>
    `${name}: watched for ${WINDOWS} × ${shown(bench.effort.watchSeconds / WINDOWS)} s, with a sweep of the engine in ${swept} of them; CPU is their mean; PostgreSQL's sessions of the service take ${shown(databaseCpu)} % of a core besides`;
  return {
    name: "rest",
    figures: {
      "clean, CPU": clean.cpu,
      "clean, memory": clean.memory,
      CPU: old.cpu,
      memory: old.memory,
      queries,
    },
    notes: [note("clean", clean), `${note("a year old", old)}, its postmaster ${shown(postmasterMb)} MB`],
  };
}

interface Watched {
  /** In % of a core: the mean of the windows, not the median, since full resyncs are part of idling, and a window may have none. */
  readonly cpu: Figure;
  /** In MB. */
  readonly memory: Figure;
  readonly databaseCpu: number;
  readonly swept: number;
}

async function watched(bench: Bench, service: Service): Promise<Watched> {
  // A service that was paused counts the pause as the duration of its last full resync, and waits as long before the
  // next: its cost then is not representative.
  await service.restart();
  await sleep(CALM_SECONDS * 1000);
  const seconds = bench.effort.watchSeconds / WINDOWS;
  const [cpu, databaseCpu, memory]: [number[], number[], number[]] = [[], [], []];
  let swept = 0;
  for (let window = 0; window < WINDOWS; window++) {
    const before = [await service.cpuSeconds(), await backendSeconds(service), await lastResync(service)] as const;
    await sleep(seconds * 1000);
    cpu.push((100 * ((await service.cpuSeconds()) - before[0])) / seconds);
    databaseCpu.push((100 * Math.max(0, (await backendSeconds(service)) - before[1])) / seconds);
    memory.push(await service.residentMb());
    if ((await lastResync(service)) !== before[2]) swept += 1;
  }
  if (swept === 0) throw new Error("the engine was never swept meanwhile: this was no server at its ordinary rest");
  return {
    cpu: { ...figureOf(cpu), median: mean(cpu) },
    memory: figureOf(memory),
    databaseCpu: mean(databaseCpu),
    swept,
  };
}

/** Gives it the rows that a year of work leaves behind: 300 launches a day. */
async function age(service: Service): Promise<void> {
  const [one] = await service.query<{ id: string; account_id: string }>(
    "select id, account_id from instances where state = 'active' limit 1",
  );
  if (one === undefined) throw new Error("BUG: the dataset has no instances");
  const db = connect({ url: service.databaseUrl(), maxConnections: 1, statementTimeoutMs: 600_000 });
  try {
    await yearOfEvents(db, one.account_id, 500_000);
    await yearOfInstances(db, one.id, 100_000);
    await maintain(db);
  } finally {
    await db.destroy();
  }
  await service.query("vacuum analyze");
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** CPU of the service's open sessions. */
async function backendSeconds(service: Service): Promise<number> {
  const rows = await service.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> 'bench'",
  );
  const each = await Promise.all(rows.map(({ pid }) => cpuSeconds(pid).catch(() => 0)));
  return each.reduce((sum, one) => sum + one, 0);
}

async function postmasterPid(service: Service): Promise<number> {
  return Number.parseInt(await readFile(join(service.dataDirectory, "postgres/data/postmaster.pid"), "utf8"), 10);
}

/** Counts for this time. PostgreSQL must be restarted to write its log into a file for it. */
async function queriesPerSecond(service: Service, seconds: number): Promise<Figure> {
  await service.query("alter system set logging_collector = on");
  await service.query("alter system set log_filename = 'bench.log'");
  await service.restart();
  await sleep(CALM_SECONDS * 1000);
  const log = join(service.dataDirectory, "postgres/data/log/bench.log");
  await service.query("alter system set log_statement = 'all'");
  await service.query("select pg_reload_conf()");
  const from = (await readFile(log)).length;
  await sleep(seconds * 1000);
  const text = (await readFile(log)).subarray(from).toString();
  await service.query("alter system reset log_statement");
  await service.query("select pg_reload_conf()");
  return figureOf([countQueries(text) / seconds]);
}
