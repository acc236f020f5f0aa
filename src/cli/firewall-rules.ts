// Parses and formats firewall rules: a protocol, ports, and a source network. Pure.

import type { paths } from "../client/control-api.ts";
import { usageError } from "./command-error.ts";

export type Rule = paths["/firewall-rules"]["get"]["responses"]["200"]["content"]["application/json"]["data"][number];

const protocols: readonly Rule["protocol"][] = ["tcp", "udp", "icmp", "all"];
export const protocolWords = protocols.join(", ");

const everyPort: [number, number] = [1, 65_535];
const everywhere = "0.0.0.0/0";

/** Throws CommandError. `ports`: "22" or "8000-8010"; omitted: every port, or none for icmp. */
export function ruleFrom(protocol: string, ports: string | undefined, source: string, description = ""): Rule {
  const found = protocols.find((one) => one === protocol);
  if (found === undefined) throw usageError(`There is no protocol "${protocol}".`, `Choose one of: ${protocolWords}.`);
  if (found === "icmp" && ports !== undefined) throw usageError("icmp has no ports.", "Remove them.");
  return {
    protocol: found,
    ...(found === "icmp" ? {} : { port_range: portsIn(ports) }),
    source_network: networkIn(source),
    description,
  };
}

/** Whether both allow the same traffic. */
export function isSameRule(one: Rule, other: Rule): boolean {
  return ruleText(one) === ruleText(other);
}

/** "tcp 22 from 203.0.113.0/24". */
export function ruleText(rule: Rule): string {
  return [rule.protocol, portsText(rule), "from", rule.source_network].filter((part) => part !== "").join(" ");
}

/** "22", "8000-8010", "all"; "" for icmp. */
export function portsText({ port_range: range }: Rule): string {
  const [from, to] = range ?? [];
  if (from === undefined || to === undefined) return "";
  if (from === everyPort[0] && to === everyPort[1]) return "all";
  return from === to ? `${from}` : `${from}-${to}`;
}

/** Whether it makes every other rule redundant. */
export function letsEverythingIn(rule: Rule): boolean {
  return rule.protocol === "all" && portsText(rule) === "all" && rule.source_network === everywhere;
}

function portsIn(text: string | undefined): [number, number] {
  if (text === undefined || text === "all") return everyPort;
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (from === undefined)
    throw usageError(`"${text}" is not a port or a port range.`, "Use 22 or 8000-8010, for example.");
  return [Number(from), Number(to)];
}

/** A single address is a network of one, as the service stores it. */
function networkIn(text: string): string {
  if (text.includes("/")) return text;
  return `${text}/${text.includes(":") ? 128 : 32}`;
}
