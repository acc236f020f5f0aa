// Tests of NVSwitch partitions: a stage with a host of 8 GPUs whose partitions are those of an HGX board, a fabric manager
// that has the faults of public reports, and what must hold whenever a step is over. Used by
// test/reconciler/gpu-partitions*.test.ts.

import { sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { putSimulatedPartitions } from "../../src/engines/simulated/database.ts";
import { type GpuHelper, HelperError, type HelperList, type HelperPartition } from "../../src/gpus/helper.ts";
import { type FailpointRunner, noFailpoints } from "../../src/reconciler/failpoints.ts";
import { GpuPartitions } from "../../src/reconciler/gpu-partitions.ts";
import { type ReconcilerSettings, withDefaults } from "../../src/reconciler/settings.ts";
import { auditCapacity } from "./audit.ts";
import { quiet, type Stage, stageOfFile } from "./stage.ts";

export let stage: Stage;
/** The host with the partitions. */
export let host: string;
export const quick: Partial<ReconcilerSettings> = { resetRetrySeconds: [3600, 3600], resetAttempts: 3 };
export const settings = withDefaults({ ...quiet, ...quick, resetSeconds: 0.3 });

/** A stage with such a host before each test of the file. */
export function beginPartitions(): void {
  stage = stageOfFile();
  beforeEach(async () => {
    host = await stage.host({ gpus: 8 });
    await putSimulatedPartitions(stage.db, host);
  });
}

/** An instance with so many GPUs, launched and not worked on. */
export async function launch(gpus: number) {
  await stage.world.image();
  const { name: instanceType } = await stage.world.product({ gpus });
  const principal = await stage.world.account();
  const { id } = await stage.world.launchOne(principal, { instanceType });
  return { id, principal, gpuAddresses: (await stage.row(id)).gpu_addresses };
}

/** Works on what is due, as a replica does that starts. `helper`: instead of the simulated one; null: there is none. */
export async function work(
  gate: FailpointRunner = noFailpoints,
  helper?: GpuHelper | null,
  own = settings,
): Promise<void> {
  const partitions = new GpuPartitions({
    ...{ db: stage.db, settings: own, log: stage.log, gate, helperOf: () => undefined },
    engine: Object.create(stage.engine(), helper === undefined ? {} : { gpuHelper: { value: helper ?? undefined } }),
  });
  await partitions.begin(new AbortController().signal);
  await partitions.ended();
}

/** What a claim or a retry postpones is due now. */
export async function letTimePass(): Promise<void> {
  await sql`
    update gpu_fabrics set leased_until = now(), due_at = now(), read_at = read_at - interval '1 hour'`.execute(
    stage.db,
  );
  await sql`update gpu_partitions set next_try_at = now()`.execute(stage.db);
  await sql`update gpus set next_try_at = now() where state in ('sanitizing', 'validating')`.execute(stage.db);
}

/** Of the database: each active partition, and whether the fabric manager has confirmed it. */
export async function active(): Promise<
  { addresses: string[]; active_for: string | null; reported: boolean | null }[]
> {
  const { rows } = await sql<{ addresses: string[]; active_for: string | null; reported: boolean | null }>`
    select addresses, active_for, reported from gpu_partitions
    where host = ${host} and (active_for is not null or reported is not false) order by id`.execute(stage.db);
  return rows;
}

/** Of the simulated fabric manager: the addresses of each active partition. */
export async function reallyActive(): Promise<string[][]> {
  const { rows } = await sql<{ addresses: string[] }>`
    select array(select address from simulated.gpus g where g.host = p.host and g.module_id = any(p.modules)
      order by address) as addresses
    from simulated.partitions p where p.host = ${host} and p.active order by id`.execute(stage.db);
  return rows.map(({ addresses }) => addresses);
}

/** The sets of GPUs that an HGX board of the host has. */
export async function predefined(): Promise<string[][]> {
  const { rows } = await sql<{ addresses: string[] }>`
    select addresses from gpu_partitions where host = ${host}`.execute(stage.db);
  return rows.map(({ addresses }) => addresses);
}

/** What the database counts of a pool with partitions is what its GPUs say. */
export async function auditPartitions(): Promise<void> {
  await auditCapacity(stage.db);
  const { rows } = await sql`
    select p.host from gpu_pools p where p.fits is distinct from gpu_fits(p.host, p.model)
    union all select a.host from active_gpus a full join (
      select host, unnest(addresses) as address from gpu_partitions where active_for is not null) b
      on a.host = b.host and a.address = b.address where a.host is null or b.host is null`.execute(stage.db);
  expect(rows).toEqual([]);
}

/** `leaks`: a restart loses its partitions and has another one active, which belongs to none. */
export type FabricFault = "hangs" | "fails" | "fails after" | "wrong module" | "restarts" | "leaks" | "other version";

/** The helper of a host with 8 GPUs whose fabric manager has faults, each for one call. */
export class FaultyFabric implements GpuHelper {
  readonly active = new Set<string>();
  readonly faults: FabricFault[] = [];
  /** Resets of GPUs while their partition was active, and a list had said so. */
  readonly resetWhileActive: string[] = [];
  /** It restarted, and its partitions were not listed since. */
  isUnread = false;
  version = "570.124.06";
  readonly #addresses: readonly string[];
  readonly #partitions: readonly Omit<HelperPartition, "isActive">[];

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
    const sizes = [8, 4, 2, 1];
    const sets = sizes.flatMap((size) =>
      Array.from({ length: 8 / size }, (_, at) => Array.from({ length: size }, (__, gpu) => at * size + gpu + 1)),
    );
    this.#partitions = sets.map((gpus, at) => ({ id: String(at), gpus }));
  }

  /** Addresses of the GPUs of each active partition. Its modules count from the end of the PCI order. */
  get activeGpus(): string[][] {
    return this.#partitions
      .filter(({ id }) => this.active.has(id))
      .map(({ gpus }) => gpus.map((module) => this.#addressOf(module)).sort());
  }

  async list(_host: string, signal: AbortSignal): Promise<HelperList> {
    await this.#meet(signal);
    this.isUnread = false;
    return {
      gpus: this.#addresses.map((address) => ({
        ...{ address, model: "H100", driver: "vfio-pci", resetMethods: ["bus"] },
        moduleId: this.#addresses.length - this.#addresses.indexOf(address),
      })),
      fabricManager: this.version,
      partitions: this.#partitions.map((one) => ({ ...one, isActive: this.active.has(one.id) })),
    };
  }

  async activate(_host: string, partition: string, signal: AbortSignal): Promise<void> {
    const fault = await this.#meet(signal);
    const wanted = this.#partition(partition);
    const isTaken = (one: Omit<HelperPartition, "isActive">) =>
      this.active.has(one.id) && one.id !== partition && one.gpus.some((gpu) => wanted.gpus.includes(gpu));
    const other = this.#partitions.find(isTaken);
    if (other !== undefined) throw new HelperError("partition-conflict", `Partition ${other.id} is active.`);
    if (fault === "wrong module") {
      const wrong = this.#partitions.findLast((one) => one.id !== partition && !this.#overlaps(one));
      if (wrong !== undefined) this.active.add(wrong.id);
      throw new HelperError("fabric-failed", "Another partition was activated.");
    }
    this.active.add(partition);
    if (fault === "fails after") throw new HelperError("deadline", "No answer.");
  }

  async deactivate(_host: string, partition: string, signal: AbortSignal): Promise<void> {
    const fault = await this.#meet(signal);
    this.#partition(partition);
    if (fault === "wrong module") throw new HelperError("fabric-failed", "Nothing was deactivated.");
    this.active.delete(partition);
    if (fault === "fails after") throw new HelperError("deadline", "No answer.");
  }

  async reset(_host: string, addresses: readonly string[]) {
    const used = this.activeGpus.flat();
    if (!this.isUnread) this.resetWhileActive.push(...addresses.filter((address) => used.includes(address)));
    return addresses.map((address) => ({ address, isReset: true, method: "bus", detail: "" }) as const);
  }

  health(): Promise<never> {
    return Promise.reject(new Error("BUG: nothing asks for it"));
  }

  #partition(id: string): Omit<HelperPartition, "isActive"> {
    const found = this.#partitions.find((one) => one.id === id);
    if (found === undefined) throw new HelperError("unknown-partition", `There is no partition ${id}.`);
    return found;
  }

  #overlaps(wanted: Omit<HelperPartition, "isActive">): boolean {
    return this.#partitions.some((one) => this.active.has(one.id) && one.gpus.some((gpu) => wanted.gpus.includes(gpu)));
  }

  #addressOf(module: number): string {
    const address = this.#addresses[this.#addresses.length - module];
    if (address === undefined) throw new Error(`BUG: no GPU has the module id ${module}`);
    return address;
  }

  async #meet(signal: AbortSignal): Promise<FabricFault | undefined> {
    const fault = this.faults.shift();
    if (fault === "hangs") {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(new HelperError("aborted", "It was ended.")), { once: true });
      await promise;
    }
    if (fault === "fails") throw new HelperError("fabric-failed", "The fabric manager does not respond.");
    if (fault === "other version") this.version = "580.65.06";
    if (fault === "restarts" || fault === "leaks") {
      this.active.clear();
      this.isUnread = true;
    }
    if (fault === "leaks") this.active.add("0");
    return fault;
  }
}
