// What a host has to rent, in words, and the GPUs on it that nobody knows. Used by the check of each engine.

import type { HostReport } from "../engine.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";

/** NVIDIA, AMD and Intel. Others make the graphics chips of remote consoles, which nobody rents. */
const makers = /^(10de|1002|8086):/;

/** `advice`: what to do where something is lacking. */
export function describeHost({ name, vcpus, memoryGib, storageGb, gpus, region }: HostReport, advice: string): Finding {
  const detail = `${vcpus} vCPUs, ${memoryGib} GiB, ${storageGb} GB, ${gpuNames(gpus)}, in ${region}`;
  const nothing = Object.entries({ vCPUs: vcpus, memory: memoryGib, storage: storageGb })
    .filter(([, amount]) => amount < 1)
    .map(([what]) => what);
  if (nothing.length === 0) return ok(name, detail);
  return problem(name, `${detail}: no ${listed(nothing)} to rent`, advice);
}

function gpuNames(gpus: HostReport["gpus"]): string {
  const counts = new Map<string, number>();
  for (const { model } of gpus) counts.set(model, (counts.get(model) ?? 0) + 1);
  return counts.size === 0 ? "no GPU" : [...counts].map(([model, count]) => `${count} × ${model}`).join(", ");
}

/** A card that no table names; undefined for one of a maker of no GPUs. `id`: as pciId gives it. `called`: by the host. */
export function unknownGpu(host: string, id: string, called: string, address: string): Finding | undefined {
  if (!makers.test(id)) return undefined;
  return warning(
    host,
    `GPU ${id}${called === "" ? "" : ` "${called}"`} at ${address} is in no table, and not rented`,
    `if it should be, add it to gpu_models: "${id}": { model: …, memory_gib: … }`,
  );
}
