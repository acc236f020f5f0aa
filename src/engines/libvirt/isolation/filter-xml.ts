// The network filter of a machine, from the boundary of its host. Pure.
//
// Invariants. A guest can connect to the outside world, but not to the host, the operator's networks or other machines.
// Packets are filtered by their destination, so the host as a router is no way around. IPv6 never leaves a guest:
// `clean-traffic` passes only IPv4 and ARP.
//
// There are two layers, because neither is enough. The one on the bridge (`ip`) does not depend on how the host's
// kernel forwards packets, but cannot distinguish a reply from a new connection: TCP to ephemeral ports passes, for
// replies. The layer above (`tcp`, with flags) drops new connections there. Neither keeps state, so no guest can fill
// the host's connection table.

import { domainName } from "../labels.ts";
import { type Element, element, xmlText } from "../xml/element.ts";

/** Destinations that a machine must not reach. IPv4 networks in CIDR notation. */
export interface Boundary {
  /** The host's addresses in the machine's network, which serve DHCP and DNS. */
  readonly gateways: readonly string[];
  /** The host's own addresses, which must be able to reach the machine. */
  readonly host: readonly string[];
  /** All traffic is blocked: other machines, metadata services, multicast and broadcast. */
  readonly closed: readonly string[];
  /** The operator's networks, which must be able to reach the machine. */
  readonly management: readonly string[];
}

/** Named as its domain. */
export const filterName = domainName;

/** The anti-spoofing filter that comes with libvirt. */
export const spoofingFilter = "clean-traffic";

/**
 * Link-local addresses, including the metadata service of clouds (169.254.169.254), loopback, multicast and broadcast,
 * which the host receives too.
 */
export const closedToAll = ["169.254.0.0/16", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"] as const;

/** Linux, macOS and Windows use source ports in this range. */
const ephemeral = { dstportstart: 32_768, dstportend: 65_535 } as const;

/** Between the anti-spoofing checks of `clean-traffic` (-710) and its rule that passes IPv4 (-650). */
const order = { services: -706, host: -704, closed: -702, management: -700, rest: -698 } as const;

export function filterXml(machineId: string, { gateways, host, closed, management }: Boundary): string {
  const answered = [...host, ...management];
  return xmlText(
    element(
      "filter",
      { name: filterName(machineId), chain: "root" },
      // Always the same, or libvirt rejects it as another filter with this name.
      element("uuid", {}, machineId),
      element("filterref", { filter: spoofingFilter }),
      bridgeRule("accept", order.services, { ...to("255.255.255.255/32"), ...port("udp", 67) }),
      gateways.flatMap((gateway) =>
        [port("udp", 67), port("udp", 53), port("tcp", 53)].map((service) =>
          bridgeRule("accept", order.services, { ...to(`${gateway}/32`), ...service }),
        ),
      ),
      host.map((network) => reply(order.host, network)),
      closed.map((network) => bridgeRule("drop", order.closed, to(network))),
      management.map((network) => reply(order.management, network)),
      answered.map((network) => bridgeRule("drop", order.rest, to(network))),
      answered.map(noConnection),
    ),
  );
}

function bridgeRule(action: "accept" | "drop", priority: number, match: Element["attributes"]): Element {
  return element("rule", { action, direction: "out", priority }, element("ip", match));
}

function reply(priority: number, network: string): Element {
  return bridgeRule("accept", priority, { ...to(network), protocol: "tcp", ...ephemeral });
}

/** The first packet of a connection has SYN and no ACK; its reply has both. */
function noConnection(network: string): Element {
  return element(
    "rule",
    { action: "drop", direction: "out", statematch: "false" },
    element("tcp", { ...to(network), ...ephemeral, flags: "SYN,ACK/SYN" }),
  );
}

function to(network: string): { dstipaddr: string; dstipmask: string } {
  const [address, bits] = network.split("/");
  if (address === undefined || bits === undefined) throw new Error("BUG: a network that was never checked");
  return { dstipaddr: address, dstipmask: bits };
}

function port(protocol: "tcp" | "udp", number: number) {
  return { protocol, dstportstart: number, dstportend: number };
}
