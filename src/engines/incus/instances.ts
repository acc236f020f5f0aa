// Reads instances of the cluster: one, or all of ours. Used by the engine's operations.

import { EngineError, hostUnreachable } from "../engine.ts";
import {
  type ApiInstance,
  type FullInstance,
  FullInstanceAnswer,
  InstancesAnswer,
  type Member,
  ResourcesAnswer,
} from "./api.ts";
import { type Cluster, hostName, placed, targetOf } from "./cluster.ts";
import { instanceName, machineIdOf } from "./labels.ts";
import { isEvacuated, isOnline, readMembers, withinMemberTime } from "./members.ts";
import { isNotFound } from "./translate.ts";

export function instancePath(machineId: string): string {
  return `/1.0/instances/${instanceName(machineId)}`;
}

/**
 * The machine's instance with its state; undefined if the cluster's database has none. Throws as Client.call, and
 * EngineError: for an instance that is not ours, and for one on an unreachable member.
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
    throw new EngineError(
      "unavailable",
      "not-ours",
      "An instance with this name exists and belongs to something else.",
    );
  }
  const instance = await placed(cluster, found, signal);
  if (isDoubtful(instance) && !(await answers(cluster, instance.location ?? "", signal))) throw silence();
  return instance;
}

/**
 * Throws EngineError if the instance's member is not online: an evacuated member has stopped its machines, which says
 * nothing about their guests. Throws as Client.call.
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
  return new EngineError("unavailable", hostUnreachable, "The host does not respond.");
}

/** Every machine of ours by its id, except on unreachable hosts; and those hosts, and evacuated ones. Throws as Client.call. */
export async function readInstances(
  cluster: Cluster,
  signal: AbortSignal,
): Promise<{ instances: Map<string, ApiInstance>; unreachableHosts: string[]; evacuatedHosts: string[] }> {
  const all = await cluster.client.read("/1.0/instances", InstancesAnswer, signal, { recursion: "1" });
  const instances = new Map<string, ApiInstance>();
  for (const instance of all) {
    const id = machineIdOf(instance, cluster.installation);
    // A copy has our label too, but is not one of our machines.
    if (id === undefined || instance.name !== instanceName(id)) continue;
    instances.set(id, await placed(cluster, instance, signal));
  }
  const { silent, evacuated } = await absentMembers(cluster, [...instances.values()], signal);
  for (const [id, { location }] of instances) if (silent.has(location ?? "")) instances.delete(id);
  const hostsOf = (members: ReadonlySet<string>) => [...members].map((member) => hostName(cluster, member));
  return { instances, unreachableHosts: hostsOf(silent), evacuatedHosts: hostsOf(evacuated) };
}

/**
 * `silent`: members that are not online, and those that the cluster still considers online (for 20 seconds) but could
 * not read, unless they respond to us directly. `evacuated`: those of the status that respond; the cluster shows it
 * whether they do or not.
 */
async function absentMembers(
  cluster: Cluster,
  instances: readonly ApiInstance[],
  signal: AbortSignal,
): Promise<{ readonly silent: ReadonlySet<string>; readonly evacuated: ReadonlySet<string> }> {
  const members = await readMembers(cluster, signal);
  const ofStatus = (fits: (member: Member) => boolean) =>
    new Set(members.filter(fits).map((member) => member.server_name));
  const evacuated = ofStatus(isEvacuated);
  const silent = ofStatus((member) => !isOnline(member) && !isEvacuated(member));
  const doubtful = new Set([...instances.filter(isDoubtful).map(({ location }) => location ?? ""), ...evacuated]);
  for (const member of doubtful)
    if (!silent.has(member) && !(await answers(cluster, member, signal))) silent.add(member);
  return { silent, evacuated: evacuated.difference(silent) };
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

/** The API shows "Error" for what it could not read, and also for a crashed virtual machine. */
function isDoubtful({ status }: ApiInstance): boolean {
  return status === "Error";
}
