// Lists the machines of a region: servers with our tag, and ports whose server was not made yet. Used by engine.ts.

import type { ListedMachine } from "../engine.ts";
import type { Seen } from "../readiness/cached-observation.ts";
import type { Server } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { readServices } from "./hosts.ts";
import { hostInPortText, machineIdIn } from "./labels.ts";
import { mainFirst, readPorts, wasMade } from "./machines.ts";
import { readOwn } from "./own-servers.ts";
import { reportOf } from "./report.ts";
import { hasSecrets } from "./secrets.ts";

export interface RegionListing {
  readonly machines: readonly ListedMachine[];
  /** Servers of machines that have another one. */
  readonly extras: readonly Server[];
  /** Servers of guests that are ready, and whose secrets are still in the cloud. */
  readonly told: readonly Server[];
  /** Ids of the security groups that our ports have. */
  readonly groups: ReadonlySet<string>;
  readonly unreachableHosts: readonly string[];
}

/** Throws as Client.call. */
export async function listRegion(
  cloud: Cloud,
  region: Region,
  seen: Seen,
  signal: AbortSignal,
): Promise<RegionListing> {
  // First: a port without a server is not taken for one whose server was made in between.
  const ports = await readPorts(cloud, region, { tags: cloud.owner }, signal);
  const byId = new Map<string, Server[]>();
  for (const server of await readOwn(cloud, region, ports, signal)) {
    const id = machineIdIn(server.tags);
    if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), server]);
  }
  const machines: ListedMachine[] = [];
  const extras: Server[] = [];
  const told: Server[] = [];
  for (const [id, servers] of byId) {
    const [server, ...others] = mainFirst(servers);
    extras.push(...others);
    if (server === undefined) continue;
    const report = reportOf(cloud, region, seen, id, server);
    machines.push(report);
    if (report.usable && hasSecrets(server)) told.push(server);
  }
  for (const port of ports) {
    const id = machineIdIn([port.name]);
    // One that has a server, ours or not, is not a machine by itself.
    if (id === undefined || byId.has(id) || wasMade(port) || port.device_id !== "") continue;
    byId.set(id, []);
    machines.push({ id, host: hostInPortText(port.description), power: "halted", usable: false });
  }
  const groups = new Set(ports.flatMap((port) => port.security_groups));
  return { machines, extras, told, groups, unreachableHosts: await unreachable(cloud, region, signal) };
}

/** Hosts whose compute service is down. Of pools nothing is known. */
async function unreachable(cloud: Cloud, region: Region, signal: AbortSignal): Promise<string[]> {
  if (region.settings.pools !== undefined) return [];
  const down = (await readServices(cloud, region, signal)).filter(({ state }) => state !== "up");
  return down.map(({ host }) => `${cloud.settings.hostPrefix}${host}`);
}
