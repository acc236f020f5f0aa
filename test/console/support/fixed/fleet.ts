// The hosts of the fixed world, with what its machines hold of them: some cordoned, one gone, two GPUs broken.

import type { Shape } from "../../../../src/client/client.ts";
import { gpuAddress, instances } from "./instances.ts";
import { ago, hour } from "./moments.ts";

type Host = Shape<"Host">;

const cordoned = new Set(["us-west-1-h100-sxm5-03", "us-east-1-a6000-03"]);
const gone = new Set(["eu-central-1-a10-02"]);
const broken = new Map([
  ["us-east-1-a6000-01", 2],
  ["us-west-1-a6000-02", 5],
]);

/** As operators see them. */
export const shownInstances = instances;

export const hosts: Host[] = [
  ...range("eu-central-1", "a10", 2, 4, 24, "a10"),
  ...range("eu-central-1", "a6000", 2, 8, 48, "a6000"),
  ...range("eu-central-1", "cpu", 1, 0, 0, ""),
  ...range("eu-central-1", "h100", 1, 8, 80, "h100_pcie"),
  ...range("us-east-1", "a10", 3, 4, 24, "a10"),
  ...range("us-east-1", "a100-sxm4", 1, 8, 80, "a100_80gb_sxm4"),
  ...range("us-east-1", "a6000", 3, 8, 48, "a6000"),
  ...range("us-east-1", "h100-sxm5", 2, 8, 80, "h100_sxm5"),
  ...range("us-west-1", "a100-sxm4", 2, 8, 80, "a100_80gb_sxm4"),
  ...range("us-west-1", "a6000", 2, 8, 48, "a6000"),
  ...range("us-west-1", "h100", 1, 8, 80, "h100_pcie"),
  ...range("us-west-1", "h100-sxm5", 3, 8, 80, "h100_sxm5"),
];

/** So many hosts more, alike: for the pages of large fleets. */
export function manyHosts(count: number): Host[] {
  return range("us-east-1", "large", count, 8, 80, "h100_sxm5");
}

function range(region: string, kind: string, count: number, gpus: number, memoryGib: number, model: string): Host[] {
  return Array.from({ length: count }, (_, index) =>
    host(`${region}-${kind}-${String(index + 1).padStart(2, "0")}`, region, { gpus, memoryGib, model }),
  );
}

function host(name: string, region: string, made: { gpus: number; memoryGib: number; model: string }): Host {
  const on = instances.filter((one) => one.host === name && one.status !== "terminated");
  const taken = (of: (type: Shape<"InstanceType">) => number) =>
    on.reduce((sum, one) => sum + of(one.instance_type), 0);
  const mode = cordoned.has(name) ? "cordoned" : "up";
  const size = { vcpus: 224, memory_gib: 1900, storage_gb: 30_720 };
  return {
    name,
    engine: "simulated",
    region,
    ...size,
    gpus: Array.from({ length: made.gpus }, (_, index) => {
      const holder = on.find((one) => one.gpu_addresses?.includes(gpuAddress(index)));
      return {
        address: gpuAddress(index),
        model: made.model,
        memory_gib: made.memoryGib,
        numa_node: index < made.gpus / 2 ? 0 : 1,
        healthy: broken.get(name) !== index,
        held_by: holder?.id ?? null,
        holder_status: holder?.status ?? null,
      };
    }),
    free_vcpus: Math.max(0, size.vcpus - taken((type) => type.vcpus)),
    free_memory_gib: Math.max(0, size.memory_gib - taken((type) => type.memory_gib)),
    free_storage_gb: size.storage_gb - taken((type) => type.storage_gb),
    state: gone.has(name) ? "unreachable" : mode,
    state_reason: mode === "cordoned" ? "PSU 2 is exchanged" : null,
    state_since: ago(2 * hour),
    mode,
    mode_set_by: mode === "cordoned" ? "operations" : null,
    cordoned: mode === "cordoned",
    available: !gone.has(name),
    unreachable_since: gone.has(name) ? ago(2 * hour) : null,
    instances: on.length,
    note: broken.has(name) ? "GPU reported to the vendor, ticket 4711." : "",
    labels: broken.has(name) ? { rack: "r12", row: "3" } : {},
    overridden: null,
  };
}
