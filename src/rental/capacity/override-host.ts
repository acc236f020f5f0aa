// An operator's PUT of a discovered host: sets overrides (overrides.ts), which apply in this transaction and after
// every later host sync. Called by host-changes.ts, under the host's lock. Also here: what neither an override nor a
// registration can change while instances use the host.

import type { Transaction } from "../../database/connect.ts";
import { invalid, RentalError } from "../errors.ts";
import type { Host } from "./host-reading.ts";
import type { RegisteredGpu, RegisteredHost } from "./host-registry.ts";
import { storedHost, upsertHost } from "./host-store.ts";
import { type HostFacts, type HostOverrides, withOverrides } from "./overrides.ts";

/**
 * Replaces the overrides of the host. Throws RentalError invalid-parameters (another region, an unknown GPU), and
 * conflict if instances use what would be removed.
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
  // A shortfall that the engine reported was logged then; it is no reason to reject.
  await upsertHost(tx, found, overrides);
}

/** The host counts as discovered again; its mode stays. Throws RentalError conflict. */
export async function endOverrides(tx: Transaction, before: Host): Promise<void> {
  const { reported, overrides: _, ...facts } = await storedHost(tx, before.name);
  const found: HostFacts = { ...facts, ...reported };
  refuseChangeOfHeldGpus(before, found.gpus);
  await upsertHost(tx, found, null);
}

/** Throws RentalError conflict if a used GPU would change. */
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

/** The error for a change that would take resources from instances. */
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

/** Only the engine knows a GPU's location. */
function overridesFrom({ vcpus, memoryGib, storageGb, gpus }: RegisteredHost): HostOverrides {
  const named = gpus.map(({ address, model, memoryGib: gib }) => ({ address, model, memoryGib: gib }));
  return { vcpus, memoryGib, storageGb, gpus: named };
}

/** A host that has itself become smaller than what is used can be overridden in other respects. */
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
