// Whether a guest's first boot completed. While the cluster's daemon is unavailable, a booting guest finds no data for
// cloud-init: its SSH server then allows no login, and it must boot again. Used by engine.ts, once in a machine's life;
// a label remembers it, so that a guest whose user deletes the mark file is never restarted.

import { firstBootMark } from "../guest/boot-script.ts";
import type { ApiInstance } from "./api.ts";
import { change, changeWhenFree } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { outputOf } from "./guest-output.ts";
import { instancePath } from "./instances.ts";
import { marks } from "./labels.ts";

export function wasSetUp(instance: ApiInstance): boolean {
  return instance.config?.[marks.setUp] === "true";
}

/**
 * Checks inside the guest; undefined: it does not say, as one without a shell or that halts. Throws as Client.call,
 * EngineError.
 */
export async function isSetUp(cluster: Cluster, machineId: string, signal: AbortSignal): Promise<boolean | undefined> {
  const command = ["/bin/sh", "-c", `if test -e ${firstBootMark}; then echo yes; else echo no; fi`];
  const output = await outputOf(cluster, machineId, { command, mostBytes: 16 }, signal);
  const said = output?.toString("latin1").trim();
  return said === "yes" || (said === "no" ? false : undefined);
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
