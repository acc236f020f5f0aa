// What libvirt is told to let through from a machine: a network filter of its own, from where the operator's things are.
// Pure.
//
// Invariants. What a guest sends leaves it for the outside world; to the host, to the operator's networks and to other
// machines it opens no connection. Whatever way a packet was meant to take, it is judged by where it is addressed to, so
// the host is no way around as a router. IPv6 never leaves a guest: `clean-traffic` lets nothing but IPv4 and ARP through.
//
// The rules are in two layers, because neither is enough. On the bridge (`ip`) nothing depends on how the host's kernel
// hands packets on, but a reply cannot be told from a connection: TCP to ephemeral ports passes, since that is where
// replies go. What would open a connection there is dropped by the layer above (`tcp`, with its flags). Neither keeps
// state, so no guest can fill the host's table of connections.

import { domainName } from "../labels.ts";
import { type Element, element, xmlText } from "../xml/element.ts";

/** Where a machine's packets must not go. All of it IPv4, networks in CIDR notation. */
export interface Boundary {
  /** The host's addresses in the machine's network, which give it its address and answer its questions for names. */
  readonly gateways: readonly string[];
  /** The host's own addresses, which have to reach the machine. */
  readonly host: readonly string[];
  /** Nothing at all is sent there: other machines, metadata services, and whoever listens to everybody. */
  readonly closed: readonly string[];
  /** The operator's networks, which have to reach the machine. */
  readonly management: readonly string[];
}

/** Named as its domain. */
export const filterName = domainName;

/** Against false addresses; it comes with libvirt. */
export const spoofingFilter = "clean-traffic";

/**
 * Link-local addresses, among them the metadata service of every cloud (169.254.169.254), this machine's own, and
 * groups and everybody, whom the host hears too.
 */
export const closedToAll = ["169.254.0.0/16", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"] as const;

/** Linux, macOS and Windows all connect from ports in here. */
const ephemeral = { dstportstart: 32_768, dstportend: 65_535 } as const;

/** Between the checks of `clean-traffic` for false addresses (-710) and its rule that lets IPv4 out (-650). */
const order = { services: -706, host: -704, closed: -702, management: -700, rest: -698 } as const;

export function filterXml(machineId: string, { gateways, host, closed, management }: Boundary): string {
  const answered = [...host, ...management];
  return xmlText(
    element(
      "filter",
      { name: filterName(machineId), chain: "root" },
      // The same each time, or libvirt would take it for another one of that name.
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

/** The first packet of a connection has SYN and no ACK; the answer to one has both. */
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
