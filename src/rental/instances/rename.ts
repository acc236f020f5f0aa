// The name of an instance, changed after its launch. Its host name stays: its guest, certificates and the customer's own
// notes know it by that. Source: decisions, Identifiers and names, and The lambda edition.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/schema.ts";
import { invalid } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Service, Tenant } from "../service.ts";
import { fromRow, type Instance } from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { lockAll } from "./instance-store.ts";
import { checkInstanceName, defaultInstanceName } from "./names.ts";

/**
 * Gives one of the account's instances another name; an empty one is the name it would have had without one, and
 * undefined leaves it as it is. `field` is the variant's name of it. Throws RentalError unknown-object, invalid-parameters.
 */
export async function rename(
  tx: Transaction,
  service: Service,
  tenant: Tenant,
  id: string,
  wanted: string | undefined,
  field: string,
): Promise<Instance> {
  const problem = wanted === undefined || wanted === "" ? undefined : checkInstanceName(wanted);
  if (problem !== undefined) throw invalid(field, problem);
  const [instance] = await lockAll(tx, service, tenant, [id]);
  if (instance === undefined) throw new Error("BUG: lockAll gives what it was asked for, or refuses");
  const name = wanted === "" ? defaultInstanceName(instance.product.name, instance.id) : wanted;
  if (name === undefined || name === instance.name) return instance;
  const { rows } = await sql<Selectable<InstancesTable>>`
    update instances set name = ${name} where id = ${instance.id} returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an instance locked by this transaction was not updated");
  await recordEvents(tx, [instanceEvent(row, "renamed")]);
  return fromRow(row);
}
