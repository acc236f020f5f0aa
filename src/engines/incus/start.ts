// Starts a machine and delivers its secrets. Used by engine.ts.

import { EngineError, type MachineSpec, noSuchMachine } from "../engine.ts";
import type { FullInstance } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { changeWhenFree, isBusy } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { createInstance } from "./create.ts";
import { tell } from "./deliver-secrets.ts";
import { instancePath, readInstance } from "./instances.ts";
import { instanceName, isTold } from "./labels.ts";
import { removeInstance } from "./remove.ts";
import { isGuestSilent } from "./translate.ts";

/**
 * `isWhole`: this process created it completely. Resolves when it runs, and has its secrets or cannot get them yet (a
 * virtual machine whose agent is not up): then call it again. Throws as Client.call, EngineError.
 */
export async function startInstance(
  cluster: Cluster,
  spec: MachineSpec,
  isWhole: boolean,
  signal: AbortSignal,
): Promise<void> {
  const instance = await readInstance(cluster, spec.id, signal);
  if (instance === undefined) {
    throw new EngineError("unavailable", noSuchMachine, `Machine ${spec.id} does not exist.`);
  }
  if (instance.status === "Stopped") {
    if (!isTold(instance) && !isWhole) await makeAnew(cluster, spec, signal);
    await start(cluster, spec.id, signal);
  }
  if (!isTold(instance)) await tellIfPossible(cluster, spec, instance, signal);
}

/** See create.ts for why. A machine that is still being created is left alone. */
async function makeAnew(cluster: Cluster, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  if (await isBusy(cluster.client, instanceName(spec.id), signal)) {
    throw new EngineError("unavailable", "machine-busy", "The machine is still being created.");
  }
  await removeInstance(cluster, spec.id, signal);
  await createInstance(cluster, spec, signal);
}

async function start({ client }: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const body = { action: "start", timeout: -1 };
  await changeWhenFree(client, `${instancePath(machineId)}/state`, { method: "PUT", body }, signal).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError && /already running/i.test(error.message))) throw error;
    },
  );
}

async function tellIfPossible(
  cluster: Cluster,
  spec: MachineSpec,
  { type }: FullInstance,
  signal: AbortSignal,
): Promise<void> {
  try {
    await tell(cluster, spec, signal);
  } catch (error) {
    // A container can get secrets whenever it runs; a virtual machine only when its agent responds.
    if (!(type === "virtual-machine" && isGuestSilent(error))) throw error;
  }
}
