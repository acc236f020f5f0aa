// Whether a guest's first boot completed. While the cluster's daemon is unavailable, a booting guest finds no data for
// cloud-init: its SSH server then allows no login, and it must boot again. Used by engine.ts, once in a machine's life;
// a label remembers it, so that a guest whose user deletes the mark file is never restarted.

import { firstBootMark } from "../guest/boot-script.ts";
import type { ApiInstance } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { change, changeWhenFree } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath } from "./instances.ts";
import { marks } from "./labels.ts";

export function wasSetUp(instance: ApiInstance): boolean {
  return instance.config?.[marks.setUp] === "true";
}

/** Checks inside the guest. Throws as Client.call. */
export async function isSetUp({ client }: Cluster, machineId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.readText(`${instancePath(machineId)}/files`, signal, { path: firstBootMark });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || /no such file|not exist/i.test(error.message)))
      return false;
    throw error;
  }
}

/** Throws as Client.call; can be repeated at any time. */
export async function markSetUp({ client }: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const body = { config: { [marks.setUp]: "true" } };
  await change(client, instancePath(machineId), { method: "PATCH", body }, signal);
}

/** Throws as Client.call. */
export async function bootOnceMore({ client }: Cluster, machineId: string, signal: AbortSignal): Promise<void> {
  const body = { action: "restart", force: true, timeout: 0 };
  await changeWhenFree(client, `${instancePath(machineId)}/state`, { method: "PUT", body }, signal);
}
