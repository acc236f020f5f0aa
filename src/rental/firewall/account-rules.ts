// The rules of an account, which hold for all of its instances: `/firewall-rules` and the ruleset `global` are both these.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Service, Tenant } from "../service.ts";
import { isFiltered, lockFiltered, wishForRules } from "./change-rules.ts";
import { areSame, checkRules, defaultRules, type GivenRule, type Rule, together } from "./rules.ts";

/** As they were given last, or the default. */
export async function readAccountRules(
  db: Database,
  { accountId }: Pick<Tenant, "accountId">,
): Promise<readonly Rule[]> {
  const row = await db
    .selectFrom("firewall_rules")
    .select("rules")
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row?.rules ?? defaultRules;
}

/**
 * Replaces them all; without any, nothing comes in any more. `field`: as for checkRules. Throws RentalError
 * invalid-parameters, or conflict where they would keep something out and cannot, because a live instance is on an engine
 * that cannot filter: rules that are shown have to hold.
 *
 * A launch reads no rules, so one that commits now must either be seen here, or be made with these. It holds its account's
 * row; whoever has that row sees all launches before, and those after find the rules committed. Instances come before the
 * account, as everywhere, so those that are there already are locked first.
 */
export async function replaceAccountRules(
  tx: Transaction,
  { enginesWithoutFirewall }: Pick<Service, "enginesWithoutFirewall">,
  { accountId }: Tenant,
  given: readonly GivenRule[],
  field: string,
): Promise<readonly Rule[]> {
  const rules = checkRules(given, field);
  await lockFiltered(tx, accountId);
  await tx.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
  if (areSame(await readAccountRules(tx, { accountId }), rules)) return rules;
  if (together(rules) !== undefined) await refuseWhereUnfiltered(tx, accountId, enginesWithoutFirewall ?? new Set());
  await tx
    .insertInto("firewall_rules")
    .values({ account_id: accountId, rules: JSON.stringify(rules) })
    .onConflict((conflict) =>
      conflict.column("account_id").doUpdateSet({ rules: JSON.stringify(rules), changed_at: new Date() }),
    )
    .execute();
  await wishForRules(tx, accountId);
  await recordEvents(tx, [
    {
      accountId,
      type: "account.firewall_changed",
      subjectId: accountId,
      data: { account_id: accountId, firewall_rules: rules.length },
    },
  ]);
  return rules;
}

async function refuseWhereUnfiltered(tx: Transaction, accountId: string, engines: ReadonlySet<string>): Promise<void> {
  if (engines.size === 0) return;
  const { rows } = await sql<{ id: string }>`
    select id from instances where account_id = ${accountId} and ${isFiltered} and engine = any(${[...engines]}::text[])
    order by id limit 1`.execute(tx);
  const [first] = rows;
  if (first === undefined) return;
  throw new RentalError("conflict", {
    message: `Instance ${first.id} is on a host that cannot keep firewall rules.`,
    suggestion: "Terminate it first, or leave everything in and filter within the instance.",
  });
}
