// Makes a machine, halted: its volumes and its firewall rules, then the instance on its member. Used by engine.ts, also to make one anew.
//
// A create that was cut off leaves an instance of which nobody knows whether it is whole. It is told from a finished one
// by what follows: a machine is told its secrets when it first starts (deliver-secrets.ts), and this process remembers what it made
// itself. An untold machine that this process did not make is therefore made anew before it starts (start.ts). That
// needs no mark of its own, which would cost each launch a request that writes, and destroys nothing: a renter's data
// can only be in what was told.

import { EngineError, type MachineSpec } from "../engine.ts";
import { ApiError } from "./client/api-error.ts";
import { changeWhenFree } from "./client/operations.ts";
import { type Cluster, memberName, readNetwork, targetOf } from "./cluster.ts";
import { makeFilter } from "./firewall.ts";
import { instanceBody } from "./instance-body.ts";
import { makeVolumes } from "./volumes.ts";

/** `made` by this call, or `there` already, made or being made by another. Throws as Client.call, EngineError. */
export async function createInstance(
  cluster: Cluster,
  spec: MachineSpec,
  signal: AbortSignal,
): Promise<"made" | "there"> {
  const member = memberName(cluster, spec.host);
  if (member === undefined) throw new EngineError("refused", "no-such-host", "There is no such host.");
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
