// What may come in to a machine, and what it must not reach, as a network ACL of its own on its NIC: wherever the cluster
// has ACLs for NICs of its network. Used by engine.ts, create.ts and remove.ts.
//
// An ACL is named by its machine and by what is in it, and never changed: other rules are another ACL, which the NIC is
// pointed at, and then the former one goes. So a look at the NIC tells which rules hold, a repeated call finds what it
// would make, and a running NIC takes new rules by being changed itself, which both kinds of network do at once.
//
// Invariant: Lessor's own knocks at the SSH port come in whatever the rules say (`managementNetworks`), or no machine with
// rules would ever be seen to be usable. Where the settings name none, this engine has no firewall; machines are kept from
// what is not theirs all the same.

import { createHash } from "node:crypto";
import { EngineError, type Inbound, type InboundRule, type MachineRef, noFirewall, noSuchMachine } from "../engine.ts";
import { AclsAnswer, type ApiInstance } from "./api.ts";
import { ApiError } from "./client/api-error.ts";
import { change, changeWhenFree } from "./client/operations.ts";
import { type Cluster, readNetwork, readServer } from "./cluster.ts";
import { type AclRule, egressRules } from "./egress.ts";
import { instancePath, readInstance } from "./instances.ts";
import { instanceName, marks } from "./labels.ts";
import type { IncusSettings } from "./settings/settings.ts";

/** Whether the settings let this engine keep rules; whether the cluster can is `canFilter`. */
export function keepsRules({ nic, managementNetworks }: Pick<IncusSettings, "nic" | "managementNetworks">): boolean {
  return nic.kind === "network" && managementNetworks.length > 0;
}

/** API extensions by the type of network: ACLs on a NIC of it. LXD has none for bridges. */
const needed: Readonly<Record<string, string>> = { ovn: "network_acl", bridge: "network_bridge_acl_devices" };

/**
 * Whether it can keep rules, as far as is known by now: what the settings allow counts as long as nobody has looked at the
 * cluster, which each inventory does (cluster.ts, `layout`), the first one right after the start.
 */
export function canFilter(cluster: Cluster): boolean {
  return keepsRules(cluster.settings) && hasAcls(cluster);
}

/** Whether NICs of the machines' network take ACLs, as far as is known by now. */
function hasAcls({ settings, layout: { networkType, extensions } }: Cluster): boolean {
  if (settings.nic.kind !== "network") return false;
  if (networkType === undefined || extensions === undefined) return true;
  const extension = needed[networkType];
  return extension !== undefined && extensions.has(extension);
}

const paths = "/1.0/network-acls";

/** The keys of a NIC that is filtered. */
export type NicFilter = Readonly<Record<string, string>>;

/**
 * Makes the ACL, unless it is there, and gives the keys that put it on the machine's NIC. Throws as Client.call, and
 * EngineError (refused) where there are rules that the cluster cannot keep. Without rules a cluster that has no ACLs, or
 * lets us make none (a certificate that is restricted to a project), gives none; `lessor engine check` tells what is open.
 */
