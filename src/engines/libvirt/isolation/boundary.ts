// What the machines of a host must not reach: from the host, its URI and the settings. Used by filters.ts and the
// check.
//
// libvirt reports only the host addresses in its own networks. So the address in the URI counts as well, and for this
// machine all its addresses; operators list others in `management_networks`.

import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { HostConnection } from "../host-connection.ts";
import { readXml, type XmlNode } from "../xml/read.ts";
import { type Boundary, closedToAll } from "./filter-xml.ts";

/** Throws VirshError, also if the host has no such network. */
export async function readBoundary(place: HostConnection, signal: AbortSignal): Promise<Boundary> {
  const { virsh, settings, host } = place;
  const names = (await virsh.call(["net-list", "--name"], { signal })).split("\n").map((name) => name.trim());
  const others = names.filter((name) => name !== "" && name !== settings.network);
  // The machines' own network is last: only a failure of the last command is an error.
  const dumps = [...others, settings.network].map((name) => ["net-dumpxml", name]);
  const networks = readXml(await virsh.all(dumps, { signal }));
  return boundaryOf(networks, await addressesAt(host.uri), settings);
}

/** `networks`: of libvirt on the host. `reachedAt`: the host's other known addresses. */
export function boundaryOf(
  networks: readonly XmlNode[],
  reachedAt: readonly string[],
  { network, managementNetworks }: Pick<HostConnection["settings"], "network" | "managementNetworks">,
): Boundary {
  const own = networks.filter((one) => one.one("name")?.text === network).flatMap(addressesIn);
  const addresses = networks.flatMap(addressesIn).map(({ address }) => address);
  return {
    gateways: own.map(({ address }) => address),
    host: unique([...addresses, ...reachedAt]).map((address) => `${address}/32`),
    closed: unique([...own.map(({ address, bits }) => `${address}/${bits}`), ...closedToAll]),
    // Guests have no IPv6: see filter-xml.ts.
    management: managementNetworks.filter((one) => !one.includes(":")),
  };
}

/** IPv4 only. */
function addressesIn(network: XmlNode): { address: string; bits: number }[] {
  return network.all("ip").flatMap((ip) => {
    const address = ip.attribute("address");
    if (address === undefined || address.includes(":")) return [];
    const prefix = ip.attribute("prefix");
    return [{ address, bits: prefix === undefined ? bitsOf(ip.attribute("netmask")) : Number(prefix) }];
  });
}

/** For example 26 for 255.255.255.192. A network without a mask is a single address. */
function bitsOf(mask: string | undefined): number {
  if (mask === undefined) return 32;
  return mask.split(".").reduce((sum, part) => sum + Number(part).toString(2).replaceAll("0", "").length, 0);
}

/** The addresses of the host in the URI; none if its name cannot be resolved here, such as an alias of ssh. */
export async function addressesAt(uri: string): Promise<string[]> {
  const { hostname } = new URL(uri);
  if (hostname === "") return ownAddresses();
  const found = await lookup(hostname, { all: true, family: 4 }).catch(() => []);
  return found.map(({ address }) => address);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ address, family, internal }) => (family === "IPv4" && !internal ? [address] : [])),
  );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
