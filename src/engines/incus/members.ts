// The cluster's members: which there are, which region each serves, and which can be asked now. A server that is no
// cluster counts as one with a single member. Used by hosts.ts, instances.ts and the check.

import { type Member, MembersAnswer } from "./api.ts";
import { type Cluster, readServer } from "./cluster.ts";

/** Everything else (Offline, Evacuated, Blocked) takes no new machine, and says nothing sure about those it has. */
const online = "Online";

/** Throws as Client.call. */
export async function readMembers(cluster: Cluster, signal: AbortSignal): Promise<Member[]> {
  const { environment } = await readServer(cluster, signal);
  if (!environment.server_clustered) return [{ server_name: environment.server_name, status: online, groups: [] }];
  return cluster.client.read("/1.0/cluster/members", MembersAnswer, signal, { recursion: "1" });
}

/** For a question to one member: one that has just died lets whoever asks wait, far longer than any live one would. */
export function withinMemberTime(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(MEMBER_SECONDS * 1000)]);
}

const MEMBER_SECONDS = 10;

export function isOnline(member: Member): boolean {
  return member.status === online;
}

/** Where the member's machines are; undefined: it is in none of the groups that are served. */
export function regionOf({ settings: { regionOf: rule } }: Cluster, member: Member): string | undefined {
  if (rule.kind === "all") return rule.region;
  return rule.groups.find(({ group }) => member.groups?.includes(group))?.region;
}
