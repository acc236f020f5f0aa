// The inbound rules of an instance: those of its account and of the rulesets it was launched with. Used by the
// reconciler, which applies them at its engine.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { defaultRules, type Rule, together } from "./rules.ts";

/** Undefined: everything is allowed. */
export async function inboundOf(
  db: Database,
  instance: { readonly account_id: string; readonly firewall_ruleset_ids: readonly string[] },
): Promise<Omit<Rule, "description">[] | undefined> {
  const { rows } = await sql<{ of_account: Rule[] | null; of_sets: Rule[][] | null }>`
    select (select rules from firewall_rules where account_id = ${instance.account_id}) as of_account,
      (select jsonb_agg(rules order by id) from firewall_rulesets
        where account_id = ${instance.account_id} and id = any(${[...instance.firewall_ruleset_ids]}::uuid[])) as of_sets
  `.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without from gave no row");
  return together(row.of_account ?? defaultRules, ...(row.of_sets ?? []))?.map(({ protocol, ports, source }) => ({
    protocol,
    ports,
    source,
  }));
}
