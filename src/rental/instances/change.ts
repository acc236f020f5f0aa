// Stop, restart and terminate: a batch is all or nothing, and may be repeated safely.
// Source: specification, States and transitions; decisions, Instance life. What is allowed stands in lifecycle.ts.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/schema.ts";
import { closeSpan } from "../billing/ledger.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Service, Tenant } from "../service.ts";
import { fromRow, type Instance } from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { lockAll } from "./instance-store.ts";
import { afterWish, asState, bill, type State, type Wish } from "./lifecycle.ts";
import { wakeFulfilment } from "./wake.ts";

type Row = Selectable<InstancesTable>;

/**
 * Wishes `wish` for every one of `idsAsWritten` (by the client; duplicates count once), and gives the instances back
 * as they are now, in the order asked for. `idsField` is the variant's name of the list.
 * Throws RentalError invalid-parameters (no ids), unknown-object, instance-not-stopped, instance-terminated; then
 * nothing happened to any.
 */
export async function change(
  tx: Transaction,
  service: Service,
  tenant: Tenant,
  wish: Wish,
  idsAsWritten: readonly string[],
  idsField: string,
): Promise<Instance[]> {
  if (idsAsWritten.length === 0) throw invalid(idsField, "Name at least one instance.");
  const instances = await lockAll(tx, service, tenant, idsAsWritten);
  const changing = instances.filter((instance) => targetOf(instance, wish) !== instance.state);
  if (changing.length === 0) return instances;
  const rows = await moveAll(tx, changing, wish);
  if (wish in bill) await closeSpan(tx, ids(changing));
  await recordEvents(
    tx,
    rows.map((row) => instanceEvent(row, asState(row.state))),
  );
  await wakeFulfilment(tx);
  const changed = new Map(rows.map((row) => [row.id, fromRow(row)]));
  return instances.map((instance) => changed.get(instance.id) ?? instance);
}

/** Where the wish leads. Throws the refusal that belongs to the wish. */
function targetOf(instance: Instance, wish: Wish): State {
  const target = afterWish(instance.state, wish);
  if (target !== undefined) return target;
  throw wish === "restart"
    ? new RentalError("instance-not-stopped", { id: instance.id, state: instance.state })
    : new RentalError("instance-terminated", { id: instance.id });
}

/** A new wish is a new generation: due at once, with a clean slate, and what older work still reports no longer counts. */
async function moveAll(tx: Transaction, instances: readonly Instance[], wish: Wish): Promise<Row[]> {
  const targets = instances.map((instance) => targetOf(instance, wish));
  const { rows } = await sql<Row>`
    update instances set
      state = wished.target, generation = generation + 1, wished_at = now(), next_look_at = now(), attempts = 0,
      progress = null, failure_code = null, failure_message = null,
      terminating_at = case when wished.target = 'terminating' then now() else terminating_at end
    from unnest(${ids(instances)}::uuid[], ${targets}::text[]) as wished (wished_id, target)
    where id = wished.wished_id
    returning instances.*`.execute(tx);
  if (rows.length !== instances.length) throw new Error("BUG: an instance locked by this transaction was not updated");
  return rows;
}

function ids(instances: readonly Instance[]): string[] {
  return instances.map((instance) => instance.id);
}
