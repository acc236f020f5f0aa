// Reads instances of the cluster: one, or all of ours. Used by the engine's operations.

import { EngineError, hostUnreachable } from "../engine.ts";
import { type ApiInstance, type FullInstance, FullInstanceAnswer, InstancesAnswer, ResourcesAnswer } from "./api.ts";
import { type Cluster, hostName, placed, targetOf } from "./cluster.ts";
import { instanceName, machineIdOf } from "./labels.ts";
import { isOnline, readMembers, withinMemberTime } from "./members.ts";
import { isNotFound } from "./translate.ts";

export function instancePath(machineId: string): string {
  return `/1.0/instances/${instanceName(machineId)}`;
}

/**
 * The machine's instance with its state, or undefined: the cluster's own database, which its members agree on, has none.
 * Throws as Client.call, and EngineError: for one that is not ours, and for one on a member that does not answer.
 */
export async function readInstance(
  cluster: Cluster,
  machineId: string,
  signal: AbortSignal,
): Promise<FullInstance | undefined> {
  const found = await cluster.client
    .read(instancePath(machineId), FullInstanceAnswer, signal, { recursion: "1" })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  if (found === undefined) return undefined;
  if (machineIdOf(found, cluster.installation) !== machineId) {
    throw new EngineError("unavailable", "not-ours", "An instance of this name is there, and not one of ours.");
  }
  const instance = await placed(cluster, found, signal);
  if (isDoubtful(instance) && !(await answers(cluster, instance.location ?? "", signal))) throw silence();
  return instance;
}

/**
 * Throws EngineError where the instance's member is not online: one that is evacuated has stopped its machines, which
 * says nothing of what their guests wanted. Throws as Client.call.
 */
export async function refuseAbsentMember(
  cluster: Cluster,
  { location }: ApiInstance,
  signal: AbortSignal,
): Promise<void> {
  const member = (await readMembers(cluster, signal)).find(({ server_name }) => server_name === location);
  if (member !== undefined && !isOnline(member)) throw silence();
}

function silence(): EngineError {
  return new EngineError("unavailable", hostUnreachable, "The host does not answer.");
}

/** Every machine of ours by its id, and the hosts of which nothing is known. Throws as Client.call. */
export async function readInstances(
  cluster: Cluster,
  signal: AbortSignal,
): Promise<{ instances: Map<string, ApiInstance>; unreachableHosts: string[] }> {
  const all = await cluster.client.read("/1.0/instances", InstancesAnswer, signal, { recursion: "1" });
  const instances = new Map<string, ApiInstance>();
  for (const instance of all) {
    const id = machineIdOf(instance, cluster.installation);
    // A copy carries our mark too, and is none of our machines.
    if (id === undefined || instance.name !== instanceName(id)) continue;
    instances.set(id, await placed(cluster, instance, signal));
  }
  const unreachable = await silentMembers(cluster, [...instances.values()], signal);
  for (const [id, { location }] of instances) if (unreachable.has(location ?? "")) instances.delete(id);
  return { instances, unreachableHosts: [...unreachable].map((member) => hostName(cluster, member)) };
}

/**
 * Members that are not online, and those that the cluster still takes for online (it needs 20 seconds to see that one
 * is gone) and whose machines it could not ask about, unless the member answers us all the same.
 */
async function silentMembers(
  cluster: Cluster,
  instances: readonly ApiInstance[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const members = await readMembers(cluster, signal);
  const silent = new Set(members.filter((member) => !isOnline(member)).map((member) => member.server_name));
  const doubtful = new Set(instances.filter(isDoubtful).map(({ location }) => location ?? ""));
  for (const member of doubtful)
    if (!silent.has(member) && !(await answers(cluster, member, signal))) silent.add(member);
  return silent;
}

async function answers(cluster: Cluster, member: string, signal: AbortSignal): Promise<boolean> {
  const target = await targetOf(cluster, member, signal);
  return cluster.client.read("/1.0/resources", ResourcesAnswer, withinMemberTime(signal), target).then(
    () => true,
    () => {
      signal.throwIfAborted();
      return false;
    },
  );
}

/** The API shows "Error" for what it could not ask about, and also for a virtual machine that broke down. */
function isDoubtful({ status }: ApiInstance): boolean {
  return status === "Error";
}
