// The lambda edition: firewall rules of the account, and rulesets. Source: decisions, The lambda edition.

import { readAccountRules, replaceAccountRules } from "../../rental/firewall/account-rules.ts";
import {
  changeRuleset,
  createRuleset,
  deleteRuleset,
  listRulesets,
  readRuleset,
} from "../../rental/firewall/ruleset-store.ts";
import { effect, given, rule } from "../api/firewall-rules.ts";
import type { Api } from "../api/operations.ts";
import { byId, pageQuery } from "../api/paging.ts";
import * as schema from "./firewall-schema.ts";
import { Id, knownOnly, Nothing } from "./schema.ts";
import { unknownAsInvalid } from "./within-list.ts";

const tag = "Firewall";

export function firewallRoutes(api: Api): void {
  accountRoutes(api);
  rulesetRoutes(api);
}

function accountRoutes(api: Api): void {
  const { example } = schema;
  api.get(
    "/firewall-rules",
    {
      id: "listFirewallRules",
      tag,
      summary: "List the account's firewall rules",
      description: `The rules for all of your instances. ${effect}`,
      query: knownOnly({}),
      cached: "account",
      answer: schema.Rules,
      example: { answer: example.rules },
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
      body: schema.ReplaceRules,
      answer: schema.Rules,
      example: { request: example.rules, answer: example.rules },
      errors: ["conflict"],
    },
    async ({ tx, service, principal, body }) => {
      const rules = await replaceAccountRules(tx, service, principal, given(body.data), "data");
      return { data: rules.map(rule) };
    },
  );

  api.get(
    "/firewall-rulesets/global",
    {
      id: "getGlobalFirewallRuleset",
      tag,
      summary: "Read the global firewall ruleset",
      description: "The rules of the account, as `GET /firewall-rules` has them.",
      cached: "account",
      answer: schema.GlobalRuleset,
      example: { answer: example.global },
    },
    async ({ db, principal }) => ({ data: schema.globalRuleset(await readAccountRules(db, principal)) }),
  );

  api.patch(
    "/firewall-rulesets/global",
    {
      id: "changeGlobalFirewallRuleset",
      tag,
      summary: "Change the global firewall ruleset",
      description: "As `PUT /firewall-rules`. Without `rules` nothing changes.",
      body: schema.ChangeGlobalRuleset,
      answer: schema.GlobalRuleset,
      example: { request: { rules: example.rules.data }, answer: example.global },
      errors: ["conflict"],
    },
    async ({ tx, service, principal, body }) => {
      const rules =
        body.rules === undefined
          ? await readAccountRules(tx, principal)
          : await replaceAccountRules(tx, service, principal, given(body.rules), "rules");
      return { data: schema.globalRuleset(rules) };
    },
  );
}

function rulesetRoutes(api: Api): void {
  const { example } = schema;
  api.get(
    "/firewall-rulesets",
    {
      id: "listFirewallRulesets",
      tag,
      summary: "List firewall rulesets",
      description: "Your rulesets, oldest first; not the global one.",
      query: knownOnly(pageQuery),
      cached: "account",
      answer: schema.Rulesets,
      example: { answer: { data: [example.ruleset] } },
    },
    async ({ db, principal, page }) => {
      const found = await page(byId, (window) => listRulesets(db, principal, window));
      return { data: found.map(schema.ruleset) };
    },
  );

  api.post(
    "/firewall-rulesets",
    {
      id: "createFirewallRuleset",
      tag,
      summary: "Create a firewall ruleset",
      description: `Rules for instances that are launched with it. ${effect}`,
      body: schema.CreateRuleset,
      answer: schema.OneRuleset,
      example: { request: example.order, answer: { data: { ...example.ruleset, instance_ids: [] } } },
      errors: ["quota-exceeded"],
    },
    async ({ tx, principal, body: { name, region, rules } }) => {
      const order = { name, region, rules: given(rules) };
      const made = await unknownAsInvalid(() => createRuleset(tx, principal, order));
      return { data: schema.ruleset(made) };
    },
  );

  api.get(
    "/firewall-rulesets/:id",
    {
      id: "getFirewallRuleset",
      tag,
      summary: "Read a firewall ruleset",
      description: "One ruleset, with its live instances.",
      params: Id,
      cached: "account",
      answer: schema.OneRuleset,
      example: { answer: { data: example.ruleset } },
      errors: ["unknown-object"],
    },
    async ({ db, principal, params }) => ({
      data: schema.ruleset(await readRuleset(db, principal, params.id)),
    }),
  );

  api.patch(
    "/firewall-rulesets/:id",
    {
      id: "changeFirewallRuleset",
      tag,
      summary: "Change a firewall ruleset",
      description: "Changes its name, its rules, or both. New rules also apply to existing instances.",
      params: Id,
      body: schema.ChangeRuleset,
      answer: schema.OneRuleset,
      example: { request: { rules: example.rules.data }, answer: { data: example.ruleset } },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, service, principal, params, body: { name, rules } }) => {
      const change = { name, rules: rules === undefined ? undefined : given(rules) };
      return { data: schema.ruleset(await changeRuleset(tx, service, principal, params.id, change)) };
    },
  );

  api.delete(
    "/firewall-rulesets/:id",
    {
      id: "deleteFirewallRuleset",
      tag,
      summary: "Delete a firewall ruleset",
      description: "Rejected while a live instance uses it.",
      params: Id,
      answer: Nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object", "firewall-ruleset-in-use"],
    },
    async ({ tx, principal, params }) => {
      await deleteRuleset(tx, principal, params.id);
      return { data: {} };
    },
  );
}
