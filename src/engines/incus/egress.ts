// The outbound traffic that a machine's network ACL blocks: to its host, to other machines of its network, to the
// operator's networks and to metadata services. Pure. Used by firewall.ts.
//
// A cluster applies drop rules before allow rules in any order. So DHCP and DNS of the network are excluded from the
// drop rules, and other machines are the network without its own address.

import { isIPv4 } from "node:net";

export type AclRule = Readonly<Record<string, string>>;

const drop = { action: "drop", state: "enabled" } as const;

/** Link-local IPv4, and Amazon's metadata service in IPv6. Link-local IPv6 carries the protocol's own messages. */
const metadata = ["169.254.0.0/16", "fd00:ec2::254/128"] as const;

/** All ports but DNS, and but DNS and DHCP. */
const notServices = { tcp: "1-52,54-65535", udp: "1-52,54-66,68-65535" } as const;

/** `routers`: the network's own addresses in CIDR notation. `closed`: networks to which all connections are blocked. */
export function egressRules(routers: readonly string[], closed: readonly string[]): AclRule[] {
  const inNetwork = routers.flatMap((router) => {
    const [address = "", bits] = router.split("/");
    return isIPv4(address) ? rulesFor(address, Number(bits)) : [];
  });
  return [...inNetwork, ...[...new Set([...metadata, ...closed])].map((destination) => ({ ...drop, destination }))];
}

function rulesFor(router: string, bits: number): AclRule[] {
  const own = number(router);
  const size = 2 ** (32 - bits);
  const first = Math.floor(own / size) * size;
  const others = [
    [first, own - 1],
    [own + 1, first + size - 1],
  ] as const;
  return [
    ...others.flatMap(([from, to]) => (from > to ? [] : [{ ...drop, destination: `${text(from)}-${text(to)}` }])),
    ...(["tcp", "udp"] as const).map((protocol) => {
      return { ...drop, destination: `${router}/32`, protocol, destination_port: notServices[protocol] };
    }),
    { ...drop, destination: `${router}/32`, protocol: "icmp4" },
  ];
}

function number(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function text(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
