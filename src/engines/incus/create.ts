// Creates a machine, halted: its volumes and firewall rules, then the instance on its member. Used by engine.ts, also
// to recreate one.
//
// An interrupted create leaves an instance that might be incomplete. A machine gets its secrets at its first start
// (start.ts), and this process remembers which machines it created completely. So a machine without secrets
// that this process did not create is recreated before it starts (start.ts). This needs no extra label, which would
// cost each launch a request, and destroys nothing: customer data exists only after secrets were delivered.

import { EngineError, type MachineSpec } from "../engine.ts";
import { ApiError } from "./client/api-error.ts";
import { changeWhenFree } from "./client/operations.ts";
import { type Cluster, memberName, readNetwork, targetOf } from "./cluster.ts";
import { makeFilter } from "./firewall.ts";
import { instanceBody } from "./instance-body.ts";
import { makeVolumes } from "./volumes.ts";

/** `made` by this call; or `there` already, complete or still being created by another. Throws as Client.call, EngineError. */
export async function createInstance(
  cluster: Cluster,
  spec: MachineSpec,
  signal: AbortSignal,
): Promise<"made" | "there"> {
  const member = memberName(cluster, spec.host);
  if (member === undefined) throw new EngineError("refused", "no-such-host", "The host does not exist.");
  if (cluster.layout.networkType === undefined) await readNetwork(cluster, signal);
  const target = await targetOf(cluster, member, signal);
  await makeVolumes(cluster, spec, member, signal);
  const filter = await makeFilter(cluster, spec.id, spec.inbound, signal);
  try {
    await changeWhenFree(
      cluster.client,
      "/1.0/instances",
      { method: "POST", query: target, body: instanceBody(cluster, spec, filter) },
      signal,
    );
    return "made";
  } catch (error) {
    if (error instanceof ApiError && /already exists/i.test(error.message)) return "there";
    throw error;
  }
}
