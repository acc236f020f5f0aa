// Changes the simulator's database directly, as hardware, guests and accidents change a real cluster. Used by tests,
// the control API and the demo. The engine is not notified; a caller that wants an immediate hint calls the engine's
// `changed`.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { FaultKind, FaultOperation, FaultParameters } from "../../rules/simulator-faults.ts";
import type { HostRegistry, RegisteredHost, SimulatorControls } from "../engine.ts";
import { addFault, clearFaults, listFaults } from "./fault-store.ts";
import { worldIn } from "./schema.ts";

type Connection = Database | Transaction;

/** Creates or updates the host. Machines lose GPUs that are removed. */
export async function putSimulatedHost(db: Connection, host: RegisteredHost): Promise<void> {
  const { gpus } = host;
  const addresses = gpus.map((gpu) => gpu.address);
  // Two statements, for the foreign key of a GPU to its host: the first also locks the host.
  await sql`
    insert into simulated.hosts (name, region, vcpus, memory_gib, storage_gb)
    values (${host.name}, ${host.region}, ${host.vcpus}, ${host.memoryGib}, ${host.storageGb})
    on conflict (name) do update set region = excluded.region, vcpus = excluded.vcpus,
      memory_gib = excluded.memory_gib, storage_gb = excluded.storage_gb`.execute(db);
  await sql`
    with gone as (delete from simulated.gpus where host = ${host.name} and address <> all(${addresses}::text[]))
    insert into simulated.gpus (host, address, model, memory_gib, numa_node, healthy)
    select ${host.name}, * from unnest(
      ${addresses}::text[],
      ${gpus.map((gpu) => gpu.model)}::text[],
      ${gpus.map((gpu) => gpu.memoryGib)}::integer[],
      ${gpus.map((gpu) => gpu.numaNode)}::integer[],
      ${gpus.map((gpu) => gpu.healthy ?? true)}::boolean[])
    on conflict (host, address) do update set model = excluded.model, memory_gib = excluded.memory_gib,
      numa_node = excluded.numa_node, healthy = excluded.healthy`.execute(db);
}

/**
 * Gives the host the partitions of an HGX board of its GPUs: all of them, and halves of these down to single ones. Their
 * module ids are not in PCI order.
 */
export async function putSimulatedPartitions(db: Connection, host: string): Promise<void> {
  await sql`
    update simulated.gpus g set module_id = numbered.number from (
      select address, row_number() over (order by address desc) as number from simulated.gpus where host = ${host}) numbered
    where g.host = ${host} and g.address = numbered.address`.execute(db);
  await sql`
    insert into simulated.partitions (host, id, modules)
    select ${host}, row_number() over (order by size desc, first), array(select generate_series(first, first + size - 1))
    from (select count(*)::integer as gpus from simulated.gpus where host = ${host}) board,
      generate_series(0, 10) as half, lateral (select gpus / (1 << half) as size) sizes,
      generate_series(1, gpus, greatest(size, 1)) as first
    where size > 0 and gpus % size = 0
    on conflict do nothing`.execute(db);
}

/** Removes the host and its machines. Does nothing if it does not exist. */
export async function removeSimulatedHost(db: Connection, name: string): Promise<void> {
  await sql`delete from simulated.machines where host = ${name}`.execute(db);
  await sql`delete from simulated.hosts where name = ${name}`.execute(db);
}

export const simulatedHostRegistry: HostRegistry = {
  storage: { sharedStorage: true, multiAttach: true },
  put: putSimulatedHost,
  remove: removeSimulatedHost,
};

/** Makes the host unreachable until it is revived; its machines stay as they are. */
export async function killHost(db: Connection, name: string): Promise<void> {
  await worldIn(db).updateTable("hosts").set({ alive: false }).where("name", "=", name).execute();
}

/** Makes all hosts unreachable. */
export async function killAllHosts(db: Connection): Promise<void> {
  await worldIn(db).updateTable("hosts").set({ alive: false }).where("alive", "=", true).execute();
}

export async function reviveHost(db: Connection, name: string): Promise<void> {
  await worldIn(db).updateTable("hosts").set({ alive: true }).where("name", "=", name).execute();
}

export async function setGpuHealth(db: Connection, host: string, address: string, healthy: boolean): Promise<void> {
  const query = worldIn(db).updateTable("gpus").set({ healthy });
  await query.where("host", "=", host).where("address", "=", address).execute();
}

/** The guest shuts itself down: halted at once. */
export async function haltFromInside(db: Connection, machineId: string): Promise<void> {
  const query = worldIn(db).updateTable("machines").set({ power: "off", settles_at: sql<Date>`now()` });
  await query.where("id", "=", machineId).execute();
}

/** The guest reboots itself: starting for `seconds`, if it was on. */
export async function rebootFromInside(db: Connection, machineId: string, seconds = 0): Promise<void> {
  const query = worldIn(db)
    .updateTable("machines")
    .set({ settles_at: sql<Date>`now() + make_interval(secs => ${seconds})` });
  await query.where("id", "=", machineId).where("power", "=", "on").execute();
}

/** Starts the machine at the engine, without Lessor. */
export async function startFromOutside(db: Connection, machineId: string): Promise<void> {
  const query = worldIn(db).updateTable("machines").set({ power: "on", settles_at: sql<Date>`now()` });
  await query.where("id", "=", machineId).execute();
}

/** The machine and its data are gone; a complete copy on another host stays. */
export async function loseMachine(db: Connection, machineId: string): Promise<void> {
  await worldIn(db).deleteFrom("machines").where("id", "=", machineId).execute();
}

/** Moves the machine at the engine, without Lessor. */
export async function moveFromOutside(db: Connection, machineId: string, host: string): Promise<void> {
  await worldIn(db).updateTable("machines").set({ host }).where("id", "=", machineId).execute();
}

/** A fault as tests write it. */
export interface FaultToInject {
  readonly kind: FaultKind;
  /** Its target; without either, everything. */
  readonly host?: string;
  readonly machine?: string;
  /** Without it the kind's default operation, or every one. */
  readonly operation?: FaultOperation;
  readonly parameters?: FaultParameters;
  /** How many calls it applies to; all by default. */
  readonly times?: number;
}

/** Injects a fault (rules/simulator-faults.ts). Returns the id, for `forgive`. Throws "BUG: …" for a contradictory one. */
export async function injectFaults(db: Connection, fault: FaultToInject): Promise<number> {
  const { kind, host, machine, operation, parameters, times } = fault;
  if (host !== undefined && machine !== undefined) throw new Error("BUG: a host or a machine, not both");
  const { id } = await addFault(worldIn(db), {
    scope: machine !== undefined ? "machine" : host !== undefined ? "host" : "everything",
    target: machine ?? host ?? null,
    operation: operation ?? null,
    kind,
    parameters: parameters ?? {},
    remaining: times ?? null,
  });
  return id;
}

/** Removes one fault, or all. */
export async function forgive(db: Connection, id?: number): Promise<void> {
  await clearFaults(worldIn(db), id);
}

/** What the control interface does with the simulator. */
export const simulatorControls: SimulatorControls = {
  add: (tx, order) => addFault(worldIn(tx), order),
  list: (db) => listFaults(worldIn(db)),
  remove: async (tx, id) => (await clearFaults(worldIn(tx), id)) > 0,
  removeAll: async (tx) => {
    await clearFaults(worldIn(tx));
  },
  setAlive: async (tx, host, alive) => {
    const query = worldIn(tx).updateTable("hosts").set({ alive });
    return (await query.where("name", "=", host).executeTakeFirstOrThrow()).numUpdatedRows > 0n;
  },
};
