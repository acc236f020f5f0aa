// What goes with every change of rules: the instances for which they hold have to be looked at by fulfilment, which tells
// their machines. The wish is a number in the instance's row, so no change is lost, whoever is at work with it.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { isLive, statesWhere } from "../instances/lifecycle.ts";
import { wakeFulfilment } from "../instances/wake.ts";

/** An instance for which the rules hold as long as this says so. */
export const isFiltered = sql<boolean>`state = any(${statesWhere(isLive)}::text[])`;

/** Has fulfilment look at the account's instances, or only at those with this set. Locks them in order of id. */
export async function wishForRules(tx: Transaction, accountId: string, rulesetId?: string): Promise<void> {
  const { numAffectedRows } = await sql`
    with held as materialized (
      select id from instances where account_id = ${accountId} and ${isFiltered}
        and (${rulesetId ?? null}::uuid is null or ${rulesetId ?? null}::uuid = any(firewall_ruleset_ids))
      order by id for no key update)
    update instances i set firewall_wished = firewall_wished + 1, next_look_at = now()
    from held where i.id = held.id`.execute(tx);
  if ((numAffectedRows ?? 0n) > 0n) await wakeFulfilment(tx);
}

/** Locks the account's instances in order of id, until the transaction ends. */
export async function lockFiltered(tx: Transaction, accountId: string): Promise<void> {
  await sql`
    select from instances where account_id = ${accountId} and ${isFiltered} order by id for no key update`.execute(tx);
}
