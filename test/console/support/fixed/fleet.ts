// The hosts of the fixed world, with what its machines hold of them: some cordoned, one gone, two GPUs broken, one
// quarantined, and one reported.

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

/** The GPU whose reset failed. */
const failed = new Map([["us-west-1-h100-01", 7]]);
/** One that an instance has. */
const reported = { host: "us-east-1-h100-sxm5-01", gpu: 0 };

const findings = new Map<string, Host["health"]>([
  [
    "us-west-1-a6000-02",
    [
      {
        code: "disk-space-low",
        severity: "critical",
        message: "The pool default has 2 % free of 30720 GB.",
        since: ago(3 * hour),
      },
      {
        code: "daemon-restarted",
        severity: "warning",
        message: `Its daemon restarted at ${ago(hour / 2)}.`,
        since: ago(hour / 2),
      },
    ],
  ],
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

export const quarantinedGpus: Shape<"ListedGpu">[] = hosts.flatMap(({ name, region, gpus }) =>
  gpus.flatMap(({ held_by: holder, numa_node: _node, holder_status: _status, ...gpu }, index) => {
    const isReported = name === reported.host && index === reported.gpu;
    if (gpu.reason === null && !isReported) return [];
    return {
      ...{ ...gpu, id: `0197a3b2-7c1e-7d4a-9f60-0000000000${10 + index}`, host: name, region, held_by: holder },
      state_since: ago(5 * hour),
      evidence: isReported
        ? `Instance ${holder}: The first GPU hangs under load.`
        : "not-back: The device did not respond after the reset.",
      ...{ quarantined_by: null, quarantine_next: isReported ? "reported" : null },
      ...{ attempts: 0, validation_due: null },
    };
  }),
);

export const partition: Shape<"GpuPartition"> = {
  ...{ host: "us-west-1-h100-sxm5-03", id: "5", gpus: [gpuAddress(0), gpuAddress(1)], state: "inactive" },
  ...{ held_by: null, failures: 0, fabric_manager: "570.124.06", driver_branch: "570" },
};

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
      const reset = failed.get(name) === index ? "reset-failed" : undefined;
      const holder = on.find((one) => one.gpu_addresses?.includes(gpuAddress(index)));
      return {
        address: gpuAddress(index),
        model: made.model,
        memory_gib: made.memoryGib,
        numa_node: index < made.gpus / 2 ? 0 : 1,
        healthy: broken.get(name) !== index,
        state: reset === undefined ? (holder === undefined ? "free" : "held") : "quarantined",
        reason: reset ?? null,
        back_at: null,
        last_validation: null,
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
    drain_mode: null,
    mode_set_by: mode === "cordoned" ? "operations" : null,
    cordoned: mode === "cordoned",
    available: !gone.has(name),
    unreachable_since: gone.has(name) ? ago(2 * hour) : null,
    verified_off_since: null,
    health: findings.get(name) ?? [],
    availability_percent: gone.has(name) ? 99.722 : 100,
    instances: on.length,
    note: broken.has(name) ? "GPU reported to the vendor, ticket 4711." : "",
    labels: broken.has(name) ? { rack: "r12", row: "3" } : {},
    overridden: null,
  };
}
