// Control interface: firewall rules of the account, and rulesets for launches. The same rules as the lambda edition's,
// with the same functions. Source: decisions, The lambda edition.

import { Type } from "typebox";
import { readAccountRules, replaceAccountRules } from "../../../rental/firewall/account-rules.ts";
import {
  changeRuleset,
  createRuleset,
  deleteRuleset,
  listRulesets,
  readRuleset,
  type Ruleset as StoredRuleset,
} from "../../../rental/firewall/ruleset-store.ts";
import * as limit from "../../api/documented-limits.ts";
import { effect, exampleRules, GivenRules, given, rule, rules, rulesetName } from "../../api/firewall-rules.ts";
import type { Api } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { Region, sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const tag = "Firewall";

const Ruleset = Type.Object(
  {
    id: field.uuid(),
    name: rulesetName,
    region: Region,
    rules,
    instance_ids: Type.Array(field.uuid(), { description: "Live instances launched with it." }),
    created_at: field.timestamp(),
  },
  { title: "FirewallRuleset" },
);

const example = view({
  id: sample.keyId,
  name: "web servers",
  region: sample.region,
  rules: [{ protocol: "tcp", ports: [22, 22], source: "203.0.113.0/24", description: "SSH" }],
  instanceIds: [sample.id],
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
});

const Rules = Type.Object({ data: rules }, { title: "FirewallRules" });

export function firewallRoutes(api: Api): void {
  accountRuleRoutes(api);
  rulesetRoutes(api);
}

function accountRuleRoutes(api: Api): void {
  api.get(
    "/firewall-rules",
    {
      id: "listFirewallRules",
      tag,
      summary: "List the account's firewall rules",
      description: `The rules for all of your instances. ${effect}`,
      answer: Rules,
      example: { answer: { data: exampleRules } },
    },
    async ({ db, principal }) => ({ data: (await readAccountRules(db, principal)).map(rule) }),
  );

  api.put(
    "/firewall-rules",
    {
      id: "replaceFirewallRules",
      tag,
      summary: "Replace the account's firewall rules",
      description: `Replaces all of them, also for existing instances. ${effect} Without rules, all inbound traffic is blocked.`,
      body: Type.Object({ rules: GivenRules }),
      answer: Rules,
      example: { request: { rules: exampleRules }, answer: { data: exampleRules } },
      errors: ["conflict"],
    },
    async ({ tx, service, principal, body }) => ({
      data: (await replaceAccountRules(tx, service, principal, given(body.rules), "rules")).map(rule),
    }),
  );
}

function rulesetRoutes(api: Api): void {
  api.get(
    "/firewall-rulesets",
    {
      id: "listFirewallRulesets",
      tag,
      summary: "List firewall rulesets",
      description: "Your rulesets, oldest first, without the account's rules.",
      query: Type.Object(pageQuery),
      answer: field.many(Ruleset),
      example: { answer: { data: [example] } },
    },
    async ({ db, principal, page }) => ({
      data: (await page(byId, (window) => listRulesets(db, principal, window))).map(view),
    }),
  );

  api.post(
    "/firewall-rulesets",
    {
      id: "createFirewallRuleset",
      tag,
      summary: "Create a firewall ruleset",
      description: `Rules for instances that are launched with it (\`firewall_ruleset_ids\`). ${effect}`,
      body: Type.Object({
        name: rulesetName,
        region: Type.String({ ...limit.name, description: "The name of a region.", examples: [sample.region.name] }),
        rules: GivenRules,
      }),
      answer: field.one(Ruleset),
      example: {
        request: { name: "web servers", region: sample.region.name, rules: exampleRules },
        answer: { data: { ...example, instance_ids: [] } },
      },
      errors: ["unknown-name", "quota-exceeded"],
    },
    async ({ tx, principal, body: { name, region, rules: asked } }) => ({
      data: view(await createRuleset(tx, principal, { name, region, rules: given(asked) })),
    }),
  );

  api.get(
    "/firewall-rulesets/:id",
    {
      id: "getFirewallRuleset",
      tag,
      summary: "Read a firewall ruleset",
      description: "One ruleset, with its live instances.",
      params: field.IdParam,
      answer: field.one(Ruleset),
      example: { answer: { data: example } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({ data: view(await readRuleset(db, principal, params.id)) }),
  );

  api.patch(
    "/firewall-rulesets/:id",
    {
      id: "changeFirewallRuleset",
      tag,
      summary: "Change a firewall ruleset",
      description: "Changes its name, its rules, or both. New rules also apply to existing instances.",
      params: field.IdParam,
      body: Type.Object({ name: Type.Optional(rulesetName), rules: Type.Optional(GivenRules) }),
      answer: field.one(Ruleset),
      example: { request: { rules: exampleRules }, answer: { data: example } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, service, principal, params, body: { name, rules: asked } }) => {
      const change = { name, rules: asked === undefined ? undefined : given(asked) };
      return { data: view(await changeRuleset(tx, service, principal, params.id, change)) };
    },
  );

  api.delete(
    "/firewall-rulesets/:id",
    {
      id: "deleteFirewallRuleset",
      tag,
      summary: "Delete a firewall ruleset",
      description: "Rejected while a live instance uses it.",
      params: field.IdParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "firewall-ruleset-in-use"],
    },
    async ({ tx, principal, params }) => {
      await deleteRuleset(tx, principal, params.id);
      return { data: {} };
    },
  );
}

function view(one: StoredRuleset) {
  return {
    id: one.id,
    name: one.name,
    region: { name: one.region.name, description: one.region.description },
    rules: one.rules.map(rule),
    instance_ids: [...one.instanceIds],
    created_at: one.createdAt.toISOString(),
  };
}
