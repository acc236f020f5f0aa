// Starts a machine and delivers its secrets into the guest, where they stay in one file that only root can read. Not
// through the instance's configuration, which the cluster's database stores in plaintext. Used by engine.ts.
//
// The guest waits for the file at its first boot, before it allows logins (engines/guest/). So delivery during boot
// does not delay a launch; a virtual machine can get it only when its agent responds.

import { EngineError, type MachineSpec, noSuchMachine } from "../engine.ts";
import { secretsFor, secretsPath } from "../guest/secrets.ts";
import type { FullInstance } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { changeWhenFree, isBusy } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { createInstance } from "./create.ts";
import { instancePath, readInstance } from "./instances.ts";
import { instanceName, isTold, marks } from "./labels.ts";
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

/** The same headers under the names of both projects. */
const headers = Object.fromEntries(
  ["X-LXD", "X-Incus"].flatMap((prefix) => [
    [`${prefix}-uid`, "0"],
    [`${prefix}-gid`, "0"],
    [`${prefix}-mode`, "0600"],
    [`${prefix}-type`, "file"],
    [`${prefix}-write`, "overwrite"],
  ]),
);

/** Delivers the secrets to a running machine and labels it. Throws as Client.call, also while its agent does not respond. */
async function tell({ client }: Cluster, spec: MachineSpec, signal: AbortSignal): Promise<void> {
  const bytes = Buffer.from(secretsFor(spec.guest));
  const file = { method: "POST", query: { path: secretsPath }, bytes, headers } as const;
  await client.call(`${instancePath(spec.id)}/files`, file, signal);
  const body = { config: { [marks.told]: "true" } };
  await changeWhenFree(client, instancePath(spec.id), { method: "PATCH", body }, signal);
}