export async function makeFilter(
  cluster: Cluster,
  machineId: string,
  inbound: Inbound,
  signal: AbortSignal,
): Promise<NicFilter> {
  await learn(cluster, signal);
  if (inbound === undefined && !hasAcls(cluster)) return {};
  if (inbound !== undefined && !canFilter(cluster)) {
    throw new EngineError("refused", noFirewall, "The host's network cannot keep firewall rules.");
  }
  const body = aclBody(cluster, machineId, inbound);
  try {
    await change(cluster.client, paths, { method: "POST", body }, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (inbound === undefined && error.status === 403) return {};
    if (!/already exists/i.test(error.message)) throw error;
  }
  return {
    "security.acls": body.name,
    "security.acls.default.ingress.action": inbound === undefined ? "allow" : "drop",
    "security.acls.default.egress.action": "allow",
  };
}

/** Has this come in from now on and nothing else. Throws as makeFilter, and EngineError where there is no machine. */
export async function filterMachine(
  cluster: Cluster,
  machine: MachineRef,
  inbound: Inbound,
  signal: AbortSignal,
): Promise<void> {
  const instance = await readInstance(cluster, machine.id, signal);
  if (instance === undefined) throw new EngineError("unavailable", noSuchMachine, `There is no machine ${machine.id}.`);
  const nic = nicOf(instance);
  if (nic === undefined) {
    // It was made while the settings had a profile, whose NIC is the operator's.
    if (inbound === undefined) return;
    throw new EngineError("refused", noFirewall, "The machine's network cannot keep firewall rules.");
  }
  const filter = await makeFilter(cluster, machine.id, inbound, signal);
  const wanted = { ...unfiltered(nic), ...filter };
  if (!areSame(nic, wanted)) {
    const body = { devices: { eth0: wanted } };
    await changeWhenFree(cluster.client, instancePath(machine.id), { method: "PATCH", body }, signal);
  }
  // What is left of former rules holds for nobody; it goes with the machine at the latest.
  await removeFilters(cluster, machine.id, signal, filter["security.acls"]).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** Removes the machine's ACLs but this one; nobody uses them any more. Throws as Client.call. */
export async function removeFilters(
  cluster: Cluster,
  machineId: string,
  signal: AbortSignal,
  kept?: string,
): Promise<void> {
  if (!hasAcls(cluster)) return;
  const urls = await cluster.client.read(paths, AclsAnswer, signal).catch((error: unknown) => {
    // A cluster that knows no ACLs, or shows us none.
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return [];
    throw error;
  });
  const names = urls.map((url) => url.replace(/\?.*/, "").split("/").at(-1) ?? "");
  for (const name of names) {
    if (!name.startsWith(`${instanceName(machineId)}-`) || name === kept) continue;
    await change(cluster.client, `${paths}/${name}`, { method: "DELETE" }, signal).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  }
}

/** What the cluster can, where nobody has looked yet. Throws as Client.call. */
async function learn(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const { layout, settings } = cluster;
  if (settings.nic.kind !== "network") return;
  if (layout.networkType === undefined) await readNetwork(cluster, signal);
  if (layout.extensions === undefined) await readServer(cluster, signal);
}

function aclBody({ settings, installation, layout }: Cluster, machineId: string, inbound: Inbound) {
  const { managementNetworks, sshProbe } = settings;
  const egress = egressRules(layout.routers, managementNetworks);
  const knocks = managementNetworks.map((source): InboundRule => {
    return { protocol: "tcp", ports: [sshProbe.port, sshProbe.port], source };
  });
  // The cluster refuses a rule that is there twice.
  const ingress = [
    ...new Map([...knocks, ...(inbound ?? [])].flatMap(aclRules).map((rule) => [JSON.stringify(rule), rule])).values(),
  ];
  const digest = createHash("sha256")
    .update(JSON.stringify([ingress, egress]))
    .digest("hex")
    .slice(0, 8);
  return {
    name: `${instanceName(machineId)}-${digest}`,
    description: "What a machine of Lessor reaches, and what reaches it",
    config: { [marks.installation]: installation, [marks.instance]: machineId },
    ingress,
    egress,
  };
}

/** One rule as the cluster's rules: it knows no protocol that is TCP and UDP, and two for ICMP. */
function aclRules({ protocol, ports, source }: InboundRule): AclRule[] {
  const allow = { action: "allow", state: "enabled", source };
  if (protocol === "icmp" || ports === null) return [{ ...allow, protocol: source.includes(":") ? "icmp6" : "icmp4" }];
  const [from, to] = ports;
  if (protocol === "all" && from === 1 && to === 65_535) return [allow];
  const range = { destination_port: from === to ? `${from}` : `${from}-${to}` };
  return (protocol === "all" ? ["tcp", "udp"] : [protocol]).map((one) => ({ ...allow, protocol: one, ...range }));
}

function nicOf({ devices }: ApiInstance): Record<string, string> | undefined {
  return devices?.eth0;
}

function unfiltered(nic: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(nic).filter(([key]) => !key.startsWith("security.acls")));
}

function areSame(nic: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  const keys = new Set([...Object.keys(nic), ...Object.keys(wanted)]);
  return [...keys].every((key) => nic[key] === wanted[key]);
}
