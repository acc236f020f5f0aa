// The cluster's members: their status and regions. A standalone server counts as a single member. Used by hosts.ts,
// instances.ts and the check.

import { type Member, MembersAnswer } from "./api.ts";
import { type Cluster, readServer } from "./cluster.ts";

/** Any other status (Offline, Evacuated, Blocked) is unschedulable, and says nothing certain about its machines. */
const online = "Online";
/** Its machines were stopped or moved by the operator of the cluster; it may respond or not. */
const evacuated = "Evacuated";

/** Throws as Client.call. */
export async function readMembers(cluster: Cluster, signal: AbortSignal): Promise<Member[]> {
  const { environment } = await readServer(cluster, signal);
  if (!environment.server_clustered) return [{ server_name: environment.server_name, status: online, groups: [] }];
  return cluster.client.read("/1.0/cluster/members", MembersAnswer, signal, { recursion: "1" });
}

/** A timeout for a request to one member: a member that has just died responds far too late. */
export function withinMemberTime(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(MEMBER_SECONDS * 1000)]);
}

const MEMBER_SECONDS = 10;

export function isOnline(member: Member): boolean {
  return member.status === online;
}

export function isEvacuated(member: Member): boolean {
  return member.status === evacuated;
}

/** The member's region; undefined: it is in none of the configured groups. */
export function regionOf({ settings: { regionOf: rule } }: Cluster, member: Member): string | undefined {
  if (rule.kind === "all") return rule.region;
  return rule.groups.find(({ group }) => member.groups?.includes(group))?.region;
}
