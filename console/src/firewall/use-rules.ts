// Reads the rules and rulesets of the account, and changes its rules, which the service only replaces as a whole.

import { given, type LessorClient } from "../../../src/client/client.ts";
import { useChange, useRead } from "../api/queries.ts";
import { isSameRule, type Rule, type RuleLine, ruleOf } from "./rules.ts";

/** Key and subject of everything about the firewall (api/touched.ts). */
const firewallKey = "firewall";

export function useAccountRules() {
  return useRead([firewallKey, "account"], (client) => client.GET("/firewall-rules"));
}

export function useRulesets() {
  return useRead([firewallKey, "rulesets"], (client) => client.GET("/firewall-rulesets"));
}

/** The reads that rules invalidate, with whether instances have them yet. */
export const touchedByRules: readonly string[] = [firewallKey, "instances", "events", "audit-log"];

/** Adds the last rule of a form to the present ones of the account. */
export function useAddRule() {
  return useChange<{ readonly rules: readonly RuleLine[] }, unknown>(
    (client, { rules }) => replaceRules(client, (present) => [...present, ...rules.slice(-1).map(ruleOf)]),
    touchedByRules,
  );
}

/** Removes a rule, once, from the present ones of the account. */
export function useRemoveRule() {
  return useChange<Rule, unknown>(
    (client, rule) =>
      replaceRules(client, (present) => {
        const at = present.findIndex((one) => isSameRule(one, rule));
        return present.filter((_, index) => index !== at);
      }),
    touchedByRules,
  );
}

/** Reads first, to keep concurrent changes. */
async function replaceRules(client: LessorClient, change: (present: readonly Rule[]) => readonly Rule[]) {
  const { data } = await given(client.GET("/firewall-rules"));
  return client.PUT("/firewall-rules", { body: { rules: [...change(data)] } });
}
