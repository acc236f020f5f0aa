// What operators do to hosts: declare, withdraw, cordon. Used by the control interface.
// Invariant: what instances hold is never taken away. An engine's inventory has to be believed, whatever it says
// (host-store.ts keeps the books right even then); a declaration is a wish, and one that cannot be is refused whole.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { isForeignKeyViolation } from "../../database/constraints.ts";
import { invalid, unknownName } from "../errors.ts";
import { type Host, readHost } from "./host-reading.ts";
import type { HostRegistries, HostRegistry, HostToRegister, RegisteredGpu, RegisteredHost } from "./host-registry.ts";
import { removeHost, upsertHost } from "./host-store.ts";
import { endOverrides, heldConflict, isSame, overrideHost, refuseChangeOfHeldGpus } from "./override-host.ts";
import type { HostFacts } from "./overrides.ts";

export interface HostDeclaration extends RegisteredHost {
  readonly engine: string;
}

/**
 * Of an engine with a registry: makes the host, or makes it like this, there too. Of any other engine: sets the
 * overrides of a host that it discovered (override-host.ts). Health, availability and cordon stay as they are. Throws
 * RentalError invalid-parameters (what no host, or not this one, can have), unknown-name (engine, region), and conflict
 * where instances hold what would be gone.
 */
export async function registerHost(
  tx: Transaction,
  registries: HostRegistries,
  declared: HostDeclaration,
): Promise<Host> {
  refuseSameAddress(declared.gpus);
  const isNew = await lockOrMake(tx, declared);
  const before = await readHost(tx, declared.name);
  const registry = registries.get(declared.engine);
  if (registry !== undefined) await registerIn(tx, registries, registry, before, declared);
  else if (!isNew && before.engine === declared.engine) await overrideHost(tx, before, declared);
  else throw unknownName("engine", "engine whose hosts can be registered", declared.engine);
  return readHost(tx, declared.name);
}

/**
 * Removes the host, from its engine's registry too. A discovered one that is overridden only loses its overrides. Throws
 * RentalError unknown-object, and conflict while it is held.
 */
export async function deregisterHost(tx: Transaction, registries: HostRegistries, name: string): Promise<void> {
  const { rows } = await sql<{ engine: string; is_overridden: boolean }>`
    select engine, overrides is not null as is_overridden from hosts where name = ${name} for update`.execute(tx);
  if (rows[0]?.is_overridden === true && !registries.has(rows[0].engine))
    return endOverrides(tx, await readHost(tx, name));
  await removeHost(tx, name);
  await registries.get(rows[0]?.engine ?? "")?.remove(tx, name);
}

/** Keeps new instances off the host, or lets them on again; what is on it stays. Throws RentalError unknown-object. */
export async function setCordoned(tx: Transaction, name: string, cordoned: boolean): Promise<Host> {
  await tx.updateTable("hosts").set({ cordoned }).where("name", "=", name).execute();
  return readHost(tx, name);
}

async function registerIn(
  tx: Transaction,
  registries: HostRegistries,
  registry: HostRegistry,
  before: Host,
  declared: HostDeclaration,
): Promise<void> {
  refuseUnknownMemory(declared.gpus);
  refuseMoveOfHeld(before, declared);
  if (before.engine !== declared.engine) await changeEngine(tx, registries, before, declared.engine);
  const host = withKnownHealth(before, declared);
  await store(tx, { ...host, ...registry.storage, engine: declared.engine, available: before.available });
  await registry.put(tx, host);
}

function refuseSameAddress(gpus: readonly RegisteredGpu[]): void {
  const seen = new Set<string>();
  for (const [index, { address }] of gpus.entries()) {
    if (seen.has(address)) throw invalid(`gpus.${index}.address`, "Another GPU of this host has the same address.");
    seen.add(address);
  }
}

/** Only an engine may say that it does not know; who declares a GPU knows it. */
function refuseUnknownMemory(gpus: readonly RegisteredGpu[]): void {
  const index = gpus.findIndex(({ memoryGib }) => memoryGib === 0);
  if (index >= 0) throw invalid(`gpus.${index}.memory_gib`, "Use a whole number from 1.");
}

/**
 * Makes sure that there is a row and that this transaction holds its lock; true where it made the row, empty for now.
 * So two declarations of one new host come one after the other, and each is judged by what the other left.
 */
async function lockOrMake(tx: Transaction, { name, engine, region }: HostDeclaration): Promise<boolean> {
  for (;;) {
    const made = await namingRegion(region, () =>
      sql`insert into hosts (name, engine, region, vcpus, memory_gib, storage_gb, free_vcpus, free_memory_gib, free_storage_gb)
        values (${name}, ${engine}, ${region}, 0, 0, 0, 0, 0, 0)
        on conflict (name) do nothing returning 1`.execute(tx),
    );
    if (made.rows.length > 0) break;
    const locked = await sql`select 1 from hosts where name = ${name} for update`.execute(tx);
    if (locked.rows.length > 0) return false;
    // It was removed between the two statements.
  }
  // Removals are kept by name, and the mirror reads them by transaction id, which does not follow the order of commits.
  await sql`delete from removed_hosts where name = ${name}`.execute(tx);
  return true;
}

function refuseMoveOfHeld(before: Host, declared: HostDeclaration): void {
  const isHeld =
    before.freeVcpus < before.vcpus ||
    before.freeMemoryGib < before.memoryGib ||
    before.freeStorageGb < before.storageGb;
  if (isHeld && before.region !== declared.region) throw heldConflict(declared.name, "its region cannot be changed");
  if (isHeld && before.engine !== declared.engine) throw heldConflict(declared.name, "its engine cannot be changed");
  refuseChangeOfHeldGpus(before, declared.gpus);
}

async function changeEngine(tx: Transaction, registries: HostRegistries, before: Host, engine: string): Promise<void> {
  await registries.get(before.engine)?.remove(tx, before.name);
  await tx.updateTable("hosts").set({ engine }).where("name", "=", before.name).execute();
}

/** A GPU that stays is as healthy as it was; a new or another one counts as whole. */
function withKnownHealth(before: Host, declared: RegisteredHost): HostToRegister {
  const { name, region, vcpus, memoryGib, storageGb } = declared;
  const gpus = declared.gpus.map((gpu) => {
    const known = before.gpus.find(({ address }) => address === gpu.address);
    return { ...gpu, healthy: known === undefined || !isSame(gpu, known) || known.healthy };
  });
  return { name, region, vcpus, memoryGib, storageGb, gpus };
}

async function store(tx: Transaction, host: HostFacts): Promise<void> {
  const { overcommitted, lostGpus } = await namingRegion(host.region, () => upsertHost(tx, host));
  if (overcommitted) throw heldConflict(host.name, "the resources they use cannot be removed");
  if (lostGpus.length > 0) throw heldConflict(host.name, `its GPU ${lostGpus.join(", ")} cannot be removed`);
}

/** The foreign key is the judge of whether the region exists, so that it cannot be deleted in between. */
async function namingRegion<T>(region: string, statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    throw isForeignKeyViolation(error) ? unknownName("region", "region", region) : error;
  }
}
