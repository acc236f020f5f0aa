// Changes an instance's idle rule after launch. Source: the control interface, `PATCH /instances/{id}`.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { checkIdleRule, type IdleRule } from "../../rules/idle.ts";
import { invalid } from "../errors.ts";
import type { Principal, Service } from "../service.ts";
import { fromRow, type Instance } from "./instance.ts";
import { lockLive } from "./instance-store.ts";

/**
 * Sets the rule of one of the account's instances; null: none. Its time counts anew. Throws RentalError unknown-object,
 * conflict (it is terminated), invalid-parameters (`idle_rule`: it reports no use of GPUs).
 */
export async function changeIdleRule(
  tx: Transaction,
  service: Service,
  principal: Principal,
  id: string,
  rule: IdleRule | null,
): Promise<Instance> {
  const instance = await lockLive(tx, service, principal, id);
  const problem =
    rule === null ? undefined : checkIdleRule({ gpus: instance.product.gpus, hasMetrics: instance.hasMetrics });
  if (problem !== undefined) throw invalid("idle_rule", problem);
  await sql`delete from idle_watches where instance_id = ${instance.id}`.execute(tx);
  const { rows } = await sql<Selectable<InstancesTable>>`
    update instances set idle_rule = ${rule === null ? null : JSON.stringify(rule)}::jsonb
    where id = ${instance.id} returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an instance locked by this transaction was not updated");
  return fromRow(row);
}
