// The lambda edition: shapes of the account's firewall rules and rulesets, and their views. Source: decisions, The
// lambda edition; the public API of that family. Used by firewall-routes.ts and, for a launch, by schema.ts.

import { Type } from "typebox";
import { bounds, type Rule } from "../../rental/firewall/rules.ts";
import type { Ruleset } from "../../rental/firewall/ruleset-store.ts";
import * as limit from "../api/documented-limits.ts";
import { exampleRules, GivenRules, rulesetName as name, rule, rules } from "../api/firewall-rules.ts";
import { Region, sample } from "../api/schema.ts";

export const Rules = Type.Object({ data: rules }, { title: "FirewallRules" });
export const ReplaceRules = Type.Object({ data: GivenRules });

const FirewallRuleset = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    name,
    region: Region,
    rules,
    created: Type.String({ format: "date-time" }),
    instance_ids: Type.Array(Type.String({ format: "uuid" }), { description: "Live instances launched with it." }),
  },
  { title: "FirewallRuleset" },
);
export const OneRuleset = Type.Object({ data: FirewallRuleset }, { title: "FirewallRulesetResponse" });
export const Rulesets = Type.Object({ data: Type.Array(FirewallRuleset) });
export const CreateRuleset = Type.Object({
  name,
  region: Type.String({ ...limit.name, description: "The name of a region.", examples: [sample.region.name] }),
  rules: GivenRules,
});
export const ChangeRuleset = Type.Object({ name: Type.Optional(name), rules: Type.Optional(GivenRules) });

export const GlobalRuleset = Type.Object(
  {
    data: Type.Object({ id: Type.Literal("global"), name: Type.String(), rules }, { title: "GlobalFirewallRuleset" }),
  },
  { title: "GlobalFirewallRulesetResponse" },
);
export const ChangeGlobalRuleset = Type.Object({ rules: Type.Optional(GivenRules) });

/** In a launch. */
export const RulesetIds = Type.Array(Type.Object({ id: Type.String({ ...limit.uuid }) }), {
  maxItems: bounds.setsOfAnInstance,
  description:
    "Firewall rulesets of the same region. Their rules apply in addition to those of the account. Default: none.",
});

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
