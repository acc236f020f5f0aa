// Removes a machine with its disk and its firewall rules, whatever it is doing. Used by engine.ts, and by start.ts to make one anew.

import { EngineError } from "../engine.ts";
import { ApiError } from "./client/api-error.ts";
import { changeWhenFree, isBusy } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { removeFilters } from "./firewall.ts";
import { instancePath, readInstance } from "./instances.ts";
import { instanceName } from "./labels.ts";
import { isNotFound } from "./translate.ts";

/** When it resolves nothing of the instance is left. Throws as Client.call, EngineError. */
export async function removeInstance(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  await removeMachine(cluster, machineId, signal);
  await removeFilters(cluster, machineId, signal);
}

async function removeMachine(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const instance = await readInstance(cluster, machineId, signal);
  if (instance === undefined) return refuseWhileMade(cluster, machineId, signal);
  if (instance.status !== "Stopped") await forceStop(cluster, machineId, signal);
  await changeWhenFree(cluster.client, instancePath(machineId), { method: "DELETE" }, signal).catch(
    (error: unknown) => {
      if (!(isNotFound(error) || isOvertaken(error))) throw error;
    },
  );
  // Another call may have removed it, and this one knows only that it need not.
  if ((await readInstance(cluster, machineId, signal)) === undefined) return;
  throw new EngineError("unavailable", "machine-busy", "Something else is under way with the machine.");
}

/**
 * A create that still fetches its image has no instance yet, and will have one. Looks once more when none is under way,
 * because one may have ended between the two looks.
 */
async function refuseWhileMade(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const isBeingMade = await isBusy(cluster.client, instanceName(machineId), signal);
  if (!isBeingMade && (await readInstance(cluster, machineId, signal)) === undefined) return;
  throw new EngineError("unavailable", "machine-busy", "Something else is under way with the machine.");
}

/** Ends it at once, without asking the guest. Nothing to do where it does not run. Throws as Client.call. */
export async function forceStop(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const body = { action: "stop", force: true, timeout: 0 };
  await changeWhenFree(cluster.client, `${instancePath(machineId)}/state`, { method: "PUT", body }, signal).catch(
    (error: unknown) => {
      if (!(isNotFound(error) || isHaltedAlready(error) || isOvertaken(error))) throw error;
    },
  );
}

export function isHaltedAlready(error: unknown): boolean {
  return error instanceof ApiError && /already stopped|is not running|isn't running/i.test(error.message);
}

/** Another call did the same at the same time, and succeeded. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && /matching (non-)?reusable operation has now succeeded/i.test(error.message);
}
