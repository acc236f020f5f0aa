// Firewall rules in JSON: the shape shared by every interface with rules, how it is parsed and described. Source:
// decisions, The lambda edition; the public API of that family. Rules are defined in rental/firewall/rules.ts.
// Used by lambda/firewall-schema.ts and control/storage-and-access/firewall.ts.

import { type Static, Type } from "typebox";
import { bounds, type GivenRule, portBounds, protocols, type Rule } from "../../rental/firewall/rules.ts";
import * as limit from "./documented-limits.ts";

const port = Type.Integer({ minimum: portBounds.least, maximum: portBounds.most });
const ports = Type.Array(port, {
  minItems: 2,
  maxItems: 2,
  description: "The first and the last port, both inclusive. Required for every protocol except icmp, which has none.",
  examples: [[22, 22]],
});
const protocol = Type.Enum([...protocols], {
  title: "FirewallProtocol",
  description: "`all` is TCP and UDP; with ports 1 to 65535 it is every protocol.",
});
const description = "Allowed inbound traffic: traffic that matches at least one rule.";

/** Rules in a response. */
export const rules = Type.Array(
  Type.Object(
    {
      protocol,
      port_range: Type.Optional(ports),
      source_network: Type.String({ description: "In CIDR notation.", examples: ["0.0.0.0/0"] }),
      description: Type.String({ examples: ["SSH from anywhere"] }),
    },
    { title: "FirewallRule" },
  ),
  { description },
);

/** Rules in a request. */
export const GivenRules = Type.Array(
  Type.Object(
    {
      protocol,
      port_range: Type.Optional(Type.Union([ports, Type.Null()])),
      source_network: Type.String({
        ...limit.network,
        description: "An IPv4 or IPv6 network in CIDR notation, or one address.",
        examples: ["0.0.0.0/0"],
      }),
      description: Type.Optional(
        Type.String({
          ...limit.ruleDescription,
          description: `Up to ${bounds.description} characters. Default: none.`,
        }),
      ),
    },
    { title: "GivenFirewallRule" },
  ),
  { maxItems: bounds.rulesOfASet, description },
);

/** The name of a ruleset. */
export const rulesetName = Type.String({
  ...limit.instanceName,
  description: "1 to 64 characters, not unique.",
  examples: ["web servers"],
});

/** What rules do, for the descriptions of operations. */
export const effect =
  "Rules allow inbound traffic and are combined: an instance accepts traffic that a rule of the account or of one of its " +
  "rulesets allows, and no other. Until an account sets its own rules, one rule allows all inbound traffic.";

/** The rules as the rental takes them. */
export function given(list: Static<typeof GivenRules>): GivenRule[] {
  return list.map((one) => ({
    protocol: one.protocol,
    ports: one.port_range ?? undefined,
    source: one.source_network,
    description: one.description ?? "",
  }));
}

/** A rule in a response. */
export function rule({ protocol: of, ports: range, source, description: text }: Rule) {
  return { protocol: of, ...(range !== null && { port_range: [...range] }), source_network: source, description: text };
}

const ssh = { protocol: "tcp", port_range: [22, 22], source_network: "203.0.113.0/24", description: "SSH" } as const;

/** For the documents. */
export const exampleRules = [{ ...ssh, port_range: [...ssh.port_range] }];
