// `openstack`: the cost of a server with 2,000 instances in a cloud of OpenStack, at rest, and what it costs the cloud. The
// cloud is the lab of test/openstack: real services, whose database has 250 more hosts and 2,000 servers. Nothing runs on
// these hosts, and the lab's services share the machine with what is measured.

import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type StartedLab, startLab } from "../../../test/openstack/lab/lab.ts";
import type { Bench } from "../../bench.ts";
import { shown } from "../../output.ts";
import type { ApiRequest } from "../../service/api-requests.ts";
import { Service } from "../../service/service.ts";
import { figureOf } from "../../statistics.ts";
import type { Result } from "../../verdict.ts";
import { lastResync } from "../../worlds/settle.ts";
import { cloudSettings, engine, fill } from "./cloud.ts";
import type { ResyncReport } from "./resync-program.ts";

/** With the one that is launched, 2,000. */
const size = { hosts: 250, perHost: 8, servers: 1999 };
const WINDOWS = 3;
/** The first resync and the start are over by then. */
const CALM_SECONDS = 20;

export async function openstack(bench: Bench): Promise<Result> {
  const { effort } = bench;
  if (!effort.largeWorld) return { name: "openstack", missing: "left out of --quick: run bench:scale" };
  await bench.pauseStages();
  let started: StartedLab;
  try {
    started = await startLab({ log: (line) => bench.say(line) });
  } catch (error) {
    return { name: "openstack", missing: error instanceof Error ? error.message : String(error) };
  }
  const { lab, stop } = started;
  bench.own({ [Symbol.asyncDispose]: stop });
  const directory = join(bench.directory, "openstack");
  await mkdir(directory, { mode: 0o711 });
  const requestsFile = join(directory, "requests");
  const count = new URL(`../../service/count-requests.ts?to=${requestsFile}`, import.meta.url);
  const settings = cloudSettings(lab);
  const service = await Service.start({
    directory,
    nodeOptions: [...bench.nodeOptions, `--import=${count}`],
    settings: { openstack: [settings] },
  });
  bench.own(service);
  bench.say("filling the cloud");
  await fill(lab, service, size);
  const atRest = await watched(service, requestsFile, effort.watchSeconds);
  const reports = await resyncs(service, settings, effort.repeats);
  await service.down();
  await stop();
  const each = (of: (report: ResyncReport) => number) => figureOf(reports.map(of));
  return {
    name: "openstack",
    figures: {
      resync: each(({ resync }) => resync.seconds),
      blocked: each(({ resync }) => resync.blockedMs),
      "requests of a resync": each(({ resync }) => resync.requests.length),
      ...atRest.figures,
    },
    notes: [
      ...atRest.notes,
      `parts of a resync: hosts ${shown(each(({ hosts }) => hosts.seconds).median)} s, ${each(({ hosts }) => hosts.requests.length).median} requests; list ${shown(each(({ list }) => list.seconds).median)} s, ${each(({ list }) => list.requests.length).median} requests; the rest is Lessor's`,
      `its requests: ${paths(reports.at(-1)?.resync.requests ?? [])}`,
      `a poll of changes takes ${shown(figureOf(reports.flatMap(({ polls }) => polls.map(({ ms }) => ms))).median)} ms`,
      `${size.hosts} hosts whose 8 GPUs and all vCPUs are rented; the cloud's services are on the same machine, Nova's all in one process`,
    ],
  };
}

async function watched(service: Service, requestsFile: string, seconds: number) {
  await service.restart();
  const atStart = await lastResync(service, engine);
  for (const deadline = performance.now() + 300_000; (await lastResync(service, engine)) === atStart; ) {
    if (performance.now() > deadline) throw new Error("the engine was not resynced within five minutes");
    await sleep(500);
  }
  await sleep(CALM_SECONDS * 1000);
  const [cpu, database, memory, calls]: [number[], number[], number[], number[]] = [[], [], [], []];
  const resyncs = new Set([await lastResync(service, engine)]);
  const all: ApiRequest[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const before = [await service.cpuSeconds(), await service.databaseSeconds(), performance.now()] as const;
    const from = (await requestsIn(requestsFile)).length;
    const end = performance.now() + (seconds * 1000) / WINDOWS;
    while (performance.now() < end) {
      resyncs.add(await lastResync(service, engine));
      await sleep(1000);
    }
    const elapsed = (performance.now() - before[2]) / 1000;
    cpu.push((100 * ((await service.cpuSeconds()) - before[0])) / elapsed);
    database.push((100 * ((await service.databaseSeconds()) - before[1])) / elapsed);
    memory.push(await service.residentMb());
    const sent = (await requestsIn(requestsFile)).slice(from);
    calls.push((60 * sent.length) / elapsed);
    all.push(...sent);
  }
  await refuseDrift(service);
  const resynced = resyncs.size - 1;
  if (resynced === 0) throw new Error("the engine was never resynced: this was no server at its ordinary rest");
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  return {
    figures: {
      // The means of the windows: resyncs are part of it, and come rarely.
      CPU: { ...figureOf(cpu), median: mean(cpu) },
      memory: figureOf(memory),
      "API calls": { ...figureOf(calls), median: mean(calls) },
    },
    notes: [
      `watched for ${WINDOWS} × ${shown(seconds / WINDOWS)} s, with ${resynced} full resyncs in it; PostgreSQL takes ${shown(mean(database))} % of a core besides`,
      `API calls at rest: ${paths(all)}`,
    ],
  };
}

/** The cloud and Lessor agree, so what was measured is rest. */
async function refuseDrift(service: Service): Promise<void> {
  const [row] = await service.query<{ rented: number; due: number }>(
    `select count(*) filter (where state = 'active' and health = 'ok')::integer as rented,
       count(next_look_at)::integer as due from instances`,
  );
  if (row?.rented !== size.servers + 1 || row.due !== 0) throw new Error(`it is not at rest: ${JSON.stringify(row)}`);
}

async function resyncs(service: Service, settings: object, times: number): Promise<readonly ResyncReport[]> {
  await service.pause();
  try {
    const program = join(import.meta.dirname, "resync-program.ts");
    const args = [program, service.databaseUrl(), JSON.stringify(settings), String(times)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
    return JSON.parse(stdout) as ResyncReport[]; // what the program writes
  } finally {
    await service.resume();
  }
}

async function requestsIn(file: string): Promise<readonly ApiRequest[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ApiRequest); // what count-requests.ts writes
}

/** How many there are of each path, and how long they take in the median. */
function paths(requests: readonly ApiRequest[]): string {
  const byPath = Map.groupBy(requests, ({ method, path }) => `${method} ${path.replaceAll(/[0-9a-f-]{32,36}/g, "…")}`);
  return [...byPath]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([path, all]) => `${all.length} × ${path} (${shown(figureOf(all.map(({ ms }) => ms)).median)} ms)`)
    .join(", ");
}
