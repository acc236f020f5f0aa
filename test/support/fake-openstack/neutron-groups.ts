// What the fake's Neutron answers about security groups and their rules, and about the tags of ports and all else.

import {
  errorAnswer,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  list,
  object,
  refusal,
  stamp,
  text,
} from "./exchange.ts";
import { isAdmin } from "./identity.ts";
import type { FakeGroup, FakeGroupRule } from "./networks.ts";
import { page } from "./neutron-lists.ts";
import { overQuota } from "./neutron-quotas.ts";
import type { FakeWorld } from "./world.ts";

export function groupRoutes(world: FakeWorld): readonly FakeRoute[] {
  const tags = "/v2\\.0/(ports|floatingips|security-groups)/([^/]+)/tags";
  return [
    ["GET", /^\/v2\.0\/security-groups$/, (call) => page(call, "security_groups", seen(world, call).map(shownGroup))],
    ["POST", /^\/v2\.0\/security-groups$/, (call) => createGroup(world, call)],
    ["GET", /^\/v2\.0\/security-groups\/([^/]+)$/, (call, id = "") => shown(mayUseGroup(world, call, id))],
    ["PUT", /^\/v2\.0\/security-groups\/([^/]+)$/, (call, id = "") => changeGroup(world, call, id)],
    ["DELETE", /^\/v2\.0\/security-groups\/([^/]+)$/, (call, id = "") => removeGroup(world, call, id)],
    ["GET", /^\/v2\.0\/security-group-rules$/, (call) => page(call, "security_group_rules", rulesOf(world, call))],
    ["POST", /^\/v2\.0\/security-group-rules$/, (call) => createRules(world, call)],
    ["DELETE", /^\/v2\.0\/security-group-rules\/([^/]+)$/, (call, id = "") => removeRule(world, call, id)],
    ["GET", new RegExp(`^${tags}$`), (_call, kind = "", id = "") => body({ tags: [...tagsOf(world, kind, id)] })],
    ["PUT", new RegExp(`^${tags}$`), (call, kind = "", id = "") => setTags(world, call, kind, id)],
    ["GET", new RegExp(`^${tags}/([^/]+)$`), (_call, kind = "", id = "", tag = "") => hasTag(world, kind, id, tag)],
    ["PUT", new RegExp(`^${tags}/([^/]+)$`), (_call, kind = "", id = "", tag = "") => addTag(world, kind, id, tag)],
    ["DELETE", new RegExp(`^${tags}/([^/]+)$`), (_call, kind = "", id = "", tag = "") => dropTag(world, kind, id, tag)],
  ];
}

/** Those that it may see, with its project's default group. */
function seen({ networks }: FakeWorld, { caller }: FakeCall): FakeGroup[] {
  networks.defaultGroup(caller.project.id);
  return [...networks.groups.values()].filter(({ project }) => isAdmin(caller) || project === caller.project.id);
}

export function mayUseGroup(world: FakeWorld, call: FakeCall, id: string): FakeGroup {
  const group = seen(world, call).find((one) => one.id === id);
  if (group === undefined)
    throw refusal("network", 404, `Security group ${id} does not exist`, "SecurityGroupNotFound");
  return group;
}

function createGroup(world: FakeWorld, call: FakeCall): FakeAnswer {
  const said = object(call.json.security_group);
  const project = call.caller.project.id;
  const own = seen(world, call).filter((one) => one.project === project);
  overQuota(world, "security_group", own.length);
  const group = world.networks.addGroup(project, text(said.name) ?? "", text(said.description) ?? "");
  return { ...shown(group), status: 201 };
}

function changeGroup(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const group = mayUseGroup(world, call, id);
  const said = object(call.json.security_group);
  group.name = text(said.name) ?? group.name;
  group.description = text(said.description) ?? group.description;
  return shown(group);
}

function removeGroup(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  const group = mayUseGroup(world, call, id);
  if (world.networks.usesGroup(group))
    return errorAnswer("network", 409, `Security Group ${id} in use.`, "SecurityGroupInUse");
  world.networks.groups.delete(id);
  return { status: 204 };
}

