// An account's rules, which apply to all of its instances: `/firewall-rules` and the ruleset `global` are both these.

import type { Database, Transaction } from "../../database/connect.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal, Service } from "../service.ts";
import { lockFiltered, refuseUnkept, requestRules } from "./change-rules.ts";
import { areSame, checkRules, defaultRules, type GivenRule, type Rule } from "./rules.ts";

/** The current rules, or the default. */
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
 * Replaces them all; without any, all inbound traffic is blocked. `field`: as for checkRules. Throws RentalError
 * invalid-parameters, or conflict as refuseUnkept.
 *
 * A launch reads no rules, so a concurrent one must either be seen here, or be created with these. It holds its
 * account's row (lockFiltered); the holder of that row sees all earlier launches, and later ones find the rules
 * committed.
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
