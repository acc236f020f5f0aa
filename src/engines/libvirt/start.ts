// Starts a machine: writes its guest's settings, places it on the current host, and lets libvirt run it. Used by
// engine.ts.
//
// Invariant: nothing is written for a running machine. The settings are in memory only, so they are written before each
// start; a guest that reboots finds them unchanged.

import { setTimeout as pause } from "node:timers/promises";
import { EngineError, type MachineSpec, noSuchMachine } from "../engine.ts";
import { secretsDisk } from "../guest/disks.ts";
import { macOf } from "./addresses.ts";
import { define, planOf } from "./create.ts";
import { type Domain, readDomain } from "./domains.ts";
import type { Inventory } from "./host/inventory.ts";
import { type Placement, placementOn, readFree } from "./host/numa.ts";
import type { HostConnection } from "./host-connection.ts";
import { defineFilter } from "./isolation/filters.ts";
import { domainName, volumes } from "./labels.ts";
import { seedImage } from "./seed.ts";
import { unless } from "./virsh/virsh-error.ts";
import { putInMemory } from "./volumes.ts";

const PUT_AWAY_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** Resolves when it runs: started now, or running already. Throws EngineError, VirshError. */
export async function startMachine(
  place: HostConnection,
  inventory: Inventory,
  spec: MachineSpec,
  signal: AbortSignal,
): Promise<"started" | "runs"> {
  const domain = await putAway(place, spec.id, signal);
  if (domain === undefined) {
    throw new EngineError("unavailable", noSuchMachine, `Machine ${spec.id} does not exist.`);
  }
  if (domain.power !== "off") return "runs";
  const { address } = domain;
  await putInMemory(place, volumes.seed(spec.id), await seedImage(spec, macOf(spec.id)), signal);
  await putInMemory(place, volumes.secrets(spec.id), secretsDisk(spec.guest), signal);
  await defineFilter(place, spec.id, signal);
  const pinned = await placement(place, inventory, spec, signal);
  await define(place, spec, await planOf(place, inventory, spec, { address, pinned }, signal), signal);
  const started = await unless("alreadyRunning", place.virsh.call(["start", domainName(spec.id)], { signal }));
  return started === undefined ? "runs" : "started";
}

/** The machine, once libvirt has cleaned up its last run: some seconds after its guest has ended. Throws EngineError. */
async function putAway(place: HostConnection, machineId: string, signal: AbortSignal): Promise<Domain | undefined> {
  const deadline = performance.now() + PUT_AWAY_MS;
  for (;;) {
    const domain = await readDomain(place, machineId, signal);
    if (domain?.power !== "ending") return domain;
    if (performance.now() > deadline) {
      throw new EngineError("unavailable", "still-ending", "The machine's last run is still ending on the host.");
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** One node of the host for a large machine, if there is more than one. */
async function placement(
  { host, settings, virsh }: HostConnection,
  { cells, gpus }: Inventory,
  { vcpus, memoryGib, gpuAddresses }: MachineSpec,
  signal: AbortSignal,
): Promise<Placement | undefined> {
  const { pinFromVcpus, hugePages } = settings;
  if (cells.length < 2 || (vcpus < pinFromVcpus && gpuAddresses.length === 0)) return undefined;
  const gpuNodes = gpuAddresses.flatMap((address) => {
    const known = [...gpus, ...(host.declared.gpus ?? [])].find((gpu) => gpu.address === address);
    return known === undefined ? [] : [known.numaNode];
  });
  const free = await readFree(virsh, signal);
  return placementOn(cells, { vcpus, memoryGib, gpuNodes, hugePages, pinFromVcpus, free });
}
