// A firewall rule: its fields, and what several of them allow together. Single source of what interfaces accept, what
// is stored, and what engines get. Source: decisions, The lambda edition; the public API of its family.
//
// Rules only allow, and add up: traffic that no rule of an instance allows is blocked. Replies to the instance's own
// connections are always allowed. Invariant: a stored rule is normalized, so equal networks have equal texts.

import ipaddr from "ipaddr.js";
import { type FieldProblem, RentalError } from "../errors.ts";

export const protocols = ["tcp", "udp", "icmp", "all"] as const;
export type Protocol = (typeof protocols)[number];

export interface Rule {
  /** `all`: TCP and UDP; with every port, all other protocols too. */
  readonly protocol: Protocol;
  /** Inclusive; null for icmp, which has none. */
  readonly ports: readonly [from: number, to: number] | null;
  /** A network in CIDR notation, without host bits. */
  readonly source: string;
  readonly description: string;
}

/** The limits of requests. */
export const bounds = { rulesOfASet: 100, setsOfAnAccount: 50, setsOfAnInstance: 10, description: 128 } as const;
/** Longer than any network in text form, except for leading zeros. */
export const mostNetworkCharacters = 64;
export const portBounds = { least: 1, most: 65_535 } as const;

/** For accounts that never set any. */
export const defaultRules: readonly Rule[] = [
  {
    protocol: "all",
    ports: [portBounds.least, portBounds.most],
    source: "0.0.0.0/0",
    description: "Default: everything",
  },
];

export interface GivenRule {
  readonly protocol: Protocol;
  readonly ports: readonly number[] | undefined;
  readonly source: string;
  readonly description: string;
}

/**
 * The rules, normalized, in order. `field`: the interface's name of the list; fields of its entries are those of the
 * interface's rules. Throws RentalError invalid-parameters naming every invalid field.
 */
export function checkRules(given: readonly GivenRule[], field: string): Rule[] {
  const problems: [string, string][] = [];
  if (given.length > bounds.rulesOfASet) problems.push([field, `Give at most ${bounds.rulesOfASet} rules.`]);
  const rules = given.slice(0, bounds.rulesOfASet).map((one, at) => {
    for (const [name, problem] of problemsOf(one)) problems.push([`${field}.${at}.${name}`, problem]);
    return { ...one, ports: portsOf(one), source: networkOf(one.source) ?? one.source };
  });
  if (problems.length === 0) return rules;
  const fields = problems.map(([name, message]): [string, FieldProblem] => [
    name,
    { code: "global/invalid-parameters", message },
  ]);
  throw new RentalError("invalid-parameters", { fields: Object.fromEntries(fields) });
}

function* problemsOf({ protocol, ports, source, description }: GivenRule): Iterable<[string, string]> {
  if (protocol === "icmp" && ports !== undefined) yield ["port_range", "Must be omitted: icmp has no ports."];
  if (protocol !== "icmp" && ports === undefined) yield ["port_range", "Is required unless the protocol is icmp."];
  if (protocol !== "icmp" && ports !== undefined && !isRange(ports)) {
    const { least, most } = portBounds;
    yield ["port_range", `Give two ports from ${least} to ${most}, the smaller one first; the same one twice for one.`];
  }
  if (networkOf(source) === undefined) {
    yield ["source_network", "Give a network such as 192.0.2.0/24 or 2001:db8::/32, or one address."];
  }
  if (Array.from(description).length > bounds.description) {
    yield ["description", `Give at most ${bounds.description} characters.`];
  }
  if (/\p{Cc}/u.test(description)) yield ["description", "Give it in one line, without control characters."];
}

function isRange([from, to, ...others]: readonly number[]): boolean {
  if (from === undefined || to === undefined || others.length > 0) return false;
  return (
    Number.isInteger(from) && Number.isInteger(to) && portBounds.least <= from && from <= to && to <= portBounds.most
  );
}

function portsOf({ protocol, ports: [from, to] = [] }: GivenRule): Rule["ports"] {
  return protocol === "icmp" || from === undefined || to === undefined ? null : [from, to];
}

/** The normalized network; undefined if invalid. A single address is a network. */
export function networkOf(text: string): string | undefined {
  if (text.length > mostNetworkCharacters) return undefined;
  const [address = "", length, ...others] = text.split("/");
  if (others.length > 0 || (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length))) return undefined;
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isIPv4 && !isPlainIPv6(address)) return undefined;
  const longest = isIPv4 ? 32 : 128;
  const bits = length === undefined ? longest : Number(length);
  if (bits > longest) return undefined;
  const family = isIPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;
}

/** No zone, which is local to a machine, and no IPv4-mapped address. */
function isPlainIPv6(address: string): boolean {
  if (!address.includes(":") || address.includes("%") || !ipaddr.IPv6.isValid(address)) return false;
  return !ipaddr.IPv6.parse(address).isIPv4MappedAddress();
}

/** Whether the rule allows all traffic: then nothing is filtered, IPv6 neither. */
export function letsEverythingIn({ protocol, ports, source }: Rule): boolean {
  const isEveryPort = ports !== null && ports[0] === portBounds.least && ports[1] === portBounds.most;
  return protocol === "all" && isEveryPort && source === "0.0.0.0/0";
}

/** What these rules allow together; undefined: everything, so nothing is filtered. */
export function together(...sets: readonly (readonly Rule[])[]): Rule[] | undefined {
  const rules = sets.flat();
  return rules.some(letsEverythingIn) ? undefined : rules;
}

/** Whether two lists are equal, including order and descriptions. */
export function areSame(some: readonly Rule[], others: readonly Rule[]): boolean {
  const text = (rules: readonly Rule[]) =>
    JSON.stringify(rules.map(({ protocol, ports, source, description }) => [protocol, ports, source, description]));
  return text(some) === text(others);
}
