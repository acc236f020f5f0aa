// Hosts and products by chance, small enough that they often fit exactly, and often just do not. For property tests.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import type { Room } from "../../src/rental/capacity/requirements.ts";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import { fc } from "./properties.ts";

export const models = ["A100", "H100"] as const;
export const regionNames = ["east", "north", "west"] as const;

export interface RandomHost {
  readonly region: string;
  readonly cordoned: boolean;
  readonly available: boolean;
  readonly freeVcpus: number;
  readonly freeMemoryGib: number;
  readonly freeStorageGb: number;
  /** Free GPUs by model; a model that is absent has no pool. */
  readonly freeGpus: Readonly<Partial<Record<string, number>>>;
}

/** Mostly enough for one of a product below, for with four things short at once nothing is told about any of them. */
const few = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 4, max: 9 }) }, fc.integer({ min: 0, max: 9 }));
const seldom = fc.integer({ min: 0, max: 7 }).map((n) => n === 7);

export const anyHost: fc.Arbitrary<RandomHost> = fc.record({
  region: fc.constantFrom(...regionNames),
  cordoned: seldom,
  available: seldom.map((away) => !away),
  freeVcpus: few,
  freeMemoryGib: few,
  freeStorageGb: few,
  freeGpus: fc.record(Object.fromEntries(models.map((model) => [model, fc.nat(5)])), { requiredKeys: [] }),
});

const some = fc.integer({ min: 1, max: 4 });

export const anyProduct: fc.Arbitrary<InstanceType> = fc
  .tuple(fc.constantFrom(null, ...models), some, some, some, some)
  .map(([gpuModel, gpus, vcpus, memoryGib, storageGb]) => ({
    name: `${gpuModel}-${gpus}-${vcpus}-${memoryGib}-${storageGb}`,
    description: "by chance",
    gpuModel,
    gpuDescription: "",
    gpus: gpuModel === null ? 0 : gpus,
    vcpus,
    memoryGib,
    storageGb,
    priceCentsPerHour: 1,
    spotPriceCentsPerHour: null,
    architecture: "x86_64",
  }));

/** All GPUs of a model that a host has, of which the first is in a NUMA node of its own. */
const gpusOfModel = 5;

/** What requirements.ts judges by. */
export function roomOf(host: RandomHost): Room {
  const pools = Object.entries(host.freeGpus).flatMap(([model, free]) =>
    free ? [[model, { total: gpusOfModel, free, freeByNode: free > 1 ? [1, free - 1] : [1] }] as const] : [],
  );
  return { ...host, gpus: new Map(pools) };
}

export const isOpen = (host: RandomHost): boolean => host.available && !host.cordoned;

/** Writes the host under this name, or over the one that has it. Its totals are 9 of everything but GPUs; it has no GPU rows. */
export async function writeHost(db: Database, name: string, host: RandomHost): Promise<void> {
  await sql`insert into regions (name, description) values (${host.region}, '') on conflict do nothing`.execute(db);
  await sql`insert into hosts (name, engine, region, vcpus, memory_gib, storage_gb,
      free_vcpus, free_memory_gib, free_storage_gb, mode, available)
    values (${name}, 'simulated', ${host.region}, 9, 9, 9,
      ${host.freeVcpus}, ${host.freeMemoryGib}, ${host.freeStorageGb}, ${host.cordoned ? "cordoned" : "up"}, ${host.available})
    on conflict (name) do update set region = excluded.region, free_vcpus = excluded.free_vcpus,
      free_memory_gib = excluded.free_memory_gib, free_storage_gb = excluded.free_storage_gb,
      mode = excluded.mode, available = excluded.available`.execute(db);
  await sql`delete from gpu_pools where host = ${name}`.execute(db);
  await sql`insert into gpu_pools (host, model, total, free)
    select ${name}, model, ${gpusOfModel}::integer, free::integer from jsonb_each_text(${JSON.stringify(host.freeGpus)}) as pool (model, free)
  `.execute(db);
}

/** Gives all hosts a row for each GPU that is free on them, as what takes them needs. */
export async function writeGpus(db: Database): Promise<void> {
  await sql`insert into gpus (host, address, model, memory_gib, numa_node)
    select p.host, p.model || ' ' || number, p.model, 80, case when number = 1 then 0 else 1 end from gpu_pools p, generate_series(1, p.free) number`.execute(
    db,
  );
}
