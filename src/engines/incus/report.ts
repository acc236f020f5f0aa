// Makes an instance of the cluster, and what was seen of its guest, into the report that the contract asks for. Pure.

import type { MachineReport } from "../engine.ts";
import type { ApiInstance, FullInstance } from "./api.ts";
import { type Cluster, hostName } from "./cluster.ts";
import { isTold } from "./marks.ts";
import type { Seen } from "./seen.ts";

export function reportOf(cluster: Cluster, seen: Seen, id: string, instance: ApiInstance): MachineReport {
  const base = { id, host: hostName(cluster, instance.location ?? ""), usable: false, ip: undefined };
  if (instance.status === "Stopped") {
    // What never ran for a renter, or was stopped by us, has no reason to come back by itself.
    const mayComeBack = isTold(instance) && !seen.wasStopped(id);
    return { ...base, power: "halted", progress: undefined, ...(mayComeBack ? { mayComeBack } : {}) };
  }
  if (instance.status !== "Running") return { ...base, power: "starting", progress: instance.status.toLowerCase() };
  if (!isTold(instance)) return { ...base, power: "running", untold: true, progress: "starting the guest" };
  const { ip, usable } = seen.of(id, instance);
  return { ...base, power: "running", usable, ip, progress: usable ? undefined : progressWith(ip) };
}

function progressWith(ip: string | undefined): string {
  return ip === undefined ? "waiting for an address" : "waiting for SSH to answer";
}

/** The address that the guest has on its network: IPv4, and where there is none IPv6. Never a link-local one. */
export function addressOf({ state }: FullInstance): string | undefined {
  const addresses = Object.entries(state?.network ?? {})
    // Others are the guest's own, such as a bridge of containers in it.
    .filter(([name]) => /^(eth|en)/.test(name))
    .flatMap(([, { addresses: all }]) => all ?? [])
    .filter(({ scope }) => scope === "global");
  const found = addresses.find(({ family }) => family === "inet") ?? addresses[0];
  return found?.address;
}
