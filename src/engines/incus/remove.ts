// Removes a machine with its disk and firewall rules, in any state. Used by engine.ts, and by start.ts to recreate one.

import { EngineError } from "../engine.ts";
import { ApiError } from "./client/api-error.ts";
import { changeWhenFree, isBusy } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { removeFilters } from "./firewall.ts";
import { instancePath, readInstance } from "./instances.ts";
import { instanceName } from "./labels.ts";
import { isNotFound } from "./translate.ts";

/** When this resolves nothing of the instance is left. Throws as Client.call, EngineError. */
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
  // Another call might have removed it.
  if ((await readInstance(cluster, machineId, signal)) === undefined) return;
  throw new EngineError("unavailable", "machine-busy", "Another operation on the machine is in progress.");
}

/**
 * A create that still downloads its image has no instance yet. Checks once more after no create is in progress, because
 * one could have ended between the two checks.
 */
async function refuseWhileMade(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const isBeingMade = await isBusy(cluster.client, instanceName(machineId), signal);
  if (!isBeingMade && (await readInstance(cluster, machineId, signal)) === undefined) return;
  throw new EngineError("unavailable", "machine-busy", "Another operation on the machine is in progress.");
}

/** Stops it at once, without asking the guest. Does nothing if it is not running. Throws as Client.call. */
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

/** A concurrent call did the same and succeeded. */
function isOvertaken(error: unknown): boolean {
  return error instanceof ApiError && /matching (non-)?reusable operation has now succeeded/i.test(error.message);
}
