// Changes the simulated world from outside: what hardware, guests and accidents do in a real one. Used by tests, by the
// control API and by the demo. The engine is not told: like a real one's, its lists say what is. Who wants it to be
// noticed at once calls the engine's `changed`.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { HostRegistry, RegisteredHost } from "../engine.ts";
import { addFault, clearFaults, type FaultOrder } from "./fault-store.ts";
import { worldIn } from "./schema.ts";

type Connection = Database | Transaction;

/** Makes the host, or makes the one that is there like this. Machines with a GPU that is taken away lose it. */
export async function putSimulatedHost(db: Connection, host: RegisteredHost): Promise<void> {
  const { gpus } = host;
  const addresses = gpus.map((gpu) => gpu.address);
  // Two statements, for the foreign key of a GPU to its host: the first also takes the host's lock for the second.
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

/** Takes the host away, and its machines with it. Nothing to do where it is not there. */
export async function removeSimulatedHost(db: Connection, name: string): Promise<void> {
  await sql`delete from simulated.machines where host = ${name}`.execute(db);
  await sql`delete from simulated.hosts where name = ${name}`.execute(db);
}

/** How an operator's PUT and DELETE of a host reach the simulator. */
export const simulatedHostRegistry: HostRegistry = {
  storage: { sharedStorage: true, multiAttach: true },
  put: putSimulatedHost,
  remove: removeSimulatedHost,
};

/** Nothing on the host answers until it is revived; its machines stay as they are. */
export async function killHost(db: Connection, name: string): Promise<void> {
  await worldIn(db).updateTable("hosts").set({ alive: false }).where("name", "=", name).execute();
}

/** Likewise on all of them. */
export async function killAllHosts(db: Connection): Promise<void> {
  await worldIn(db).updateTable("hosts").set({ alive: false }).where("alive", "=", true).execute();
}

export async function reviveHost(db: Connection, name: string): Promise<void> {
  await worldIn(db).updateTable("hosts").set({ alive: true }).where("name", "=", name).execute();
}

/** A GPU breaks, or works again. */
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

/** Someone at the engine turned it on, without asking Lessor. */
export async function startFromOutside(db: Connection, machineId: string): Promise<void> {
  const query = worldIn(db).updateTable("machines").set({ power: "on", settles_at: sql<Date>`now()` });
  await query.where("id", "=", machineId).execute();
}

/** The machine is gone, with its data. */
export async function loseMachine(db: Connection, machineId: string): Promise<void> {
  await worldIn(db).deleteFrom("machines").where("id", "=", machineId).execute();
}

/** Lets the world have faults (faults.ts); the id, for `forgive`. */
export function injectFaults(db: Connection, order: FaultOrder): Promise<number> {
  return addFault(worldIn(db), order);
}

/** Takes one fault back, or all. */
export function forgive(db: Connection, id?: number): Promise<void> {
  return clearFaults(worldIn(db), id);
}
