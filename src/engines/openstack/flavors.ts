// The flavor of a machine: one that Lessor makes for its size (`flavors: created`), or one of the cloud's of exactly that
// size (`flavors: mapped`). Used by start.ts and the check.
//
// Invariant: a flavor that is used has exactly the GPUs of the order, by resource class or by PCI alias.

import { Compile } from "typebox/compile";
import { EngineError, type MachineSpec } from "../engine.ts";
import { type Flavor, FlavorAnswer, FlavorSchema } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import type { Cloud, Region } from "./cloud.ts";
import type { CloudGpu } from "./settings/settings.ts";

const FlavorItem = Compile(FlavorSchema);

export type Size = Pick<MachineSpec, "vcpus" | "memoryGib" | "storageGb" | "gpuAddresses">;

type Specs = Readonly<Record<string, string>>;

/** The flavor's id. Throws EngineError (refused) if there is none and none may be made, and as Client.call. */
export async function flavorFor(cloud: Cloud, region: Region, size: Size, signal: AbortSignal): Promise<string> {
  const specs = specsOf(cloud, countByClass(size.gpuAddresses));
  return cloud.settings.flavors === "created"
    ? makeFlavor(cloud, region, size, specs, signal)
    : findFlavor(cloud, region, size, specs, signal);
}

/** How many GPUs of each resource class; an address is the class, a slash, and which of them. */
export function countByClass(addresses: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const address of addresses) {
    const gpuClass = address.slice(0, address.indexOf("/"));
    counts.set(gpuClass, (counts.get(gpuClass) ?? 0) + 1);
  }
  return counts;
}

function specsOf({ settings }: Cloud, counts: ReadonlyMap<string, number>): Specs {
  const aliases: string[] = [];
  const specs: Record<string, string> = {};
  for (const [gpuClass, count] of counts) {
    const gpu: CloudGpu | undefined = Object.hasOwn(settings.gpus, gpuClass) ? settings.gpus[gpuClass] : undefined;
    if (gpu === undefined) throw new EngineError("refused", "gpu-missing", "A GPU of the host cannot be used.");
    if (gpu.alias !== undefined) aliases.push(`${gpu.alias}:${count}`);
    else specs[`resources:${gpuClass}`] = `${count}`;
    if (gpu.trait !== undefined) specs[`trait:${gpu.trait}`] = "required";
  }
  return aliases.length === 0 ? specs : { ...specs, "pci_passthrough:alias": aliases.sort().join(",") };
}

/** By an id that says what it is, so that a repeated call finds its own. */
async function makeFlavor(
  cloud: Cloud,
  { place }: Region,
  { vcpus, memoryGib, storageGb, gpuAddresses }: Size,
  specs: Specs,
  signal: AbortSignal,
): Promise<string> {
  const { client } = cloud;
  const gpus = [...countByClass(gpuAddresses)].map(([gpuClass, count]) => `-${gpuClass.toLowerCase()}-${count}`).sort();
  const id = `lessor-${vcpus}-${memoryGib}-${storageGb}${gpus.join("")}`;
  const found = await client.read(place.compute, `/flavors/${id}`, FlavorAnswer, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  if (found !== undefined && hasSpecs(found.flavor, specs)) return id;
  const add = (path: string, body: object) =>
    unlessThere(client.call(place.compute, path, { method: "POST", body }, signal));
  if (found === undefined) {
    const size = { vcpus, ram: memoryGib * 1024, disk: storageGb };
    await add("/flavors", { flavor: { id, name: id, ...size, "os-flavor-access:is_public": false } });
    const { id: tenant } = await client.project(signal);
    await add(`/flavors/${id}/action`, { addTenantAccess: { tenant } });
  }
  // Last, and seen to be there before it is used: one without GPUs would start a machine without GPUs.
  if (Object.keys(specs).length > 0) await add(`/flavors/${id}/os-extra_specs`, { extra_specs: specs });
  const { flavor } = await client.read(place.compute, `/flavors/${id}`, FlavorAnswer, signal);
  // Where the policy hides them, they are what was just written.
  if (flavor.extra_specs === undefined || hasSpecs(flavor, specs)) return id;
  throw noFlavor();
}

async function findFlavor(
  { client }: Cloud,
  { place }: Region,
  { vcpus, memoryGib, storageGb }: Size,
  specs: Specs,
  signal: AbortSignal,
): Promise<string> {
  const all = await client.readAll(place.compute, "/flavors/detail", "flavors", FlavorItem, signal);
  const fits = all
    .filter(
      (one) => one.vcpus === vcpus && one.ram === memoryGib * 1024 && one.disk === storageGb && hasSpecs(one, specs),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (fits[0] !== undefined) return fits[0].id;
  throw noFlavor();
}

function noFlavor(): EngineError {
  return new EngineError("refused", "no-flavor", "The cloud has no flavor of this size.");
}

/** Exactly these GPUs, as far as can be seen. What else a flavor asks for (CPU policy, traits) is the operator's choice. */
function hasSpecs({ extra_specs: actual }: Flavor, wanted: Specs): boolean {
  if (actual === undefined) return false;
  const gpuSpecs = (all: Specs) =>
    Object.entries(all)
      .filter(([key]) => /^resources\d*:CUSTOM_|^pci_passthrough:alias$/.test(key))
      .map((pair) => pair.join("="))
      .sort()
      .join(" ");
  const traits = Object.keys(wanted).filter((key) => key.startsWith("trait:"));
  return gpuSpecs(actual) === gpuSpecs(wanted) && traits.every((key) => actual[key] === wanted[key]);
}

/** Succeeds if another call made it. */
export async function unlessThere(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  });
}
