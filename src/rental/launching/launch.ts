// Launch: rents `quantity` instances, all or none, in one transaction: rules, names, price, capacity, rows, event, quota.
// Source: specification, Endpoints (launch); decisions, Launch.
//
// One launch, or many in one transaction, of which each goes through or is refused by itself. The two share everything
// but the search for room: many together never wait for a host (capacity/hold-together.ts).
//
// Lock order, everywhere: firewall rulesets → hosts → file systems → accounts.

import type { Selectable } from "kysely";
import { ask, type Transaction, together } from "../../database/connect.ts";
import { insertedRows } from "../../database/insert-rows.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { initialState } from "../../rules/lifecycle.ts";
import { type Account, lockedAccounts } from "../accounts/account-store.ts";
import { addUse, type LaunchUse, quotaRefusal } from "../accounts/quotas.ts";
import { isLimited, launchBounds } from "../billing/launch-limits.ts";
import { SpendRoom, spendRoom } from "../billing/spend-room.ts";
import { takenPlaces } from "../capacity/host-lock.ts";
import { reserve } from "../capacity/placement.ts";
import { type Held, reserveTogether, takingsOf } from "../capacity/reserve-together.ts";
import { isUnschedulable } from "../capacity/unschedulable.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { attach } from "../file-systems/index.ts";
import { holdRulesets } from "../firewall/index.ts";
import { fromRow, type Instance, userDataContext } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { Principal, Service } from "../service.ts";
import type { LaunchOrder } from "./order.ts";
import { type Asked, type LaunchPlan, launchQuestions, type Named, planLaunches, rulesetsField } from "./plan.ts";
import { launchColumns, rowFor } from "./row.ts";

/**
 * Rents `order.quantity` instances of one product in one region. Throws RentalError invalid-parameters, unknown-name,
 * coupon-refused, image-not-supported, file-system-in-wrong-region, conflict (a file system attached elsewhere), insufficient-capacity,
 * quota-exceeded, spend-limit-exceeded; then nothing happened.
 */
export async function launch(
  tx: Transaction,
  service: Service,
  principal: Principal,
  order: LaunchOrder,
): Promise<Instance[]> {
  const asked = [{ principal, order }];
  const [plan] = await planLaunches(tx, service.limits, asked, await together(tx, launchQuestions(tx, asked)));
  if (plan === undefined) throw new Error("BUG: a launch that is asked for is planned or refused");
  if (plan instanceof RentalError) throw plan;
  await holdRulesets(tx, plan.firewallRulesets, rulesetsField(order));
  const places = await reserve(tx, plan).catch((refusal) => {
    if (refusal instanceof RentalError) service.noRoom?.note(plan.product);
    throw refusal;
  });
  const held = [{ want: plan, places }];
  await keepUserData(tx, service, held);
  const rows = await ask(tx, writtenRows(service, held));
  await tell(tx, rows);
  for (const place of places) await attach(tx, plan.fileSystems, place, order.fileSystemUse?.shared === true);
  const refusal = (await takeUse(tx, service, held, await ask(tx, lockedAccounts(tx, [principal.accountId])))).get(
    plan,
  );
  if (refusal !== undefined) throw refusal;
  return instancesOf(plan, rows);
}

/** What came of a launch: its instances, why it is refused, or that it has to be tried alone, or later. */
export type LaunchOutcome = readonly Instance[] | RentalError | "alone" | "later";

/**
 * Launches as many as can be without waiting for anybody, each whole or not at all. "alone" and "later" mean that nothing
 * was done of it. "alone": `launch` has to find out, for what room there is could not be had without waiting, or it has
 * file systems, which another launch may take in this very moment, or firewall rulesets, which may just be changed. "later": somebody has the account's row just now.
 * `named`: the answers to `launchQuestions`. Refresh `service.capacity` after the launches were asked for and before:
 * from it hosts are proposed, and by it those are refused that fit nowhere.
 */
export async function launchTogether(
  tx: Transaction,
  service: Service,
  asked: readonly Asked[],
  named: Named,
): Promise<LaunchOutcome[]> {
  const plans = await planLaunches(tx, service.limits, asked, named);
  const free = plans.flatMap((plan) => (plan instanceof RentalError || hasToWait(plan) ? [] : [plan]));
  const nowhere = isUnschedulable(service.capacity.order, free);
  for (const { product } of nowhere.keys()) service.noRoom?.note(product);
  const movable = free.filter((plan) => !nowhere.has(plan));
  const accounts = lockedAccounts(
    tx,
    movable.map(({ principal }) => principal.accountId),
    "skip locked",
  );
  const { held: found, besides } = await reserveTogether(tx, service.capacity.order, movable, accounts);
  const held = found.filter(({ want }) => besides.has(want.principal.accountId));
  const isLater = new Set(found.filter((one) => !held.includes(one)).map(({ want }) => want));
  // Before anything is written: what is refused here leaves nothing behind.
  const refusals = await takeUse(tx, service, held, besides);
  const going = held.filter(({ want }) => !refusals.has(want));
  const launched = new Map<LaunchPlan, Instance[]>();
  if (going.length > 0) {
    await keepUserData(tx, service, going);
    const [, rows] = await together(tx, [takenPlaces(takingsOf(going)), writtenRows(service, going)] as const);
    await tell(tx, rows);
    for (const { want } of going) launched.set(want, instancesOf(want, rows));
  }
  return plans.map((plan) => {
    if (plan instanceof RentalError) return plan;
    return nowhere.get(plan) ?? refusals.get(plan) ?? launched.get(plan) ?? (isLater.has(plan) ? "later" : "alone");
  });
}

