// A machine's inbound rules and outbound limits, as a network ACL of its own on its NIC, if the cluster has ACLs for
// NICs of its network. Used by engine.ts, create.ts and remove.ts.
//
// An ACL is named by its machine and its content, and never changed: other rules are another ACL; the NIC is switched
// to it and the old one removed. So the NIC shows which rules apply, a repeated call finds its own ACL, and both kinds
// of network apply a changed NIC at once.
//
// Invariant: Lessor's SSH probes are always allowed (`managementNetworks`), or no machine with rules would become
// ready. Without that setting this engine has no inbound rules, but still limits outbound traffic.

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

/** Whether the settings allow rules; `canFilter` says whether the cluster can enforce them. */
export function keepsRules({ nic, managementNetworks }: Pick<IncusSettings, "nic" | "managementNetworks">): boolean {
  return nic.kind === "network" && managementNetworks.length > 0;
}

/** Required API extensions for ACLs on a NIC, by network type. LXD has none for bridges. */
const needed: Readonly<Record<string, string>> = { ovn: "network_acl", bridge: "network_bridge_acl_devices" };

/**
 * Whether it can enforce rules, as far as known: until the first host sync right after start reads the cluster
 * (cluster.ts, `layout`), the settings decide.
 */
export function canFilter(cluster: Cluster): boolean {
  return keepsRules(cluster.settings) && hasAcls(cluster);
}

/** Whether NICs of the machines' network accept ACLs, as far as known. */
function hasAcls({ settings, layout: { networkType, extensions } }: Cluster): boolean {
  if (settings.nic.kind !== "network") return false;
  if (networkType === undefined || extensions === undefined) return true;
  const extension = needed[networkType];
  return extension !== undefined && extensions.has(extension);
}

const paths = "/1.0/network-acls";

/** The keys of a filtered NIC. */
export type NicFilter = Readonly<Record<string, string>>;

/**
 * Creates the ACL if needed, and returns the keys that attach it to the machine's NIC. Throws as Client.call, and
 * EngineError (refused) if there are rules that the cluster cannot enforce. Without rules, a cluster without ACLs, or
 * one whose certificate does not allow creating any, gets none; `lessor engine check` reports what is reachable.
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
    throw new EngineError("refused", noFirewall, "The host's network does not support firewall rules.");
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

/** Replaces the allowed inbound traffic. Throws as makeFilter, and EngineError if the machine does not exist. */
export async function filterMachine(
  cluster: Cluster,
  machine: MachineRef,
  inbound: Inbound,
  signal: AbortSignal,
): Promise<void> {
  const instance = await readInstance(cluster, machine.id, signal);
  if (instance === undefined)
    throw new EngineError("unavailable", noSuchMachine, `Machine ${machine.id} does not exist.`);
  const nic = nicOf(instance);
  if (nic === undefined) {
    // Created while the settings had a profile, whose NIC the operator configures.
    if (inbound === undefined) return;
    throw new EngineError("refused", noFirewall, "The machine's network does not support firewall rules.");
  }
  const filter = await makeFilter(cluster, machine.id, inbound, signal);
  const wanted = { ...unfiltered(nic), ...filter };
  if (!areSame(nic, wanted)) {
    const body = { devices: { eth0: wanted } };
    await changeWhenFree(cluster.client, instancePath(machine.id), { method: "PATCH", body }, signal);
  }
  // Unused ACLs have no effect; they are removed with the machine at the latest.
  await removeFilters(cluster, machine.id, signal, filter["security.acls"]).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** Removes the machine's unused ACLs, all but `kept`. Throws as Client.call. */
export async function removeFilters(
  cluster: Cluster,
  machineId: string,
  signal: AbortSignal,
  kept?: string,
): Promise<void> {
  if (!hasAcls(cluster)) return;
  const urls = await cluster.client.read(paths, AclsAnswer, signal).catch((error: unknown) => {
    // The cluster has no ACLs, or hides them from our certificate.
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

/** Reads the cluster's abilities, if still unknown. Throws as Client.call. */
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
  // The cluster rejects duplicate rules.
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

/** One rule as the cluster's rules, which have no protocol for TCP and UDP together, and two for ICMP. */
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
