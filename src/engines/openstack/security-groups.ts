// A machine's inbound rules, as a security group on its port. Machines with equal rules share a group, because clouds allow
// few of them; a group is named by its rules and never changed, so the port shows which rules apply. Used by create.ts,
// engine.ts and remove.ts.
//
// Invariant: Lessor's SSH probes are always allowed (`managementNetworks`), or no machine with rules would become ready.
// Without that setting this engine has no inbound rules; with it, a machine without rules is open to all but the machines
// of its own network, which are other tenants'. A group is used only once all of its rules are in it.

import { isIPv6 } from "node:net";
import { Compile } from "typebox/compile";
import { EngineError, type Inbound, type InboundRule, type MachineRef, noFirewall } from "../engine.ts";
import { type SecurityGroup, SecurityGroupSchema } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { type Cloud, lookUp, type Region, regionsOf, withKnownIds } from "./cloud.ts";
import { digest } from "./labels.ts";
import { nothingThere, type Query, readPort } from "./machines.ts";
import { subnetsOf } from "./network.ts";
import { outside } from "./outside.ts";
import type { OpenStackSettings } from "./settings/settings.ts";

const GroupItem = Compile(SecurityGroupSchema);

/** Rules in a request: an instance can have a thousand, and Neutron takes milliseconds for each. */
const MOST_AT_ONCE = 100;

/** Of IPv6, by which machines reach each other beside their subnets. */
const LINK_LOCAL = "fe80::/10";

/** Null: every one. */
interface Rule {
  readonly ethertype: "IPv4" | "IPv6";
  readonly protocol: string | null;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_ip_prefix: string | null;
}

export function keepsRules({ managementNetworks }: Pick<OpenStackSettings, "managementNetworks">): boolean {
  return managementNetworks.length > 0;
}

/** The id of the group with these rules, which is made if needed. Throws as Client.call, and EngineError no-firewall. */
export async function securityGroup(
  cloud: Cloud,
  region: Region,
  inbound: Inbound,
  signal: AbortSignal,
): Promise<string> {
  if (inbound !== undefined && !keepsRules(cloud.settings)) {
    throw new EngineError("refused", noFirewall, "The cloud is not set up for firewall rules.");
  }
  const rules = await rulesFor(cloud, region, inbound, signal);
  const name = nameOf(cloud, rules);
  return lookUp(cloud, region, `group ${name}`, () => makeGroup(cloud, region, name, rules, signal));
}

/** Sets the group of the machine's port. Throws as Client.call, EngineError. */
export async function filterMachine(
  cloud: Cloud,
  machine: MachineRef,
  inbound: Inbound,
  signal: AbortSignal,
): Promise<void> {
  for (const region of regionsOf(cloud, machine)) {
    const port = await readPort(cloud, region, machine.id, signal);
    if (port === undefined) continue;
    await withKnownIds(cloud, async () => {
      const group = await securityGroup(cloud, region, inbound, signal);
      const body = { port: { security_groups: [group] } };
      await cloud.client.call(region.place.network, `/ports/${port.id}`, { method: "PUT", body }, signal);
    });
    const before = new Set(port.security_groups);
    await removeUnused(cloud, region, ({ id }) => before.has(id), signal);
    return;
  }
  throw nothingThere(machine);
}

/** Removes our groups that are meant and that no port has. Throws as Client.call. */
export async function removeUnused(
  cloud: Cloud,
  region: Region,
  isMeant: (group: SecurityGroup) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { client, settings, ids } = cloud;
  if (!keepsRules(settings)) return;
  // Almost every machine has it.
  const open = nameOf(cloud, await rulesFor(cloud, region, undefined, signal));
  const all = await readGroups(cloud, region, {}, signal);
  const kept = all.find(({ name }) => name === open);
  for (const group of all) {
    if (group === kept || !isMeant(group)) continue;
    for (const [key, known] of ids) if (known === group.id) ids.delete(key);
    await client
      .call(region.place.network, `/security-groups/${group.id}`, { method: "DELETE" }, signal)
      .catch((error: unknown) => {
        // In use, or removed already.
        if (!(error instanceof ApiError && (error.status === 409 || error.status === 404))) throw error;
      });
  }
}

