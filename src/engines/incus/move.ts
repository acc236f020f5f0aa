// Moves a halted machine to another member of its cluster. The cluster copies the disk itself, as one background
// operation, so there is one copy in its database at any time and its location says where. Used by engine.ts.
//
// Invariants. A move is begun only while no operation on the machine is in progress and the machine is halted: the
// cluster would halt a running one. Nothing is removed here, because what is there is the only copy.

import { EngineError, type MachineSpec, type MoveProgress, noSuchMachine } from "../engine.ts";
import type { FullInstance } from "./api.ts";
import { changeWhenFree, operationOn, waitSome } from "./client/operations.ts";
import { type Cluster, memberName, readServer } from "./cluster.ts";
import { sharesStorage } from "./hosts.ts";
import { gpuDevices } from "./instance-body.ts";
import { instancePath, readInstance } from "./instances.ts";
import { instanceName } from "./labels.ts";

/** How long one call waits for the end of the copy. */
const WAIT_MS = 5000;

/** As `Mover.copy` of the contract. How many bytes the cluster has copied is not known. Throws as Client.call, EngineError. */
export async function moveInstance(
  cluster: Cluster,
  spec: MachineSpec,
  signal: AbortSignal,
  waitMs = WAIT_MS,
): Promise<MoveProgress> {
  const member = memberName(cluster, spec.host);
  if (member === undefined) throw new EngineError("refused", "no-such-host", "The host does not exist.");
  if (cluster.layout.clustered === undefined) await readServer(cluster, signal);
  if (cluster.layout.clustered === false) {
    throw new EngineError("refused", "not-supported", "A server that is no member of a cluster cannot move machines.");
  }
  // The operation first: if it ends in between, the instance is where the operation has left it.
  const running = await operationOn(cluster.client, instanceName(spec.id), signal);
  if (running !== undefined && (await waitSome(cluster.client, running, waitMs, signal)) === "running")
    return inProgress;
  const instance = await halted(cluster, spec, member, signal);
  if (instance.location !== member) {
    await refuseFileSystems(cluster, spec, signal);
    const begun = await begin(cluster, spec.id, member, signal);
    if ((await waitSome(cluster.client, begun, waitMs, signal)) === "running") return inProgress;
    const moved = await halted(cluster, spec, member, signal);
    if (moved.location !== member) return inProgress;
    await adapt(cluster, spec, moved, signal);
    return complete;
  }
  await adapt(cluster, spec, instance, signal);
  return complete;
}

const inProgress: MoveProgress = { isComplete: false, copiedBytes: 0, totalBytes: 0 };
const complete: MoveProgress = { isComplete: true, copiedBytes: 0, totalBytes: 0 };

/** Throws EngineError while it is in use there, so that what is begun next cannot halt it. Throws as Client.call. */
async function halted(
  cluster: Cluster,
  { id }: MachineSpec,
  member: string,
  signal: AbortSignal,
): Promise<FullInstance> {
  const instance = await readInstance(cluster, id, signal);
  if (instance === undefined) {
    throw new EngineError("unavailable", noSuchMachine, `Machine ${id} does not exist.`);
  }
  if (instance.status === "Stopped" || instance.location === member) return instance;
  throw new EngineError("unavailable", "machine-running", "The machine is not halted.");
}

async function refuseFileSystems(cluster: Cluster, { guest }: MachineSpec, signal: AbortSignal): Promise<void> {
  if (guest.fileSystems.length === 0 || (await sharesStorage(cluster, signal))) return;
  throw new EngineError("refused", "file-system-local", "The machine's file systems are on its host and cannot move.");
}

/** The operation. The response might be lost; then the next call finds the operation, or the machine on its new member. */
async function begin({ client }: Cluster, machineId: string, member: string, signal: AbortSignal): Promise<string> {
  const body = { name: instanceName(machineId), migration: true, live: false };
  const { operation } = await client.call(
    instancePath(machineId),
    { method: "POST", query: { target: member }, body },
    signal,
  );
  return operation;
}

/** Gives it the GPUs of its new host. */
async function adapt(
  { client }: Cluster,
  { id, gpuAddresses }: MachineSpec,
  { status, devices }: FullInstance,
  signal: AbortSignal,
): Promise<void> {
  const wanted = gpuDevices(gpuAddresses);
  const differs = Object.entries(wanted).some(([name, { pci }]) => devices?.[name]?.pci !== pci);
  if (!differs || status !== "Stopped") return;
  await changeWhenFree(client, instancePath(id), { method: "PATCH", body: { devices: wanted } }, signal);
}

/**
 * As `Mover.removeCopy` of the contract: there never is a second copy. Throws EngineError while an operation is in
 * progress that might still move the machine. Throws as Client.call.
 */
export async function endMove({ client }: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  if ((await operationOn(client, instanceName(machineId), signal)) === undefined) return;
  throw new EngineError("unavailable", "machine-busy", "Another operation on the machine is in progress.");
}
