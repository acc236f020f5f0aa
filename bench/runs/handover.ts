// `handover`: the time that a GPU is away between two tenants beyond what the engine and the helper take: with the policy
// `reset+validate`, and a reset and a validation that take no time. From the commit that ends the instance to the commit
// that offers its GPU again, both of the database (track_commit_timestamp).

import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { shown } from "../output.ts";
import type { Service } from "../service/service.ts";
import { figureOf, percentile } from "../statistics.ts";
import type { Result } from "../verdict.ts";
import { hot, mainWorld } from "../worlds/catalog.ts";
import { marketplace } from "../worlds/customers.ts";
import { cleared, settled } from "../worlds/settle.ts";
import { spreadOnMain } from "./launching.ts";

/** Instances of a round. */
const ROUND = 30;

export async function handover(bench: Bench): Promise<Result> {
  const { service, customers } = await bench.stage("main");
  const [customer] = customers;
  if (customer === undefined) throw new Error("BUG: a dataset without customers");
  await service.query("alter system set track_commit_timestamp = on");
  await service.restart();
  const models = mainWorld.models.filter((model) => model !== hot.model);
  const validation = { image: "bench", vcpus: 1, memory_gib: 1, storage_gb: 1 };
  for (const model of models)
    await service.control("PUT", `/gpu-policies/${model}`, { handover: "reset+validate", validation });
  const order = { requests: spreadOnMain([customer]), connections: 4, mostRequests: ROUND };

  async function launched(): Promise<string[]> {
    await bench.generator.run({ ports: [service.ports.main], ...order, seconds: bench.effort.launchSeconds });
    await settled(service);
    const rows = await service.query<{ id: string }>(
      "select id from instances where account_id = $1 and terminating_at is null",
      [customer?.accountId],
    );
    return rows.map(({ id }) => id);
  }

  async function terminate(ids: readonly string[]): Promise<number[]> {
    const path = `${marketplace}/instance-operations/terminate`;
    await service.call("POST", path, customer?.token ?? "", { instance_ids: ids });
    await untilOffered(service, ids);
    return timesOf(service, ids);
  }

  const calm: number[][] = [];
  const bursts: number[][] = [];
  for (let round = 0; round <= bench.effort.rounds; round++) {
    const times: number[] = [];
    for (const id of await launched()) times.push(...(await terminate([id])));
    const together = await terminate(await launched());
    // The first one warms up.
    if (round === 0) continue;
    calm.push(times);
    bursts.push(together);
  }
  for (const model of models) await service.control("DELETE", `/gpu-policies/${model}`);
  await cleared(service, customers);
  const of = (rounds: readonly number[][], percent: number) => figureOf(rounds.map((one) => percentile(one, percent)));
  return {
    name: "handover",
    figures: { p50: of(calm, 50), p99: of(calm, 99) },
    notes: [
      `instances with one GPU, ended one after the other (${calm.flat().length} in all); ${ROUND} ended at once: p50 ${shown(of(bursts, 50).median)} ms, p99 ${shown(of(bursts, 99).median)} ms`,
    ],
  };
}

/** Resolves when all GPUs of these instances are offered again. Throws after a minute, and if one is quarantined. */
async function untilOffered(service: Service, ids: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const states = await service.query<{ state: string }>(
      `select distinct g.state from gpus g join instances i on i.host = g.host and g.address = any(i.gpu_addresses)
       where i.id = any($1::uuid[])`,
      [ids],
    );
    if (states.every(({ state }) => state === "free")) return;
    if (states.some(({ state }) => state === "quarantined")) throw new Error("a GPU was quarantined");
    if (Date.now() > deadline) throw new Error(`GPUs are ${states.map(({ state }) => state).join(", ")}`);
    await sleep(5);
  }
}

/** Milliseconds, of each GPU. */
async function timesOf(service: Service, ids: readonly string[]): Promise<number[]> {
  const rows = await service.query<{ ms: number }>(
    `select extract(epoch from pg_xact_commit_timestamp(g.xmin) - pg_xact_commit_timestamp(e.xmin))::float8 * 1000 as ms
     from instances i join gpus g on g.host = i.host and g.address = any(i.gpu_addresses)
     join events e on e.subject_id = i.id and e.type = 'instance.terminated'
     where i.id = any($1::uuid[])`,
    [ids],
  );
  if (rows.length === 0) throw new Error("no GPU was handed over");
  return rows.map(({ ms }) => ms);
}
