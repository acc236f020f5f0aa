// The GPU helper of simulated hosts: it resets GPUs at once, remembers when, and fails by the faults of the simulator. A
// host has a fabric manager if it has partitions. Used by engine.ts.
//
// Invariant: a host that is not alive does nothing, and a GPU that a machine has is not reset. Active partitions share no
// GPU.

import { sql } from "kysely";
import {
  type GpuHelper,
  HelperError,
  type HelperHealth,
  type HelperList,
  type ResetVerdict,
} from "../../gpus/helper.ts";
import { EngineError } from "../engine.ts";
import { countDown, faultsFor } from "./fault-store.ts";
import { effectOf, type Fault } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

interface SeenGpu {
  readonly address: string;
  readonly model: string;
  readonly healthy: boolean;
  readonly module_id: number | null;
  readonly is_held: boolean;
}

interface SeenHost {
  /** Null: there is no such host. */
  readonly alive: boolean | null;
  readonly faults: readonly Fault[] | null;
  readonly gpus: readonly SeenGpu[];
  readonly partitions: HelperList["partitions"];
}

export class SimulatedGpuHelper implements GpuHelper {
  readonly #world: SimulatorDatabase;

  constructor(world: SimulatorDatabase) {
    this.#world = world;
  }

  async list(host: string, signal: AbortSignal): Promise<HelperList> {
    signal.throwIfAborted();
    const { gpus, partitions } = await this.#read(host);
    return {
      gpus: gpus.map(({ address, model, module_id: moduleId }) => ({
        ...{ address, model, moduleId, driver: null },
        resetMethods: ["function"],
      })),
      fabricManager: partitions.length === 0 ? null : simulatedFabricManager,
      partitions,
    };
  }

  async reset(host: string, addresses: readonly string[], signal: AbortSignal): Promise<readonly ResetVerdict[]> {
    signal.throwIfAborted();
    const { faults, gpus } = await this.#read(host);
    const met = faults === null ? [] : await countDown(this.#world, faults);
    const verdicts = addresses.map((address) => verdictOn(address, gpus));
    try {
      for (const fault of met) {
        const effect = await effectOf(fault).instead?.(fault.parameters, signal);
        if (effect === "lie") return verdicts;
      }
      const done = verdicts.flatMap(({ address, isReset }) => (isReset ? [address] : []));
      await sql`
        update simulated.gpus set reset_at = now() where host = ${host} and address = any(${done}::text[])`.execute(
        this.#world,
      );
      for (const fault of met) await effectOf(fault).after?.(fault.parameters, signal);
      return verdicts;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.kind === "unavailable") throw new HelperError("command-failed", error.message);
      const { message } = error;
      return addresses.map((address) => ({ address, isReset: false, code: "reset-failed", message }));
    }
  }

  async activate(host: string, partition: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#partition(host, partition);
    const { rows } = await sql<{ id: string }>`
      with taken as (
        select o.id from simulated.partitions o join simulated.partitions p
          on p.host = o.host and p.id = ${partition} and o.id <> p.id and o.modules && p.modules
        where o.host = ${host} and o.active
      ), done as (
        update simulated.partitions set active = true
        where host = ${host} and id = ${partition} and not exists (select from taken)
      )
      select id from taken order by id`.execute(this.#world);
    const [other] = rows;
    if (other !== undefined)
      throw new HelperError("partition-conflict", `Partition ${other.id} is active and has one of its GPUs.`);
  }

  async deactivate(host: string, partition: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#partition(host, partition);
    await sql`
      update simulated.partitions set active = false where host = ${host} and id = ${partition}`.execute(this.#world);
  }

  async health(host: string, signal: AbortSignal): Promise<HelperHealth> {
    signal.throwIfAborted();
    const { gpus, partitions } = await this.#read(host);
    return {
      helperVersion: "simulated",
      fabric: { state: partitions.length === 0 ? "none" : "ok", detail: "" },
      gpus: gpus.map(({ address, healthy }) => ({
        address,
        problems: healthy ? [] : ["It is reported as unhealthy."],
      })),
    };
  }

  /** Throws HelperError if the host is not alive, or has no such partition. */
  async #partition(host: string, id: string): Promise<void> {
    const { partitions } = await this.#read(host);
    if (partitions.length === 0) throw new HelperError("no-fabric", "The host has no fabric manager.");
    if (!partitions.some((one) => one.id === id))
      throw new HelperError("unknown-partition", `There is no partition ${id}.`);
  }

  /** Throws HelperError if the host is not alive. */
  async #read(host: string): Promise<SeenHost> {
    const { rows } = await sql<SeenHost>`
      select (select alive from simulated.hosts where name = ${host}) as alive,
        ${faultsFor("reset-gpus", { id: sql`null::text`, host: sql`${host}::text` })} as faults,
        coalesce((
          select jsonb_agg(jsonb_build_object('address', address, 'model', model, 'healthy', healthy, 'module_id', module_id,
            'is_held', exists (select from simulated.gpu_uses u where u.host = g.host and u.address = g.address))
            order by address)
          from simulated.gpus g where host = ${host}), '[]') as gpus,
        coalesce((
          select jsonb_agg(jsonb_build_object('id', id, 'gpus', modules, 'isActive', active) order by id)
          from simulated.partitions where host = ${host}), '[]') as partitions`.execute(this.#world);
    const [seen] = rows;
    if (seen === undefined) throw new Error("BUG: a select without from gave no row");
    if (seen.alive !== true) throw new HelperError("command-failed", `Host ${host} does not respond.`);
    return seen;
  }
}

function verdictOn(address: string, gpus: readonly SeenGpu[]): ResetVerdict {
  const gpu = gpus.find((one) => one.address === address);
  if (gpu === undefined)
    return { address, isReset: false, code: "unknown-device", message: "The host has no such device." };
  if (gpu.is_held) return { address, isReset: false, code: "in-use", message: "A machine has the device open." };
  return { address, isReset: true, method: "function", detail: "" };
}

/** The version of every simulated fabric manager. */
const simulatedFabricManager = "570.124.06";
