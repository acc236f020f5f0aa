// The members: their status, the region each serves, and whether each reports support for the configured kind.

import { type Finding, listed, ok, problem, warning } from "../../check/finding.ts";
import { ServerAnswer } from "../api.ts";
import { targetOf } from "../cluster.ts";
import { isOnline, regionOf } from "../members.ts";
import { GroupsAnswer, WarningsAnswer } from "./answers.ts";
import type { Answering } from "./endpoints.ts";
import { type Subject, serving } from "./subject.ts";

/** The status of the members, and whether all endpoints lead to them. */
export async function* checkMembers(
  { members, server, tool }: Subject,
  endpoints: readonly Answering[],
): AsyncGenerator<Finding> {
  const online = members.filter(isOnline).map(({ server_name }) => server_name);
  const summary = server.environment.server_clustered ? `cluster of ${members.length}` : "a standalone server";
  if (online.length > 0) yield ok("members", `${summary}: ${listed(online)} online`);
  else yield problem("members", `${summary}, and no member is online`, `check: ${tool} cluster list`);
  for (const { server_name: name, status, message } of members.filter((member) => !isOnline(member))) {
    const advice =
      status === "Evacuated"
        ? `restore it after its maintenance: ${tool} cluster restore ${name}`
        : "start its daemon; until then it is unschedulable and its machines are unreachable";
    yield warning("members", `${name} is ${status.toLowerCase()}${message ? ` (${message})` : ""}`, advice);
  }
  for (const { endpoint, member } of endpoints) {
    if (members.some(({ server_name }) => server_name === member)) continue;
    yield problem(
      "endpoint",
      `${endpoint} leads to ${member}, which is not a member of the cluster that the first endpoint leads to`,
      "list members of one cluster in urls; add another cluster as another entry under incus",
    );
  }
}

export async function* checkRegions(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cluster, members, server, tool } = subject;
  const { regionOf: rule } = cluster.settings;
  if (rule.kind === "all") return yield ok("region", `every member serves ${rule.region}`);
  if (!server.environment.server_clustered) {
    return yield problem("regions", "a standalone server has no member groups", "use region instead of regions");
  }
  const groups = await cluster.client.read("/1.0/cluster/groups", GroupsAnswer, signal, { recursion: "1" });
  for (const { group, region } of rule.groups) {
    const found = groups.find(({ name }) => name === group);
    if (found === undefined) {
      const known = listed(groups.map(({ name }) => name));
      yield problem(
        `region ${region}`,
        `the member group ${group} does not exist (existing: ${known})`,
        `create it (${tool} cluster group create ${group}, then ${tool} cluster group assign <member> ${group}), or correct regions`,
      );
    } else if ((found.members ?? []).length === 0) {
      yield warning(
        `region ${region}`,
        `no member is in its group ${group}`,
        `${tool} cluster group assign <member> default,${group}`,
      );
    } else {
      yield ok(`region ${region}`, `served by ${listed(found.members ?? [])} (group ${group})`);
    }
  }
  for (const member of members) {
    const served = rule.groups.filter(({ group }) => member.groups?.includes(group));
    if (served.length === 0) {
      yield warning(
        "regions",
        `${member.server_name} is in no group of regions and is unschedulable`,
        `to use it: ${tool} cluster group assign ${member.server_name} default,${rule.groups[0]?.group}`,
      );
    } else if (new Set(served.map(({ region }) => region)).size > 1) {
      yield warning(
        "regions",
        `${member.server_name} is in the groups of several regions, and serves ${regionOf(cluster, member)}`,
        "keep it in one of them only",
      );
    }
  }
  if (serving(subject).length === 0) {
    yield problem("regions", "no member that is online serves a region", "assign members to the groups of regions");
  }
}

/** What members report about the kind. Only a hint, even if positive: the test instance verifies it. */
export async function* checkKind(subject: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const { cluster } = subject;
  const { kind } = cluster.settings;
  const driver = kind === "virtual-machine" ? "qemu" : "lxc";
  const able: string[] = [];
  for (const { server_name: member } of serving(subject)) {
    const target = await targetOf(cluster, member, signal);
    const { environment } = await cluster.client.read("/1.0", ServerAnswer, signal, target);
    if (environment.driver?.includes(driver)) {
      able.push(member);
      continue;
    }
    const reason = await reasonOf(subject, member, signal);
    const advice =
      kind === "virtual-machine"
        ? "virtual machines need KVM (enabled in the firmware), vhost_vsock and QEMU; or set kind: container"
        : "containers need LXC and cgroups; or set kind: virtual-machine";
    yield problem("kind", `${member} reports that it cannot run a ${kind}${reason}`, advice);
  }
  if (able.length > 0) yield ok("kind", `${listed(able)}: ${kind} reported as supported`);
}

/** The daemon's own message, if any. Some certificates have no access to it. */
async function reasonOf({ cluster }: Subject, member: string, signal: AbortSignal): Promise<string> {
  const warnings = await cluster.client
    // Warnings of members belong to no project.
    .read("/1.0/warnings", WarningsAnswer, signal, { recursion: "1", project: "" })
    .catch(() => []);
  const noted = warnings.find(
    ({ type, location, status }) =>
      type === "Instance type not operational" && status !== "resolved" && (!location || location === member),
  );
  return noted?.last_message ? ` (${noted.last_message})` : "";
}
