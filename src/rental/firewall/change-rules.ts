// What goes with every change of rules: the reconciler must apply them to the affected instances. The desired version
// is a number in the instance's row, so no change is lost.
//
// Invariant: visible rules can be enforced. Changes hold the account's row (`lockFiltered`), so two that are valid only
// separately are serialized, and a change that an instance's engine cannot enforce is rejected (`refuseUnkept`).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { isLive, statesWhere } from "../../rules/lifecycle.ts";
import { RentalError } from "../errors.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { Service } from "../service.ts";
import { inboundOf } from "./inbound.ts";

/** The rules apply to an instance while this is true. */
export const isFiltered = sql<boolean>`state = any(${statesWhere(isLive)}::text[])`;

/** Makes the account's instances due, or only those with this ruleset. Locks them in order of id. */
export async function requestRules(tx: Transaction, accountId: string, rulesetId?: string): Promise<void> {
  const { numAffectedRows } = await sql`
    with held as materialized (
      select id from instances where account_id = ${accountId} and ${isFiltered}
        and ${hasRuleset(rulesetId)}
      order by id for no key update)
    update instances i set firewall_wished = firewall_wished + 1, next_look_at = now()
    from held where i.id = held.id`.execute(tx);
  if ((numAffectedRows ?? 0n) > 0n) await wakeReconciler(tx);
}

/**
 * Before a change of rules: locks the account's instances, or only those with this ruleset, in order of id, and then
 * the account, in the lock order. A ruleset is locked before that.
 */
export async function lockFiltered(tx: Transaction, accountId: string, rulesetId?: string): Promise<void> {
  await sql`
    select from instances where account_id = ${accountId} and ${isFiltered} and ${hasRuleset(rulesetId)}
    order by id for no key update`.execute(tx);
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx);
}

/**
 * After a change of rules, of the account's or of this ruleset's: throws RentalError conflict if they would block
 * traffic to a live instance whose engine cannot filter. Reads its rules as the reconciler does.
 */
export async function refuseUnkept(
  tx: Transaction,
  { enginesWithoutFirewall }: Pick<Service, "enginesWithoutFirewall">,
  accountId: string,
  rulesetId?: string,
): Promise<void> {
  const engines = [...(enginesWithoutFirewall?.() ?? [])];
  if (engines.length === 0) return;
  // The same rules apply to all instances with the same rulesets.
  const { rows } = await sql<{ id: string; account_id: string; firewall_ruleset_ids: string[] }>`
    select distinct on (firewall_ruleset_ids) id, account_id, firewall_ruleset_ids from instances
    where account_id = ${accountId} and ${isFiltered} and ${hasRuleset(rulesetId)} and engine = any(${engines}::text[])
    order by firewall_ruleset_ids, id`.execute(tx);
  for (const instance of rows) {
    if ((await inboundOf(tx, instance)) === undefined) continue;
    throw new RentalError("conflict", {
      message: `Instance ${instance.id} is on a host that does not support firewall rules.`,
      suggestion: "Terminate it first, or allow all traffic and filter within the instance.",
    });
  }
}

/** Any instance if no ruleset is given. */
function hasRuleset(rulesetId: string | undefined) {
  const id = rulesetId ?? null;
  return sql<boolean>`(${id}::uuid is null or ${id}::uuid = any(firewall_ruleset_ids))`;
}
