// Why an instance type fits in a region or does not: the filters of GET /capacity as labels, and the one that left no host.

import type { Shape } from "../../../../src/client/client.ts";

export type RegionCapacity = Shape<"HostCapacity">["regions"][number];
type FilterName = RegionCapacity["filters"][number]["filter"];

/** The labels of hosts left by each filter, and of a filter that leaves none. */
export const filters: Readonly<Record<FilterName, { readonly keeps: string; readonly refuses: string }>> = {
  "not-lost": { keeps: "are not lost", refuses: "All hosts are lost" },
  available: { keeps: "are available", refuses: "No host is available" },
  "not-cordoned": { keeps: "are not cordoned", refuses: "All hosts are cordoned" },
  "gpu-model": { keeps: "have this GPU model", refuses: "GPU model not available" },
  "gpus-free": { keeps: "have enough free GPUs", refuses: "No free GPUs" },
  "vcpus-free": { keeps: "have enough free vCPUs", refuses: "No free vCPUs" },
  "memory-free": { keeps: "have enough free memory", refuses: "No free memory" },
  "storage-free": { keeps: "have enough free storage", refuses: "No free storage" },
};

/** How many hosts have capacity for one more instance, and if none, why. */
interface Verdict {
  readonly hosts: number;
  /** Empty if there is a host. */
  readonly reason: string;
}

export function verdictOf({ hosts, filters: passed }: RegionCapacity): Verdict {
  const left = passed.at(-1)?.hosts_left ?? hosts;
  if (left > 0) return { hosts: left, reason: "" };
  if (hosts === 0) return { hosts: 0, reason: "No hosts" };
  const last = passed.find(({ hosts_left }) => hosts_left === 0);
  return { hosts: 0, reason: last === undefined ? "" : filters[last.filter].refuses };
}
