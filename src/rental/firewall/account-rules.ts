// The rules of an account, which hold for all of its instances: `/firewall-rules` and the ruleset `global` are both these.

import type { Database, Transaction } from "../../database/connect.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal, Service } from "../service.ts";
import { lockFiltered, refuseUnkept, requestRules } from "./change-rules.ts";
import { areSame, checkRules, defaultRules, type GivenRule, type Rule } from "./rules.ts";

/** As they were given last, or the default. */
export async function readAccountRules(
  db: Database,
  { accountId }: Pick<Principal, "accountId">,
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
 * invalid-parameters, or conflict as refuseUnkept.
 *
 * A launch reads no rules, so one that commits now must either be seen here, or be made with these. It holds its account's
 * row (lockFiltered); whoever has that row sees all launches before, and those after find the rules committed.
 */
export async function replaceAccountRules(
  tx: Transaction,
  service: Pick<Service, "enginesWithoutFirewall">,
  { accountId }: Principal,
  given: readonly GivenRule[],
  field: string,
): Promise<readonly Rule[]> {
  const rules = checkRules(given, field);
  await lockFiltered(tx, accountId);
  if (areSame(await readAccountRules(tx, { accountId }), rules)) return rules;
  await tx
    .insertInto("firewall_rules")
    .values({ account_id: accountId, rules: JSON.stringify(rules) })
    .onConflict((conflict) =>
      conflict.column("account_id").doUpdateSet({ rules: JSON.stringify(rules), changed_at: new Date() }),
    )
    .execute();
  await refuseUnkept(tx, service, accountId);
  await requestRules(tx, accountId);
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
