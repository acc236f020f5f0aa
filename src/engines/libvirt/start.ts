// Starts a machine: writes what its guest is told, places it on the host as it is now, and has libvirt run it.
// Used by engine.ts.
//
// Invariant: nothing is written for a machine that runs. What the guest is told is in memory only, so it is written
// before each start; a guest that reboots by itself finds it where it was.

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
    throw new EngineError("unavailable", noSuchMachine, `There is no machine ${spec.id} to start.`);
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

/** The machine, once its host has put away what ran it: some seconds after its guest has ended. Throws EngineError. */
async function putAway(place: HostConnection, machineId: string, signal: AbortSignal): Promise<Domain | undefined> {
  const deadline = performance.now() + PUT_AWAY_MS;
  for (;;) {
    const domain = await readDomain(place, machineId, signal);
    if (domain?.power !== "ending") return domain;
    if (performance.now() > deadline) {
      throw new EngineError("unavailable", "still-ending", "The machine is still being put away by its host.");
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** On one node of the host, for a large machine, where there is more than one to choose. */
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
