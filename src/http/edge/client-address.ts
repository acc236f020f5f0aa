// The client address of a request. Without trusted proxies that is the other end of the connection, whatever a header
// says: clients can write headers. If the other end is a trusted proxy, it is the right-most address of X-Forwarded-For
// that is not one, because each proxy appends the address it was called from. One source for the limits of addresses,
// the request log and the audit log. Source: setting `trusted_proxies`.

import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";

/** The client's address in its usual form (an IPv4 address is never written as IPv6); "" if the connection is gone. */
export type ClientAddress = (request: Pick<IncomingMessage, "headers" | "socket">) => string;

/** `trustedProxies`: addresses and networks, as validated by the settings. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const follow = createFollow(trustedProxies);
  const nobodyIsTrusted = trustedProxies.length === 0;
  return (request) => {
    const peer = request.socket.remoteAddress ?? "";
    // Every request comes here, so parsing is avoided where possible.
    if (nobodyIsTrusted && !peer.includes(":")) return peer;
    return follow(request).client?.toString() ?? peer;
  };
}

/** How many trusted proxies a request came through: as many entries on the right of a list are theirs. */
export function createProxyCount(trustedProxies: readonly string[]): (request: Parameters<ClientAddress>[0]) => number {
  const follow = createFollow(trustedProxies);
  return (request) => (trustedProxies.length === 0 ? 0 : follow(request).proxies);
}

/** Whether an address is a trusted proxy's. `trustedProxies` as above. */
export function createIsTrustedProxy(trustedProxies: readonly string[]): (address: string) => boolean {
  const isTrusted = createIsTrusted(trustedProxies);
  return (text) => {
    const address = trustedProxies.length === 0 ? undefined : parse(text);
    return address !== undefined && isTrusted(address);
  };
}

function createIsTrusted(trustedProxies: readonly string[]): (address: Address) => boolean {
  const trusted = trustedProxies.map(network);
  return (address) => trusted.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/** Follows a request back to its client; undefined if the other end of the connection has no address. */
function createFollow(trustedProxies: readonly string[]) {
  const isTrusted = createIsTrusted(trustedProxies);

  return ({ headers, socket }: Parameters<ClientAddress>[0]): { client: Address | undefined; proxies: number } => {
    let client = parse(socket.remoteAddress ?? "");
    if (client === undefined || !isTrusted(client)) return { client, proxies: 0 };
    const forwarded = headers["x-forwarded-for"];
    const hops = forwarded === undefined ? [] : String(forwarded).split(",").reverse();
    let proxies = 1;
    for (const hop of hops) {
      const before = parse(withoutPort(hop.trim()));
      // No address can be read from here on: the last known one counts.
      if (before === undefined) break;
      client = before;
      if (!isTrusted(client)) break;
      proxies += 1;
    }
    return { client, proxies };
  };
}

/** What a limit counts as one client: an IPv4 address, or a /64 of IPv6, which a provider assigns to one customer. */
export function addressGroup(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = parse(address);
  if (parsed === undefined || parsed.kind() === "ipv4") return address;
  return `${parsed.toByteArray().slice(0, 8).join(".")}/64`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Undefined for anything but an address in a usual form. */
function parse(text: string): Address | undefined {
  const isAddress = text.includes(":") ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isAddress ? ipaddr.process(text.replace(/%.*$/, "")) : undefined;
}

function network(text: string): [Address, number] {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1];
  return bracketed ?? hop.replace(/^([^:]+):\d+$/, "$1");
}
