// An operator's PUT of a host that its engine discovered: it sets overrides (overrides.ts), and the host counts by them
// from then on, in this transaction and after every later inventory. Called by host-changes.ts, under the host's lock.
// Also here: what neither an override nor a declaration may do to a host that is held.

import type { Transaction } from "../../database/connect.ts";
import { invalid, RentalError } from "../errors.ts";
import type { Host } from "./host-reading.ts";
import type { RegisteredGpu, RegisteredHost } from "./host-registry.ts";
import { storedHost, upsertHost } from "./host-store.ts";
import { type HostFacts, type HostOverrides, withOverrides } from "./overrides.ts";

/**
 * Replaces the overrides of the host. Throws RentalError invalid-parameters (another region, a GPU that it does not
 * have), and conflict where instances hold what would be gone.
 */
export async function overrideHost(tx: Transaction, before: Host, declared: RegisteredHost): Promise<void> {
  const { reported, overrides: _, ...facts } = await storedHost(tx, declared.name);
  const found: HostFacts = { ...facts, ...reported };
  if (declared.region !== found.region) {
    throw invalid("region", `Host ${found.name} is in region ${found.region}: only its engine determines the region.`);
  }
  refuseGpusNotFound(found, declared.gpus);
  const overrides = overridesFrom(declared);
  refuseCapsBelowHeld(before, found, overrides);
  refuseChangeOfHeldGpus(before, withOverrides(found, overrides).gpus);
  // What the engine itself took away from instances was told when it was found; it is no reason to refuse.
  await upsertHost(tx, found, overrides);
}

/** The host counts as what it is found as again; whether it is cordoned stays. Throws RentalError conflict. */
export async function endOverrides(tx: Transaction, before: Host): Promise<void> {
  const { reported, overrides: _, ...facts } = await storedHost(tx, before.name);
  const found: HostFacts = { ...facts, ...reported };
  refuseChangeOfHeldGpus(before, found.gpus);
  await upsertHost(tx, found, null);
}

/** Throws RentalError conflict where a GPU that an instance holds would become another one. */
export function refuseChangeOfHeldGpus(before: Host, after: readonly RegisteredGpu[]): void {
  for (const gpu of before.gpus.filter(({ heldBy }) => heldBy !== null)) {
    const changed = after.find(({ address }) => address === gpu.address);
    if (changed !== undefined && !isSame(changed, gpu)) {
      throw heldConflict(before.name, `its GPU ${gpu.address} cannot be changed`);
    }
  }
}

export function isSame(a: RegisteredGpu, b: RegisteredGpu): boolean {
  return a.model === b.model && a.memoryGib === b.memoryGib && a.numaNode === b.numaNode;
}

/** The refusal of what would take from instances what they hold. */
export function heldConflict(name: string, consequence: string): RentalError {
  return new RentalError("conflict", {
    message: `Instances use host ${name}, so ${consequence}.`,
    suggestion: "Cordon it, and change it when its instances are terminated.",
  });
}

function refuseGpusNotFound(found: HostFacts, gpus: readonly RegisteredGpu[]): void {
  const known = new Set(found.gpus.map(({ address }) => address));
  const index = gpus.findIndex(({ address }) => !known.has(address));
  if (index < 0) return;
  const has = known.size === 0 ? "It has none." : `It has ${[...known].join(", ")}.`;
  throw invalid(`gpus.${index}.address`, `Host ${found.name} has no GPU at ${gpus[index]?.address}. ${has}`);
}

/** Where a GPU sits only its engine says. */
function overridesFrom({ vcpus, memoryGib, storageGb, gpus }: RegisteredHost): HostOverrides {
  const named = gpus.map(({ address, model, memoryGib: gib }) => ({ address, model, memoryGib: gib }));
  return { vcpus, memoryGib, storageGb, gpus: named };
}

/** A host that has itself become smaller than what is held may be overridden all the same, but for that. */
function refuseCapsBelowHeld(before: Host, found: HostFacts, caps: HostOverrides): void {
  const sizes = [
    [caps.vcpus, found.vcpus, before.vcpus - before.freeVcpus],
    [caps.memoryGib, found.memoryGib, before.memoryGib - before.freeMemoryGib],
    [caps.storageGb, found.storageGb, before.storageGb - before.freeStorageGb],
  ] as const;
  if (sizes.some(([cap, has, held]) => cap < held && cap < has)) {
    throw heldConflict(before.name, "the resources they use cannot be removed");
  }
}
