// Operators' changes of what a host has: register, deregister (its mode: hosts/change-mode.ts). Used by the control interface. Invariant: capacity that
// instances use is never removed. An engine's report is always accepted (host-store.ts stays consistent even then); a
// registration that conflicts with instances is rejected as a whole.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { isForeignKeyViolation } from "../../database/constraints.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { reservationsWith } from "../reservations/open-reservations.ts";
import { type Host, readHost } from "./host-reading.ts";
import type { HostRegistries, HostRegistry, HostToRegister, RegisteredGpu, RegisteredHost } from "./host-registry.ts";
import { modeOfNew, removeHost, upsertHost } from "./host-store.ts";
import { endOverrides, heldConflict, isSame, overrideHost, refuseChangeOfHeldGpus } from "./override-host.ts";
import type { HostFacts } from "./overrides.ts";

export interface HostDeclaration extends RegisteredHost {
  readonly engine: string;
}

/**
 * For an engine with a registry: creates or updates the host there too. For other engines: sets the overrides of a
 * discovered host (override-host.ts). Health, availability and mode stay unchanged. Throws RentalError
 * invalid-parameters (impossible values), unknown-name (engine, region), and conflict if instances use what would be
 * removed, or if its region would change while it is promised to reservations.
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
 * Removes the host, also from its engine's registry. A discovered host with overrides only loses its overrides. Throws
 * RentalError unknown-object, and conflict while instances use it.
 */
export async function deregisterHost(tx: Transaction, registries: HostRegistries, name: string): Promise<void> {
  const { rows } = await sql<{ engine: string; is_overridden: boolean }>`
    select engine, overrides is not null as is_overridden from hosts where name = ${name} for update`.execute(tx);
  if (rows[0]?.is_overridden === true && !registries.has(rows[0].engine))
    return endOverrides(tx, await readHost(tx, name));
  await removeHost(tx, name);
  await registries.get(rows[0]?.engine ?? "")?.remove(tx, name);
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
  if (before.region !== declared.region) await refuseMoveOfPromised(tx, declared.name);
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

/** Only an engine can report unknown memory; operators must state it. */
function refuseUnknownMemory(gpus: readonly RegisteredGpu[]): void {
  const index = gpus.findIndex(({ memoryGib }) => memoryGib === 0);
  if (index >= 0) throw invalid(`gpus.${index}.memory_gib`, "Use a whole number from 1.");
}

/**
 * Makes sure that the row exists and is locked; true if it was created, empty for now. So concurrent registrations of a
 * new host are serialized, and each is checked against the result of the other.
 */
async function lockOrMake(tx: Transaction, { name, engine, region }: HostDeclaration): Promise<boolean> {
  for (;;) {
    const made = await namingRegion(region, () =>
      sql`insert into hosts (name, engine, region, vcpus, memory_gib, storage_gb, free_vcpus, free_memory_gib,
          free_storage_gb, mode)
        values (${name}, ${engine}, ${region}, 0, 0, 0, 0, 0, 0, ${modeOfNew(sql`${name}`)})
        on conflict (name) do nothing returning 1`.execute(tx),
    );
    if (made.rows.length > 0) break;
    const locked = await sql`select 1 from hosts where name = ${name} for update`.execute(tx);
    if (locked.rows.length > 0) return false;
    // It was removed between the two statements: retry.
  }
  // The capacity cache reads removals by transaction id, which does not follow the order of commits.
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

/** A reservation is of one region, and its launches find no host elsewhere. The host is locked. */
async function refuseMoveOfPromised(tx: Transaction, name: string): Promise<void> {
  const promised = await reservationsWith(
    tx,
    sql`r.id in (select reservation_id from reservation_hosts where host = ${name})`,
  );
  if (promised === undefined) return;
  throw new RentalError("conflict", {
    message: `Host ${name} is promised to ${promised}, so its region cannot be changed.`,
    suggestion:
      "Cordon it, and change it when `GET /reservations` shows that they are promised on other hosts, or cancel them.",
  });
}

async function changeEngine(tx: Transaction, registries: HostRegistries, before: Host, engine: string): Promise<void> {
  await registries.get(before.engine)?.remove(tx, before.name);
  await tx.updateTable("hosts").set({ engine }).where("name", "=", before.name).execute();
}

/** A GPU that stays keeps its health; a new or changed one counts as healthy. */
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

/** The foreign key decides whether the region exists, so that it cannot be deleted in between. */
async function namingRegion<T>(region: string, statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    throw isForeignKeyViolation(error) ? unknownName("region", "region", region) : error;
  }
}
