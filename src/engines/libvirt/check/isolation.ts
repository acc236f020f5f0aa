// What keeps tenants apart: the filter against false addresses, which the filter of every machine has as a part, the
// bridge's port isolation, and what a machine must not reach. Whether it does, the probe instances show (check/isolation.ts).

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
      `there is no filter ${spoofingFilter}, without which no machine starts`,
      "on the host: apt-get install libvirt-daemon-config-nwfilter, and systemctl restart libvirtd",
    );
  }
  yield ok(what, `port isolation, and a filter with ${spoofingFilter} (MAC, IPv4 and ARP) for each machine`);
  if (place.settings.managementNetworks.length === 0) {
    yield warning(
      what,
      "management_networks is not set: machines reach whatever of yours their host reaches, other hosts too",
      "set management_networks to your own networks, with the one that the hosts share",
    );
  }
}

/** SSH, libvirt, and a port that replies go to. */
const ports = [22, 16_509, 65_000] as const;
/** Each target costs the guest some processes. */
const MOST_ADDRESSES = 6;

const advice = {
  host:
    "on the host: is net.bridge.bridge-nf-call-iptables 1 (sysctl), are ebtables and iptables there, and what does the log " +
    "of libvirt say? If it is an address that libvirt does not know, add it to management_networks",
  management: "on the host: is net.bridge.bridge-nf-call-iptables 1 (sysctl), and what does the log of libvirt say?",
  otherHost: "add the network of the hosts to management_networks",
  metadata: "look at the log of libvirt on the host: is the machine's filter in force (nwfilter-dumpxml)?",
} as const;

/** What a machine there must not reach, besides its neighbors, and what it must. Throws VirshError. */
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
  // Of DNS: without any, the host's kernel refuses it, which is an answer as well.
  return { targets, control: gateway === undefined ? undefined : { ip: gateway, port: 53 } };
}
