// What the steps of the check share: the cluster, what it said of itself, and who its members are.

import type { Finding } from "../../check/finding.ts";
import type { Member, ServerInfo } from "../api.ts";
import { ApiError } from "../client/api-error.ts";
import type { Cluster } from "../cluster.ts";
import { isOnline, regionOf } from "../members.ts";

export interface Subject {
  readonly cluster: Cluster;
  readonly server: ServerInfo;
  readonly members: readonly Member[];
  /** The command-line client of this kind of cluster, for advice: "incus" or "lxc". */
  readonly tool: string;
}

export type Step = (subject: Subject, signal: AbortSignal) => AsyncGenerator<Finding>;

export function toolOf({ environment }: ServerInfo): string {
  return environment.server === "incus" ? "incus" : "lxc";
}

/** `lxc <words>` or `incus <words>`, in the project of the settings. */
export function commandIn({ cluster, tool }: Subject, words: string): string {
  const { project } = cluster.settings;
  return project === "default" ? `${tool} ${words}` : `${tool} --project ${project} ${words}`;
}

/** Members that can be asked now, and on which machines are to run. */
export function serving({ cluster, members }: Subject): Member[] {
  return members.filter((member) => isOnline(member) && regionOf(cluster, member) !== undefined);
}

/**
 * What the API says is at `path`, unchecked; undefined: nothing of this name. Throws as Client.call. Not for instances
 * and volumes, where "not found" has to be told from more (../translate.ts).
 */
export async function lookUp({ client }: Cluster, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return (await client.call(path, {}, signal)).metadata;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
