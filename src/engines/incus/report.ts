// Converts an instance and the cached observation of its guest to the contract's report. Pure.

import type { MachineReport } from "../engine.ts";
import type { Seen } from "../readiness/cached-observation.ts";
import type { ApiInstance, FullInstance } from "./api.ts";
import { type Cluster, hostName } from "./cluster.ts";
import { isTold } from "./labels.ts";

export function reportOf(cluster: Cluster, seen: Seen, id: string, instance: ApiInstance): MachineReport {
  const base = { id, host: hostName(cluster, instance.location ?? ""), usable: false, ip: undefined };
  if (instance.status === "Stopped") {
    // A machine that never ran for a customer, or that we stopped, will not restart by itself.
    const mayComeBack = isTold(instance) && !seen.wasStopped(id);
    return { ...base, power: "halted", progress: undefined, ...(mayComeBack ? { mayComeBack } : {}) };
  }
  if (!isRunning(instance)) return { ...base, power: "starting", progress: instance.status.toLowerCase() };
  if (!isTold(instance)) return { ...base, power: "running", untold: true, progress: "starting the guest" };
  const { ip, usable } = seen.of(id, instance.last_used_at);
  return { ...base, power: "running", usable, ip, progress: usable ? undefined : progressWith(ip) };
}

/** Newer servers report "Ready" for a guest that has said so itself. */
export function isRunning({ status }: ApiInstance): boolean {
  return status === "Running" || status === "Ready";
}

function progressWith(ip: string | undefined): string {
  return ip === undefined ? "waiting for an address" : "waiting for SSH to answer";
}

/** The guest's address on its network: IPv4, or else IPv6. Never a link-local one. */
export function addressOf({ state, config }: FullInstance): string | undefined {
  // Only NICs from the cluster; others belong to the guest, such as a container bridge.
  const nics = Object.entries(config ?? {}).filter(([key]) => /^volatile\..+\.hwaddr$/.test(key));
  const given = new Set(nics.map(([, hwaddr]) => hwaddr));
  const addresses = Object.entries(state?.network ?? {})
    .filter(([name, { hwaddr }]) => (given.size === 0 ? /^(eth|en)/.test(name) : given.has(hwaddr ?? "")))
    .sort(([, one], [, other]) => Number(isOnHost(other)) - Number(isOnHost(one)))
    .flatMap(([, { addresses: all }]) => all ?? [])
    .filter(({ scope }) => scope === "global");
  const found = addresses.find(({ family }) => family === "inet") ?? addresses[0];
  return found?.address;
}

/** The host's end of a container's NIC, which a guest cannot fake, unlike a MAC address. */
function isOnHost({ host_name }: { readonly host_name?: string | undefined }): boolean {
  return host_name !== undefined && host_name !== "";
}
