// Firewall rules as people read and type them. The service validates them: here is only what a form can check. Pure.

import type { Shape } from "../../../src/client/client.ts";
import { formatNumber } from "../shared/format-number.ts";

export type Rule = Shape<"FirewallRuleset">["rules"][number];
export type Protocol = Rule["protocol"];

export const protocolTitles: Readonly<Record<Protocol, string>> = {
  tcp: "TCP",
  udp: "UDP",
  icmp: "ICMP",
  all: "TCP and UDP",
};

/** A rule in a form. */
export interface RuleLine {
  /** Of the line in the form. */
  readonly id: number;
  readonly protocol: Protocol;
  /** "22", or "8000-8100". */
  readonly port_range: string;
  readonly source_network: string;
  readonly description: string;
}

const everyPort = [1, 65_535] as const;

/** Every network of IPv4. */
export const anywhere = "0.0.0.0/0";

export const newLine = (id: number): RuleLine => ({
  id,
  protocol: "tcp",
  port_range: "",
  source_network: anywhere,
  description: "",
});

/** "SSH from 203.0.113.0/24" in two parts: "TCP 22" or "Everything", and from where. */
export function trafficWords({ protocol, port_range: range }: Rule): string {
  if (protocol === "icmp" || range === undefined) return protocolTitles[protocol];
  const [from = 0, to = 0] = range;
  const isEveryPort = from === everyPort[0] && to === everyPort[1];
  if (isEveryPort) return protocol === "all" ? "Everything" : `${protocolTitles[protocol]}, all ports`;
  return `${protocolTitles[protocol]} ${from === to ? from : `${from}–${to}`}`;
}

export const sourceWords = ({ source_network: network }: Rule): string =>
  network === anywhere ? "Anywhere (IPv4)" : network === "::/0" ? "Anywhere (IPv6)" : network;

/** Two ports of "22" or "8000-8100"; all of "all"; undefined: not ports. */
export function portsOf(text: string): [number, number] | undefined {
  if (/^\s*all\s*$/i.test(text)) return [...everyPort];
  const [, first = "", last = first] = /^\s*(\d{1,5})(?:\s*[-–:]\s*(\d{1,5}))?\s*$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  return from >= everyPort[0] && to <= everyPort[1] && from <= to ? [from, to] : undefined;
}

/** The errors of lines, by the path of the input. */
export function ruleErrors(rules: readonly RuleLine[]): Record<string, string> {
  const wrong = rules.flatMap(({ protocol, port_range, source_network }, index) => [
    ...(protocol !== "icmp" && portsOf(port_range) === undefined
      ? [[`rules.${index}.port_range`, "Enter a port such as 22, a range such as 8000-8100, or all."] as const]
      : []),
    ...(/^[\da-fA-F.:]+(\/\d{1,3})?$/.test(source_network.trim())
      ? []
      : [[`rules.${index}.source_network`, "Enter a network such as 203.0.113.0/24, or one address."] as const]),
  ]);
  return Object.fromEntries(wrong);
}

/** As the service takes it. Of a line without errors. */
export function ruleOf({ protocol, port_range, source_network, description }: RuleLine): Rule {
  const range = portsOf(port_range);
  return {
    protocol,
    ...(protocol === "icmp" || range === undefined ? {} : { port_range: range }),
    source_network: source_network.trim(),
    description: description.trim(),
  };
}

/** As a form has it. */
export function lineOf({ protocol, port_range: range, source_network, description }: Rule, id: number): RuleLine {
  const [from, to] = range ?? [];
  return {
    id,
    protocol,
    port_range: from === undefined ? "" : from === to ? String(from) : `${from}-${to}`,
    source_network,
    description,
  };
}

export function isSameRule(one: Rule, other: Rule): boolean {
  const { port_range: a = [] } = one;
  const { port_range: b = [] } = other;
  return (
    one.protocol === other.protocol &&
    one.source_network === other.source_network &&
    one.description === other.description &&
    a.join("-") === b.join("-")
  );
}

/** "3 rules" of a ruleset, or what its only rule allows. */
export function rulesWords(rules: readonly Rule[]): string {
  const [only] = rules;
  if (only === undefined) return "No rules";
  return rules.length === 1 ? `${trafficWords(only)} from ${sourceWords(only)}` : `${formatNumber(rules.length)} rules`;
}
