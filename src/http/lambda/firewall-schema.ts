// The lambda edition: shapes of firewall rules and sets of them, and how they are worded. Source: decisions, The lambda
// edition; the public API of that family. Used by firewall-routes.ts and, for a launch, by schema.ts.

import { type Static, Type } from "typebox";
import { bounds, type GivenRule, portBounds, protocols, type Rule, type Ruleset } from "../../rental/firewall/index.ts";
import { Region, sample } from "../schema.ts";

const port = Type.Integer({ minimum: portBounds.least, maximum: portBounds.most });
const ports = Type.Array(port, {
  minItems: 2,
  maxItems: 2,
  description: "Two ports, both included, the smaller one first. Not for icmp; needed for every other protocol.",
  examples: [[22, 22]],
});
const protocol = Type.Enum([...protocols], {
  description: "`all` is TCP and UDP; with the ports 1 to 65535 it is whatever else there is too.",
});

const FirewallRule = Type.Object({
  protocol,
  port_range: Type.Optional(ports),
  source_network: Type.String({ description: "In CIDR notation.", examples: ["0.0.0.0/0"] }),
  description: Type.String({ examples: ["SSH from anywhere"] }),
});

const rulesDescription = "What may come in: whatever one of the rules lets in.";
const rules = Type.Array(FirewallRule, { description: rulesDescription });
const GivenRules = Type.Array(
  Type.Object({
    protocol,
    port_range: Type.Optional(Type.Union([ports, Type.Null()])),
    source_network: Type.String({
      description: "An IPv4 or IPv6 network in CIDR notation, or one address.",
      examples: ["0.0.0.0/0"],
    }),
    description: Type.Optional(
      Type.String({ description: `Up to ${bounds.description} characters; none by default.` }),
    ),
  }),
  { maxItems: bounds.rulesOfASet, description: rulesDescription },
);
const name = Type.String({ description: "1 to 64 characters, not unique.", examples: ["web servers"] });

export const Rules = Type.Object({ data: rules });
export const ReplaceRules = Type.Object({ data: GivenRules });

const FirewallRuleset = Type.Object({
  id: Type.String({ format: "uuid" }),
  name,
  region: Region,
  rules,
  created: Type.String({ format: "date-time" }),
  instance_ids: Type.Array(Type.String({ format: "uuid" }), { description: "Live instances launched with it." }),
});
export const OneRuleset = Type.Object({ data: FirewallRuleset });
export const Rulesets = Type.Object({ data: Type.Array(FirewallRuleset) });
export const CreateRuleset = Type.Object({
  name,
  region: Type.String({ description: "The name of a region.", examples: [sample.region.name] }),
  rules: GivenRules,
});
export const ChangeRuleset = Type.Object({ name: Type.Optional(name), rules: Type.Optional(GivenRules) });

export const GlobalRuleset = Type.Object({
  data: Type.Object({ id: Type.Literal("global"), name: Type.String(), rules }),
});
export const ChangeGlobalRuleset = Type.Object({ rules: Type.Optional(GivenRules) });

/** In a launch. */
export const RulesetIds = Type.Array(Type.Object({ id: Type.String() }), {
  maxItems: bounds.setsOfAnInstance,
  description: "Firewall rulesets of the same region, whose rules hold beside those of the account. None by default.",
});

/** As the rental takes them. */
export function given(list: Static<typeof GivenRules>): GivenRule[] {
  return list.map((one) => ({
    protocol: one.protocol,
    ports: one.port_range ?? undefined,
    source: one.source_network,
    description: one.description ?? "",
  }));
}

export function rule({ protocol: of, ports: range, source, description }: Rule) {
  return { protocol: of, ...(range !== null && { port_range: [...range] }), source_network: source, description };
}

export function ruleset(one: Ruleset) {
  return {
    id: one.id,
    name: one.name,
    region: { name: one.region.name, description: one.region.description },
    rules: one.rules.map(rule),
    created: one.createdAt.toISOString(),
    instance_ids: [...one.instanceIds],
  };
}

export function globalRuleset(list: readonly Rule[]) {
  return { id: "global" as const, name: "Rules of the account", rules: list.map(rule) };
}

const ssh = { protocol: "tcp", port_range: [22, 22], source_network: "203.0.113.0/24", description: "SSH" } as const;
const exampleRules = [{ ...ssh, port_range: [...ssh.port_range] }];
export const example = {
  rules: { data: exampleRules },
  global: { data: { id: "global" as const, name: "Rules of the account", rules: exampleRules } },
  order: { name: "web servers", region: sample.region.name, rules: exampleRules },
  ruleset: {
    id: sample.keyId,
    name: "web servers",
    region: sample.region,
    rules: exampleRules,
    created: "2026-03-01T12:00:00.000Z",
    instance_ids: [sample.id],
  },
};
