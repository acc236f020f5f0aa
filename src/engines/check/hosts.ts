// Findings on a host's capacity and on GPUs that are unknown. Used by the check of each engine.

import type { HostReport } from "../engine.ts";
import { type Finding, listed, ok, problem, warning } from "./finding.ts";

/** NVIDIA, AMD and Intel. Other makers' graphics chips serve remote consoles and are not offered. */
const makers = /^(10de|1002|8086):/;

/** `advice`: what to do if a resource is missing. */
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

/** A GPU that no table contains; undefined for other makers. `id`: from pciId. `called`: the host's name for it. */
export function unknownGpu(host: string, id: string, called: string, address: string): Finding | undefined {
  if (!makers.test(id)) return undefined;
  return warning(
    host,
    `GPU ${id}${called === "" ? "" : ` "${called}"`} at ${address} is unknown and not offered`,
    `to offer it, add it to gpu_models: "${id}": { model: …, memory_gib: … }`,
  );
}
