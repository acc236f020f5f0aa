// Applies an action to locked instances: state, billing, events, and a wake-up of the reconciler, in the caller's
// transaction. The only way that an instance stops, restarts or ends on request: of a customer (change.ts), an operator
// (change-one.ts), a limit (limits/), a maintenance window (maintenance/), or an eviction (spot/). lifecycle.ts defines which
// actions are allowed.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import {
  actions,
  afterAction,
  asState,
  bill,
  type Ending,
  haltsFirst,
  type InstanceAction,
  type State,
  statesEnteredBy,
} from "../../rules/lifecycle.ts";
import { endMaintenancePause } from "../billing/maintenance-pause.ts";
import { closeSpans, closeSpansOfPreempted } from "../billing/spans.ts";
import { RentalError } from "../errors.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { refuseStartWithoutMoney } from "../funds/exhausted.ts";
import { refuseStartInMaintenance } from "../maintenance/restarts.ts";
import { entryColumns } from "./entry-columns.ts";
import { fromRow, type Instance } from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { wakeReconciler } from "./wake.ts";

type Row = Selectable<InstancesTable>;

/**
 * The instances after the action, in the same order; those already in the target state stay unchanged. The caller holds
 * their row locks. `ending`: on whose behalf, and why if the action ends them. `reason`: as stated, for the event.
 * Throws RentalError instance-not-stopped, instance-terminated, and conflict for a restart while its host is in
 * maintenance, or while the customer's money is used up.
 */
export async function applyAction(
  tx: Transaction,
  instances: readonly Instance[],
  wish: InstanceAction,
  ending: Ending,
  reason?: string,
): Promise<Instance[]> {
  const changing = instances.filter((instance) => targetOf(instance, wish) !== instance.state);
  await keepStopped(tx, instances);
  await keepHalted(tx, instances);
  if (changing.length === 0) return [...instances];
  if (wish === "restart" || wish === "reboot") {
    await refuseStartInMaintenance(tx, changing);
    if (ending === "customer") await refuseStartWithoutMoney(tx, changing);
  }
  const rows = await moveAll(tx, changing, wish, ending);
  const isPreempted = ending === "preempted" && wish === "terminate";
  if (wish in bill) await (isPreempted ? closeSpansOfPreempted : closeSpans)(tx, ids(changing));
  await recordEvents(
    tx,
    rows.flatMap((row) => [
      ...(isPreempted ? [instanceEvent(row, "preempted")] : []),
      causedEvent(instanceEvent(row, asState(row.state)), ending, reason),
    ]),
  );
  await wakeReconciler(tx);
  const changed = new Map(rows.map((row) => [row.id, fromRow(row)]));
  return instances.map((instance) => changed.get(instance.id) ?? instance);
}

/**
 * What was stopped for a maintenance window does not start again by itself after any action on it, also one that finds
 * it stopped already; and it is billed again.
 */
async function keepStopped(tx: Transaction, instances: readonly Instance[]): Promise<void> {
  const stopped = instances.filter(({ stoppedFor }) => stoppedFor !== null);
  if (stopped.length === 0) return;
  await endMaintenancePause(tx, ids(stopped));
  await sql`update instances set stopped_for = null where id = any(${ids(stopped)}::uuid[])`.execute(tx);
}

/** What was halted for an eviction does not start again by itself after any action on it. */
async function keepHalted(tx: Transaction, instances: readonly Instance[]): Promise<void> {
  const halted = instances.filter(({ isStoppedForEviction }) => isStoppedForEviction);
  if (halted.length === 0) return;
  await sql`update instances set evict_stopped = false where id = any(${ids(halted)}::uuid[])`.execute(tx);
}

/** The event, with the operator's part and a stated reason. */
function causedEvent(event: NewEvent, ending: Ending, reason: string | undefined): NewEvent {
  const cause = { ...(ending === "operator" && { by: ending }), ...(reason !== undefined && { reason }) };
  return { ...event, data: { ...event.data, ...cause } };
}

/** The target state. Throws the action's error. */
function targetOf(instance: Instance, wish: InstanceAction): State {
  const target = afterAction(instance.state, wish);
  if (target !== undefined) return target;
  throw wish === "restart" || wish === "reboot"
    ? new RentalError("instance-not-stopped", { id: instance.id, state: instance.state })
    : new RentalError("instance-terminated", { id: instance.id });
}

/**
 * A new action is a new generation: due at once, with reset attempts, and observations for older generations no longer
 * count. What the guest was told of an eviction it has forgotten when it boots.
 */
async function moveAll(
  tx: Transaction,
  instances: readonly Instance[],
  wish: InstanceAction,
  ending: Ending,
): Promise<Row[]> {
  const targets = instances.map((instance) => targetOf(instance, wish));
  const halting = instances.map(({ state }) => haltsFirst(state, wish));
  const { rows } = await sql<Row>`
    update instances set
      state = wished.target, generation = generation + 1, wished_at = now(), next_look_at = now(), attempts = 0,
      progress = null, failure_code = null, failure_message = null, halt_first = wished.halting, evict_told = null,
      ${entryColumns(statesEnteredBy(actions), sql`wished.target`, sql`${ending}`)}
    from unnest(${ids(instances)}::uuid[], ${targets}::text[], ${halting}::boolean[]) as wished (wished_id, target, halting)
    where id = wished.wished_id
    returning instances.*`.execute(tx);
  if (rows.length !== instances.length) throw new Error("BUG: an instance locked by this transaction was not updated");
  return rows;
}

function ids(instances: readonly Instance[]): string[] {
  return instances.map(({ id }) => id);
}
