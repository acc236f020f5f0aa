// Places planned launches and adds them to their accounts' usage, or rejects them: capacity, file systems, quotas,
// spend limits. Many together never wait for a host (capacity/reserve-together.ts); one alone can. Invariant: nothing
// is written for a launch that is rejected here together with others. Locks in the order of database/lock-order.ts.
// Used by launch.ts.

import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { type Account, lockedAccounts } from "../accounts/account-store.ts";
import { onHold } from "../accounts/holds.ts";
import { addUse, type LaunchUse, quotaRefusal } from "../accounts/quotas.ts";
import { isLimited, launchBounds } from "../billing/launch-limits.ts";
import { SpendRoom, spendRoom } from "../billing/spend-room.ts";
import type { Held } from "../capacity/assign.ts";
import { reserve } from "../capacity/placement.ts";
import { reserveTogether } from "../capacity/reserve-together.ts";
import { isUnschedulable } from "../capacity/unschedulable.ts";
import { RentalError } from "../errors.ts";
import { attach } from "../file-systems/file-systems.ts";
import { holdRulesets } from "../firewall/ruleset-store.ts";
import { onReservedHosts } from "../reservations/use.ts";
import type { Service } from "../service.ts";
import { fieldOf } from "./order.ts";
import type { LaunchPlan } from "./plan.ts";

/** The result of plans in one transaction. A plan in none of these must be tried alone. */
export interface PlacedTogether {
  readonly placed: readonly Held<LaunchPlan>[];
  readonly rejected: ReadonlyMap<LaunchPlan, RentalError>;
  /** The row of their account is locked. */
  readonly later: ReadonlySet<LaunchPlan>;
}

/**
 * Places as many as possible without waiting. `service.capacity` was refreshed after they were requested: it proposes
 * hosts and identifies unschedulable launches.
 */
export async function placeTogether(
  tx: Transaction,
  service: Service,
  plans: readonly LaunchPlan[],
): Promise<PlacedTogether> {
  const free = plans.filter((plan) => !hasToWait(plan));
  const unschedulable = isUnschedulable(service.capacity.order, free);
  for (const { product } of unschedulable.keys()) service.noRoom?.note(product);
  const schedulable = free.filter((plan) => !unschedulable.has(plan));
  const locked = lockedAccounts(
    tx,
    schedulable.map(({ principal }) => principal.accountId),
    "skip locked",
  );
  const { held, besides: accounts } = await reserveTogether(tx, service.capacity.order, schedulable, locked);
  const inTime = held.filter(({ want }) => accounts.has(want.principal.accountId));
  // Before anything is written: rejected launches leave nothing behind.
  const overLimit = await takeUse(tx, service, inTime, accounts);
  return {
    placed: inTime.filter(({ want }) => !overLimit.has(want)),
    rejected: new Map([...unschedulable, ...overLimit]),
    later: new Set(held.filter((one) => !inTime.includes(one)).map(({ want }) => want)),
  };
}

/**
 * Places one that is alone in its transaction, waiting for what it needs. Throws RentalError unknown-name,
 * insufficient-capacity, conflict (a file system attached elsewhere, a reservation without slots), quota-exceeded,
 * spend-limit-exceeded, insufficient-balance: roll back then.
 */
export async function placeAlone(tx: Transaction, service: Service, plan: LaunchPlan): Promise<Held<LaunchPlan>> {
  await holdRulesets(tx, plan.firewallRulesets, fieldOf(plan.order, "firewallRulesetIds"));
  const bound = await onReservedHosts(tx, service, plan);
  const places = await reserve(tx, service.capacity.order, bound).catch((error) => {
    if (error instanceof RentalError && plan.reserved === undefined) service.noRoom?.note(plan.product);
    throw error;
  });
  for (const place of places) await attach(tx, plan.fileSystems, place, plan.order.fileSystemUse?.shared === true);
  const held = { want: plan, places };
  const accounts = await ask(tx, lockedAccounts(tx, [plan.principal.accountId]));
  const rejected = (await takeUse(tx, service, [held], accounts)).get(plan);
  if (rejected !== undefined) throw rejected;
  return held;
}

/** It needs rows that another transaction might have locked; launches together never wait. */
function hasToWait({ fileSystems, firewallRulesets, reserved }: LaunchPlan): boolean {
  return fileSystems.length > 0 || firewallRulesets.length > 0 || reserved !== undefined;
}

/**
 * Judges by the locked accounts' quotas and spend limits, in this order of launches, and counts what is not refused. The
 * limits once more, under the lock, where no other launch can use them up: one that was lowered, or used up by what other
 * launches brought about, while this transaction waited for capacity or for the locks.
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
    // What a reservation holds was within quotas and limits when that was made, is paid for, and is never more than its
    // quantity (reservations/use.ts): it can be used, whatever else the account runs.
    const overLimit =
      plan.reserved === undefined
        ? (quotaRefusal({ quotas: account.quotas, used }, use) ?? left.refusalOf(plan.principal, plan.cost))
        : undefined;
    const refusal = account.heldSince === null ? overLimit : onHold(plan.cost.ahead);
    if (refusal === undefined) {
      taken.set(accountId, sum(before, use));
      left.take(plan.principal, plan.cost);
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
  if (limited.length === 0) return new SpendRoom(new Map(), new Map(), limits);
  const own = held.flatMap(({ want }) => want.instanceIds);
  return spendRoom(tx, limited, await ask(tx, launchBounds(limited)), limits, own);
}

/** What it uses of the quotas of its account. */
export function useOf({ order: { quantity }, product }: LaunchPlan): LaunchUse {
  return { instances: quantity, gpus: quantity * product.gpus, vcpus: quantity * product.vcpus };
}

function sum(a: LaunchUse, b: LaunchUse): LaunchUse {
  return { instances: a.instances + b.instances, gpus: a.gpus + b.gpus, vcpus: a.vcpus + b.vcpus };
}
