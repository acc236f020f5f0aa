// What a machine of a cluster must not reach, besides its neighbors, and what it must: tested from inside a test
// instance (check/isolation.ts).

import { type IsolationOrder, managementTargets, metadataTarget, type Target } from "../../check/isolation.ts";
import { NetworkDetailAnswer } from "./answers.ts";
import { lookUp, type Subject } from "./subject.ts";

/** SSH, the cluster's own API, and an ephemeral port. */
const ports = [22, 8443, 65_000] as const;
/** Each target costs the guest several processes. */
const MOST_NETWORKS = 6;

/** Throws as Client.call. */
export async function targetsIn(subject: Subject, signal: AbortSignal): Promise<Omit<IsolationOrder, "neighbor">> {
  const { nic, managementNetworks } = subject.cluster.settings;
  const advice = adviceFor(subject);
  const gateway = nic.kind === "network" ? await gatewayOf(subject, nic.network, signal) : undefined;
  const targets = [
    ...(gateway === undefined ? [] : ports).map((port): Target => {
      const ip = gateway ?? "";
      return { what: `its host's address ${ip} at port ${port}`, ip, port, advice };
    }),
    ...managementTargets(managementNetworks.slice(0, MOST_NETWORKS), advice),
    metadataTarget(advice),
  ];
  // DNS, which no rule blocks.
  return { targets, control: gateway === undefined ? undefined : { ip: gateway, port: 53 } };
}

/** A bridge's address on each host; undefined if the network has its own router, or hides it from our certificate. */
async function gatewayOf(subject: Subject, network: string, signal: AbortSignal): Promise<string | undefined> {
  const metadata = await lookUp(subject.cluster, `/1.0/networks/${encodeURIComponent(network)}`, signal);
  if (!NetworkDetailAnswer.Check(metadata) || metadata.type !== "bridge") return undefined;
  return /^([0-9.]+)\//.exec(metadata.config["ipv4.address"] ?? "")?.[1];
}

function adviceFor({ cluster: { settings }, tool }: Subject): string {
  const name = settings.nic.kind === "network" ? settings.nic.network : "<network>";
  return (
    "this cluster has no ACLs on NICs of that network, or they are not in force: put an ACL on the network itself, in the " +
    `operator's project: ${tool} network acl create lessor-tenants, its egress rules with action=drop, then ${tool} network ` +
    `set ${name} security.acls=lessor-tenants security.acls.default.egress.action=allow ` +
    "security.acls.default.ingress.action=allow (docs/how-to/operators/isolate-tenants.md)"
  );
}
