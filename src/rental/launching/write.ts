// Writes placed launches: takes capacity, inserts the instances, their user data and their events, and wakes the
// reconciler. The last step of a launch (launch.ts); it decides nothing. Invariant: the caller's transaction has the
// places' hosts locked, and has added the launches to their accounts' usage.

import type { Selectable } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { insertedRows } from "../../database/insert-rows.ts";
import { together } from "../../database/round-trips.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { initialState } from "../../rules/lifecycle.ts";
import type { Held } from "../capacity/assign.ts";
import { takenPlaces } from "../capacity/host-lock.ts";
import { takingsOf } from "../capacity/reserve-together.ts";
import { recordEvents } from "../events/record.ts";
import { fromRow, type Instance, userDataContext } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { Service } from "../service.ts";
import type { LaunchPlan } from "./plan.ts";
import { launchColumns, rowFor } from "./row.ts";

/** The instances of each launch, in the order of its ids. Throws "BUG: …" if a place is not free. */
export async function writeLaunches(
  tx: Transaction,
  service: Service,
  placed: readonly Held<LaunchPlan>[],
): Promise<Map<LaunchPlan, Instance[]>> {
  if (placed.length === 0) return new Map();
  await writeUserData(tx, service, placed);
  const [, rows] = await together(tx, [takenPlaces(takingsOf(placed)), writtenRows(service, placed)] as const);
  await recordEvents(
    tx,
    rows.map((row) => instanceEvent(row, initialState)),
  );
  await wakeReconciler(tx);
  await wakePassedOver(tx, service, placed);
  return new Map(placed.map(({ want }) => [want, instancesOf(want, rows)]));
}

/**
 * What the first of a line could have used until now, and this has taken, others behind that first may use: what is left is
 * too small for it. Launches that waited are followed up by the placer itself.
 */
async function wakePassedOver(
  tx: Transaction,
  { capacity }: Service,
  placed: readonly Held<LaunchPlan>[],
): Promise<void> {
  const someAreNew = placed.some(({ want }) => want.position === undefined);
  if (someAreNew && capacity.order.lines.length > 1) await wakeReconciler(tx, "launches");
}

/** Encrypted once for all instances of a launch. One statement each, because each can be a megabyte. */
async function writeUserData(
  tx: Transaction,
  { keyRing }: Service,
  placed: readonly Held<LaunchPlan>[],
): Promise<void> {
  for (const { want } of placed) {
    const { userDataId: id, order } = want;
    if (id === undefined || order.userData === undefined) continue;
    const row = { id, text_sealed: keyRing.seal(order.userData, userDataContext(id)) };
    await tx.insertInto("user_data").values(row).execute();
  }
}

function writtenRows({ keyRing }: Service, placed: readonly Held<LaunchPlan>[]) {
  const rows = placed.flatMap(({ want, places }) => places.map((place) => rowFor(want, place, keyRing)));
  return insertedRows(
    "instances",
    { columns: launchColumns, json: ["ssh_keys", "tags", "file_system_mounts", "idle_rule"] },
    rows,
  );
}

function instancesOf({ instanceIds }: LaunchPlan, rows: readonly Selectable<InstancesTable>[]): Instance[] {
  return instanceIds.map((id) => {
    const row = rows.find((one) => one.id === id);
    if (row === undefined) throw new Error(`BUG: instance ${id} was written and is not there`);
    return fromRow(row);
  });
}