/** One, or several at a time: all or none. */
function createRules(world: FakeWorld, call: FakeCall): FakeAnswer {
  const several = call.json.security_group_rules;
  const said = several === undefined ? [object(call.json.security_group_rule)] : list(several).map(object);
  const checked = said.map((one) => {
    const group = mayUseGroup(world, call, text(one.security_group_id) ?? "");
    const direction = text(one.direction) ?? "";
    if (direction !== "ingress" && direction !== "egress") {
      const why = `Invalid input for direction. Reason: ${direction} is not in valid_values.`;
      throw refusal("network", 400, why);
    }
    const part = {
      ...{ direction, ethertype: text(one.ethertype) ?? "IPv4", protocol: text(one.protocol) ?? null },
      ...{
        min: number(one.port_range_min),
        max: number(one.port_range_max),
        prefix: text(one.remote_ip_prefix) ?? null,
      },
      ...{ remoteGroup: text(one.remote_group_id) ?? null, description: text(one.description) ?? "" },
    };
    const same = group.rules.find((rule) => signature(rule) === signature(part));
    if (same !== undefined)
      throw refusal(
        "network",
        409,
        `Security group rule already exists. Rule id is ${same.id}.`,
        "SecurityGroupRuleExists",
      );
    return { group, part };
  });
  const own = seen(world, call).filter(({ project }) => project === call.caller.project.id);
  const used = own.reduce((sum, { rules }) => sum + rules.length, 0);
  overQuota(world, "security_group_rule", used + checked.length - 1);
  const rules = checked.map(({ group, part }) => shownRule(group, world.networks.addRule(group, part)));
  return {
    status: 201,
    body: several === undefined ? { security_group_rule: rules[0] } : { security_group_rules: rules },
  };
}

function removeRule(world: FakeWorld, call: FakeCall, id: string): FakeAnswer {
  for (const { rules } of seen(world, call)) {
    const index = rules.findIndex((rule) => rule.id === id);
    if (index >= 0) rules.splice(index, 1);
    if (index >= 0) return { status: 204 };
  }
  return errorAnswer("network", 404, `Security group rule ${id} does not exist`, "SecurityGroupRuleNotFound");
}

function signature(rule: Omit<FakeGroupRule, "id" | "group" | "created" | "description">): string {
  const { direction, ethertype, protocol, min, max, prefix, remoteGroup } = rule;
  return JSON.stringify([direction, ethertype, protocol, min, max, prefix, remoteGroup]);
}

function rulesOf(world: FakeWorld, call: FakeCall): Record<string, unknown>[] {
  return seen(world, call).flatMap((group) => group.rules.map((rule) => shownRule(group, rule)));
}

function tagsOf({ networks }: FakeWorld, kind: string, id: string): Set<string> {
  const one = { ports: networks.ports, floatingips: networks.floatings }[kind]?.get(id) ?? networks.groups.get(id);
  if (one !== undefined) return one.tags;
  throw refusal("network", 404, `Resource ${kind} ${id} could not be found.`, "TagResourceNotFound");
}

function setTags(world: FakeWorld, { json }: FakeCall, kind: string, id: string): FakeAnswer {
  const tags = tagsOf(world, kind, id);
  tags.clear();
  for (const tag of list(json.tags)) tags.add(String(tag));
  return body({ tags: [...tags] });
}

function hasTag(world: FakeWorld, kind: string, id: string, tag: string): FakeAnswer {
  if (tagsOf(world, kind, id).has(tag)) return { status: 204 };
  return errorAnswer("network", 404, `Tag ${tag} could not be found.`, "TagNotFound");
}

function addTag(world: FakeWorld, kind: string, id: string, tag: string): FakeAnswer {
  tagsOf(world, kind, id).add(tag);
  return { status: 201, body: null };
}

function dropTag(world: FakeWorld, kind: string, id: string, tag: string): FakeAnswer {
  if (tagsOf(world, kind, id).delete(tag)) return { status: 204 };
  return errorAnswer("network", 404, `Tag ${tag} could not be found.`, "TagNotFound");
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : typeof value === "string" && value !== "" ? Number(value) : null;
}

function body(value: object): FakeAnswer {
  return { status: 200, body: value };
}

function shown(group: FakeGroup): FakeAnswer {
  return body({ security_group: shownGroup(group) });
}

function shownGroup(group: FakeGroup): Record<string, unknown> {
  const { id, name, description, project, rules, tags, created } = group;
  return {
    ...{ id, name, stateful: true, tenant_id: project, description, shared: false },
    security_group_rules: rules.map((rule) => ({ ...shownRule(group, rule), tags: [] })),
    ...{
      tags: [...tags],
      created_at: stamp(created),
      updated_at: stamp(created),
      revision_number: 1,
      project_id: project,
    },
  };
}

function shownRule({ project }: FakeGroup, rule: FakeGroupRule): Record<string, unknown> {
  const { id, group, ethertype, direction, protocol, min, max, prefix, remoteGroup, description, created } = rule;
  return {
    ...{ id, tenant_id: project, security_group_id: group, ethertype, direction, protocol },
    ...{ port_range_min: min, port_range_max: max, remote_ip_prefix: prefix, remote_address_group_id: null },
    ...{ normalized_cidr: prefix, remote_group_id: remoteGroup, description },
    ...{ created_at: stamp(created), updated_at: stamp(created), revision_number: 0, project_id: project },
  };
}