/** Ours, in an order that never changes: an administrator sees those of all projects. Throws as Client.call. */
async function readGroups(
  cloud: Cloud,
  { place }: Region,
  query: Query,
  signal: AbortSignal,
): Promise<SecurityGroup[]> {
  const { client, owner: description } = cloud;
  const { id: project_id } = await client.project(signal);
  const all = { ...query, description, project_id };
  const found = await client.readAll(place.network, "/security-groups", "security_groups", GroupItem, signal, all);
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function makeGroup(
  cloud: Cloud,
  region: Region,
  name: string,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<string> {
  const { network } = region.place;
  const { client, owner } = cloud;
  const [found] = await readGroups(cloud, region, { name }, signal);
  const group = found ?? (await addGroup());
  const there = new Set(inboundOf(group).map(textOf));
  const missing = rules
    .filter((one) => !there.has(textOf(one)))
    .map((rule) => ({ security_group_id: group.id, direction: "ingress", ...rule }));
  for (let from = 0; from < missing.length; from += MOST_AT_ONCE) {
    const some = missing.slice(from, from + MOST_AT_ONCE);
    // All of them are made, or none.
    const made = await add({ security_group_rules: some }).then(() => true, unlessThereAlready);
    if (made !== true) for (const one of some) await add({ security_group_rule: one }).catch(unlessThereAlready);
  }
  return group.id;

  function add(body: object): Promise<unknown> {
    return client.call(network, "/security-group-rules", { method: "POST", body }, signal);
  }

  async function addGroup(): Promise<SecurityGroup> {
    const body = { security_group: { name, description: owner } };
    await client.call(network, "/security-groups", { method: "POST", body }, signal);
    // Read back: of two that are made at once, all take the first.
    const [first] = await readGroups(cloud, region, { name }, signal);
    if (first === undefined) throw new EngineError("unavailable", "engine-error", "The cloud lost a security group.");
    return first;
  }
}

/** Another call made the rule. Neutron has the same status for a quota that is used up, and then the rule is missing. */
function unlessThereAlready(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 409) || /quota/i.test(error.message)) throw error;
}

/** Says what is in it, so that equal rules, in any order, share a group. */
function nameOf({ owner }: Cloud, rules: readonly Rule[]): string {
  return `lessor-${digest([owner, ...rules.map(textOf)].join("\n"), 16)}`;
}

function inboundOf({ security_group_rules: rules }: SecurityGroup): Rule[] {
  return rules
    .filter(({ direction }) => direction === "ingress")
    .map((rule) => ({
      ethertype: rule.ethertype === "IPv6" ? "IPv6" : "IPv4",
      protocol: rule.protocol ?? null,
      port_range_min: rule.port_range_min,
      port_range_max: rule.port_range_max,
      remote_ip_prefix: rule.remote_ip_prefix ?? null,
    }));
}

/** Each once, in an order of their own. Throws as Client.call. */
async function rulesFor(cloud: Cloud, region: Region, inbound: Inbound, signal: AbortSignal): Promise<Rule[]> {
  const rules = inbound === undefined ? await openRules(cloud, region, signal) : inbound.flatMap(rulesOf);
  const managed = cloud.settings.managementNetworks.map((network) => ({ ...anything, ...from(network) }));
  const all = new Map([...rules, ...managed].map((rule) => [textOf(rule), rule]));
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);
}

/** Everything, but for the machines of the region if the cloud filters. */
async function openRules(cloud: Cloud, region: Region, signal: AbortSignal): Promise<Rule[]> {
  const neighbors = keepsRules(cloud.settings) ? [...(await subnetsOf(cloud, region, signal)), LINK_LOCAL] : [];
  return ([4, 6] as const).flatMap((version) =>
    outside(version, neighbors).map((network) => ({ ...anything, ...from(network) })),
  );
}

const anything = { protocol: null, port_range_min: null, port_range_max: null, remote_ip_prefix: null } as const;

function rulesOf({ protocol, ports, source }: InboundRule): Rule[] {
  const base = { ...anything, ...from(source) };
  if (protocol === "icmp") return [{ ...base, protocol: isIPv6(source.split("/")[0] ?? "") ? "ipv6-icmp" : "icmp" }];
  const [first, last] = ports ?? [1, 65_535];
  if (protocol === "all" && first === 1 && last === 65_535) return [base];
  const protocols = protocol === "all" ? ["tcp", "udp"] : [protocol];
  return protocols.map((one) => ({ ...base, protocol: one, port_range_min: first, port_range_max: last }));
}

function from(network: string): Pick<Rule, "ethertype" | "remote_ip_prefix"> {
  return { ethertype: network.includes(":") ? "IPv6" : "IPv4", remote_ip_prefix: network };
}

function textOf({ ethertype, protocol, port_range_min, port_range_max, remote_ip_prefix }: Rule): string {
  return [ethertype, protocol, port_range_min, port_range_max, remote_ip_prefix].join(" ");
}
