// Removes a machine: its servers, its port with its addresses, and security groups that no other needs. Used by engine.ts.

import { setTimeout as pause } from "node:timers/promises";
import type { MachineRef } from "../engine.ts";
import { type Cloud, type Region, regionsOf } from "./cloud.ts";
import { machineName } from "./labels.ts";
import { readPorts, readServersOf, unlessGone } from "./machines.ts";
import { removePort } from "./network.ts";
import { removeUnused } from "./security-groups.ts";
import { busy } from "./start.ts";

/** Nova removes a server within seconds; after this time the next check looks again. */
const GONE_MS = 20_000;
const LOOK_MS = 250;

/** When this resolves nothing of it is left. Throws as Client.call, EngineError. */
export async function removeMachine(cloud: Cloud, machine: MachineRef, signal: AbortSignal): Promise<void> {
  for (const region of regionsOf(cloud, machine)) await removeIn(cloud, region, machine.id, signal);
}

async function removeIn(cloud: Cloud, region: Region, machineId: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + GONE_MS;
  const asked = new Set<string>();
  for (;;) {
    const servers = await readServersOf(cloud, region, machineId, signal);
    if (servers.length === 0) break;
    for (const { id } of servers.filter((one) => !asked.has(one.id))) {
      await cloud.client.call(region.place.compute, `/servers/${id}`, { method: "DELETE" }, signal).catch(unlessGone);
      asked.add(id);
    }
    if (performance.now() > deadline) throw busy();
    await pause(LOOK_MS, undefined, { signal });
  }
  const ports = await readPorts(cloud, region, { name: machineName(machineId) }, signal);
  for (const { id } of ports) await removePort(cloud, region, id, signal);
  const groups = new Set(ports.flatMap((port) => port.security_groups));
  if (groups.size > 0) await removeUnused(cloud, region, ({ id }) => groups.has(id), signal);
  if ((await readServersOf(cloud, region, machineId, signal)).length === 0) return;
  throw busy();
}
