// Isolation of tenants: the anti-spoofing filter, which every machine's filter includes, the bridge's port isolation,
// and the targets that a machine must not reach. The test instances verify it (check/isolation.ts).

import { type Finding, ok, problem, warning } from "../../check/finding.ts";
import { type IsolationOrder, managementTargets, metadataTarget, type Target } from "../../check/isolation.ts";
import type { HostConnection } from "../host-connection.ts";
import { addressesAt, readBoundary } from "../isolation/boundary.ts";
import { spoofingFilter } from "../isolation/filter-xml.ts";
import { unless } from "../virsh/virsh-error.ts";
import { on, type Subject } from "./subject.ts";

export async function* checkFilter({ place }: Subject, signal: AbortSignal): AsyncGenerator<Finding> {
  const what = on(place, "isolation");
  const found = await unless("noSuchFilter", place.virsh.call(["nwfilter-dumpxml", spoofingFilter], { signal }));
  if (found === undefined) {
    return yield problem(
      what,
      `the filter ${spoofingFilter} does not exist, so no machine can start`,
      "on the host: apt-get install libvirt-daemon-config-nwfilter, and systemctl restart libvirtd",
    );
  }
  yield ok(what, `port isolation, and a filter with ${spoofingFilter} (MAC, IPv4 and ARP) for each machine`);
  if (place.settings.managementNetworks.length === 0) {
    yield warning(
      what,
      "management_networks is not set: machines can reach everything that their host can reach, including other hosts",
      "set management_networks to your own networks, including the one that the hosts share",
    );
  }
}

/** SSH, libvirt, and an ephemeral port. */
const ports = [22, 16_509, 65_000] as const;
/** Each target costs the guest several processes. */
const MOST_ADDRESSES = 6;

const advice = {
  host:
    "on the host: check that net.bridge.bridge-nf-call-iptables is 1 (sysctl), that ebtables and iptables exist, and the log " +
    "of libvirt. If libvirt does not know the address, add it to management_networks",
  management: "on the host: check that net.bridge.bridge-nf-call-iptables is 1 (sysctl), and the log of libvirt",
  otherHost: "add the network of the hosts to management_networks",
  metadata: "look at the log of libvirt on the host: is the machine's filter in force (nwfilter-dumpxml)?",
} as const;

/** What a machine on this host must not reach, besides its neighbors, and what it must. Throws VirshError. */
export async function targetsOn(place: HostConnection, signal: AbortSignal): Promise<Omit<IsolationOrder, "neighbor">> {
  const { host, settings } = place;
  const boundary = await readBoundary(place, signal);
  const own = boundary.host.map((network) => network.replace("/32", ""));
  const others = settings.hosts.filter((one) => one !== host && one.uri !== host.uri).slice(0, 1);
  const foreign = (await Promise.all(others.map(({ uri }) => addressesAt(uri)))).flat();
  const at = (ip: string, what: string, todo: string) =>
    ports.map((port): Target => ({ what: `${what} ${ip} at port ${port}`, ip, port, advice: todo }));
  const targets = [
    ...own.slice(0, MOST_ADDRESSES).flatMap((ip) => at(ip, "its host's address", advice.host)),
    ...foreign.filter((ip) => !own.includes(ip)).flatMap((ip) => at(ip, "another host's address", advice.otherHost)),
    ...managementTargets(settings.managementNetworks.slice(0, MOST_ADDRESSES), advice.management),
    metadataTarget(advice.metadata),
  ];
  const [gateway] = boundary.gateways;
  // DNS: without a server, the host's kernel rejects it, which is a response as well.
  return { targets, control: gateway === undefined ? undefined : { ip: gateway, port: 53 } };
}