/** It needs rows that another transaction may have, and nobody waits together with others. */
function hasToWait({ fileSystems, firewallRulesets }: LaunchPlan): boolean {
  return fileSystems.length > 0 || firewallRulesets.length > 0;
}

/**
 * Judges by the locked accounts' quotas and spend limits, in this order of launches, and counts what is not refused. The
 * limits once more, now that nobody else can use them up: one that was lowered, or used up by what other launches
 * brought about, while this transaction waited for room or for the locks.
 */
async function takeUse(
  tx: Transaction,
  service: Service,
  held: readonly Held<LaunchPlan>[],
  accounts: ReadonlyMap<string, Account>,
): Promise<Map<LaunchPlan, RentalError>> {
  const refusals = new Map<LaunchPlan, RentalError>();
  const left = await spendRoomNow(tx, service, held);
  const taken = new Map<string, LaunchUse>();
  for (const { want: plan } of held) {
    const { accountId } = plan.principal;
    const account = accounts.get(accountId);
    if (account === undefined) throw new Error(`BUG: account ${accountId} is gone while it launches`);
    const before = taken.get(accountId) ?? { instances: 0, gpus: 0, vcpus: 0 };
    const use = useOf(plan);
    const used = { ...account.used, ...sum(account.used, before) };
    const refusal = quotaRefusal({ quotas: account.quotas, used }, use) ?? left.refusalOf(plan.principal, plan.reserve);
    if (refusal === undefined) {
      taken.set(accountId, sum(before, use));
      left.take(plan.principal, plan.reserve);
    } else refusals.set(plan, refusal);
  }
  await addUse(tx, taken);
  return refusals;
}

async function spendRoomNow(
  tx: Transaction,
  { limits }: Service,
  held: readonly Held<LaunchPlan>[],
): Promise<SpendRoom> {
  const limited = held.filter(({ want }) => isLimited(want.bounds)).map(({ want }) => want.principal);
  if (limited.length === 0) return new SpendRoom(new Map());
  const own = held.flatMap(({ want }) => want.instanceIds);
  return spendRoom(tx, limited, await ask(tx, launchBounds(limited)), limits.limitCheckSeconds, own);
}

function useOf({ order: { quantity }, product }: LaunchPlan): LaunchUse {
  return { instances: quantity, gpus: quantity * product.gpus, vcpus: quantity * product.vcpus };
}

function sum(a: LaunchUse, b: LaunchUse): LaunchUse {
  return { instances: a.instances + b.instances, gpus: a.gpus + b.gpus, vcpus: a.vcpus + b.vcpus };
}

/** Sealed, once for all instances of a launch. One statement for each, and not all in one text: each may be a megabyte. */
async function keepUserData(tx: Transaction, { keyRing }: Service, held: readonly Held<LaunchPlan>[]): Promise<void> {
  for (const { want } of held) {
    const { userDataId: id, order } = want;
    if (id === undefined || order.userData === undefined) continue;
    const row = { id, text_sealed: keyRing.seal(order.userData, userDataContext(id)) };
    await tx.insertInto("user_data").values(row).execute();
  }
}

/** The rows of all the instances, written. */
function writtenRows({ keyRing }: Service, held: readonly Held<LaunchPlan>[]) {
  const rows = held.flatMap(({ want, places }) => places.map((place) => rowFor(want, place, keyRing)));
  return insertedRows("instances", { columns: launchColumns, json: ["ssh_keys", "tags", "file_system_mounts"] }, rows);
}

/** Those of the rows that are this launch's, in the order of its ids. */
function instancesOf({ instanceIds }: LaunchPlan, rows: readonly Selectable<InstancesTable>[]): Instance[] {
  return instanceIds.map((id) => {
    const row = rows.find((one) => one.id === id);
    if (row === undefined) throw new Error(`BUG: instance ${id} was written and is not there`);
    return fromRow(row);
  });
}

/** Records the events and wakes the reconciler. */
async function tell(tx: Transaction, rows: readonly Selectable<InstancesTable>[]): Promise<void> {
  await recordEvents(
    tx,
    rows.map((row) => instanceEvent(row, initialState)),
  );
  await wakeReconciler(tx);
}
