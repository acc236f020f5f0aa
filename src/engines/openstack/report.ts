// Converts a machine and the cached observation of its guest to the contract's report. Pure.

import { isIP } from "node:net";
import type { MachineReport } from "../engine.ts";
import type { Seen } from "../readiness/cached-observation.ts";
import type { Server } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { keys } from "./labels.ts";
import { hasAddress, isTold } from "./machines.ts";

/** What a status of Nova means. `wake`: the action that starts a machine with it. Statuses that are not listed pass. */
const statuses: Readonly<Record<string, { readonly power: MachineReport["power"]; readonly wake?: string }>> = {
  ACTIVE: { power: "running" },
  PASSWORD: { power: "running" },
  MIGRATING: { power: "running" },
  VERIFY_RESIZE: { power: "running" },
  SHUTOFF: { power: "halted", wake: "os-start" },
  // The operator of the cloud did these. Its memory or disk is kept.
  PAUSED: { power: "halted", wake: "unpause" },
  SUSPENDED: { power: "halted", wake: "resume" },
  SHELVED: { power: "halted", wake: "unshelve" },
  SHELVED_OFFLOADED: { power: "halted", wake: "unshelve" },
  ERROR: { power: "halted" },
};

/** `power_state` of a machine that runs, whatever its status says. */
const RUNNING = 1;

export function powerOf(server: Server): MachineReport["power"] {
  if (server.status === "ERROR" && server["OS-EXT-STS:power_state"] === RUNNING) return "running";
  const power = statuses[server.status]?.power ?? "starting";
  // On its way up: another start would be rejected.
  return power === "halted" && server["OS-EXT-STS:task_state"] === "powering-on" ? "starting" : power;
}

/** The action that starts a machine that is halted. One in ERROR is rebooted, which repairs what can be repaired. */
export function wakeAction({ status }: Server): object {
  const action = statuses[status]?.wake;
  return action === undefined ? { reboot: { type: "HARD" } } : { [action]: null };
}

/** Identifies a machine's boot as far as Nova tells: a halt is noticed by its status (engine.ts). */
export function bootOf(server: Server): string {
  return `${server.id} ${server["OS-SRV-USG:launched_at"] ?? ""}`;
}

/** The host in Lessor's sense: where hosts are visible, the one that runs it; else the pool that it was ordered from. */
export function hostOf({ settings }: Cloud, region: Region, server: Server): string {
  const host = server["OS-EXT-SRV-ATTR:host"];
  const isVisible = region.settings.pools === undefined && typeof host === "string";
  return isVisible ? `${settings.hostPrefix}${host}` : (server.metadata[keys.host] ?? "");
}

/** The guest's address: the floating one where the settings want one, else a fixed one, IPv4 first. */
export function addressOf({ settings: { floatingNetwork } }: Region, { addresses }: Server): string | undefined {
  const wanted = floatingNetwork === undefined ? "fixed" : "floating";
  const all = Object.values(addresses)
    .flat()
    .filter((one) => (one["OS-EXT-IPS:type"] ?? wanted) === wanted);
  // What is no address could be a name, which a probe would look up.
  return all.filter(({ addr }) => isIP(addr) !== 0).toSorted((a, b) => a.version - b.version)[0]?.addr;
}

export function reportOf(cloud: Cloud, region: Region, seen: Seen, id: string, server: Server): MachineReport {
  const power = powerOf(server);
  const base = { id, host: hostOf(cloud, region, server), power, usable: false, ip: undefined };
  if (power === "starting") return { ...base, progress: progressOf(server) };
  if (power === "halted") {
    // A machine that never ran for a customer, or that we stopped, will not restart by itself.
    const mayComeBack = isTold(server) && !seen.wasStopped(id);
    return { ...base, progress: undefined, ...(mayComeBack ? { mayComeBack } : {}) };
  }
  if (!isTold(server)) return { ...base, untold: true, progress: "starting the guest" };
  if (server["OS-EXT-STS:task_state"] === "powering-off") return { ...base, progress: "halting" };
  const ip = addressOf(region, server);
  // Another start gives it one.
  if (ip === undefined && !hasAddress(server)) {
    return { ...base, untold: true, progress: "without a network port: a restart connects it" };
  }
  const sight = seen.of(id, bootOf(server));
  const usable = sight.usable && sight.ip === ip;
  return { ...base, ip: sight.ip, usable, progress: usable ? undefined : "waiting for SSH to answer" };
}

/** Customers read it: no text but words of Nova's kind. */
function progressOf(server: Server): string {
  const words = (server["OS-EXT-STS:task_state"] ?? server.status).toLowerCase().replaceAll("_", " ");
  return /^[a-z0-9 -]{1,60}$/.test(words) ? words : "starting";
}
