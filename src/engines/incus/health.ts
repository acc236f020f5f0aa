// The health of the cluster's members, from what the API tells of each: the status and space of the pool, the process id
// of the daemon, warnings of the cluster, the time of a response, and the certificates of the connection. Used by
// hosts.ts, with each host sync: two more requests for each member, and one for the cluster.
//
// Only the member that responds shows its own time. Of the others the cluster itself warns if it sees one that is off.

import { clockFinding, type DaemonSign, diskFinding, type HostFinding, poolFinding } from "../../rules/host-health.ts";
import { expiringSoon } from "../tls-certificates.ts";
import { type ClusterWarning, PoolAnswer, type PoolSpace, ServerAnswer, WarningsAnswer } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { type Cluster, poolPath, targetOf } from "./cluster.ts";

/** The API extension of warnings. */
const warningsExtension = "warnings";
const timeSkew = /^time skew/i;
/** Of a pool that works. */
const created = "Created";

/** The unresolved warnings; none where the API has none or hides them. Throws as Client.call. */
export async function readWarnings(
  { client, layout }: Cluster,
  signal: AbortSignal,
): Promise<readonly ClusterWarning[]> {
  if (layout.extensions?.has(warningsExtension) !== true) return [];
  const all = await client.read("/1.0/warnings", WarningsAnswer, signal, { recursion: "1" }).catch((error: unknown) => {
    // A certificate that is restricted to a project may not read them.
    if (error instanceof ApiError) return [];
    throw error;
  });
  return all.filter(({ status }) => status !== "resolved");
}

export interface MemberFacts {
  readonly member: string;
  readonly space: PoolSpace;
  readonly warnings: readonly ClusterWarning[];
}

/** Throws as Client.call, EngineError. */
export async function readHealth(
  cluster: Cluster,
  { member, space, warnings }: MemberFacts,
  signal: AbortSignal,
): Promise<{ readonly health: readonly HostFinding[]; readonly daemon: DaemonSign | undefined }> {
  const { client, settings, layout } = cluster;
  const target = await targetOf(cluster, member, signal);
  const { status } = await client.read(poolPath(cluster), PoolAnswer, signal, target);
  const { environment } = await client.read("/1.0", ServerAnswer, signal, target);
  const isResponding = layout.serverName === member;
  const { used } = space;
  const health = [
    status === undefined || status === created
      ? undefined
      : poolFinding(`the status of the pool ${settings.pool} is ${status}`),
    used === undefined ? undefined : diskFinding(settings.pool, space.total - used, space.total),
    isResponding ? clockFinding(layout.clockSkew ?? 0) : undefined,
    ...warnings.filter(({ location, type }) => location === member && timeSkew.test(type)).map(skewFinding),
    ...expiringSoon(client.certificates),
  ];
  const { server_pid: pid } = environment;
  return {
    health: health.filter((finding) => finding !== undefined),
    daemon: pid === undefined ? undefined : { run: `${pid}` },
  };
}

/** The cluster says only that it is off by more than it tolerates. */
function skewFinding(): HostFinding {
  return {
    code: "clock-skew",
    severity: "warning",
    message: "The cluster warns that its clock differs from the leader's.",
  };
}
