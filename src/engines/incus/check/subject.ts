// Shared by the steps of the check: the cluster, its description of itself, and its members.

import type { Finding } from "../../check/finding.ts";
import type { Member, ServerInfo } from "../api.ts";
import { ApiError } from "../client/api-error.ts";
import type { Cluster } from "../cluster.ts";
import { isOnline, regionOf } from "../members.ts";

export interface Subject {
  readonly cluster: Cluster;
  readonly server: ServerInfo;
  readonly members: readonly Member[];
  /** The cluster's command-line client, for advice: "incus" or "lxc". */
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

/** Online members that serve a region. */
export function serving({ cluster, members }: Subject): Member[] {
  return members.filter((member) => isOnline(member) && regionOf(cluster, member) !== undefined);
}

/**
 * The raw response of the API at `path`; undefined if it does not exist. Throws as Client.call. Not for
 * instances and volumes, where "not found" is ambiguous (../translate.ts).
 */
export async function lookUp({ client }: Cluster, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return (await client.call(path, {}, signal)).metadata;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
