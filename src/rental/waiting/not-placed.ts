// What follows when a waiting launch was tried and not placed: it waits on, for the same or something else, or it is
// refused. Used by placer.ts.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { holdingBlocker, quotaBlocker, waitingState } from "../../rules/waiting-launches.ts";
import { readAccount } from "../accounts/account-store.ts";
import { quotaRefusal } from "../accounts/quotas.ts";
import { monthStart } from "../billing/cost-sql.ts";
import { instanceTypesNamed } from "../catalog/instance-type-store.ts";
import type { RentalError } from "../errors.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { LaunchOrder } from "../launching/order.ts";
import type { Principal, Service } from "../service.ts";
import { lineOf } from "./begin-wait.ts";
import { blockAlike } from "./blocked-alike.ts";
import { type Blocked, blockedBy, type InWords } from "./blockers.ts";
import { orByFleet } from "./fleet-size.ts";
import { lineId } from "./launch-line.ts";
import type { WaitingRequest } from "./waiting-request.ts";
import { endWaits } from "./waiting-store.ts";

/**
 * Records it. Whether it, or others that the same blocks, held their places before others and do so no longer. What has woken
 * it since it was opened counts: it is tried again at once. Throws what the database throws.
 */
export async function notPlaced(
  tx: Transaction,
  service: Service,
  request: WaitingRequest,
  error: RentalError,
  inWords: InWords,
): Promise<boolean> {
  const { id, order, principal } = request;
  const rejected = await blockedNow(tx, request, error, inWords);
  if (rejected === undefined) {
    const isOver = (await endWaits(tx, [{ id, state: "refused", reason: inWords(error) }])).length > 0;
    return (await blockAlike(tx, request, error, inWords, later)) || isOver;
  }
  // What frees some of the quota from now on finds what is blocked by it below.
  if (rejected.by === quotaBlocker)
    await sql`select from accounts where id = ${principal.accountId} for share`.execute(tx);
  const { rows } = await sql<{ blocked_by: string; blocked_message: string; next_try: string }>`
    select blocked_by, blocked_message, next_try_at::text as next_try from waiting_launches
    where id = ${id} and state = ${sql.lit(waitingState)} for update`.execute(tx);
  const [row] = rows;
  if (row === undefined) return false;
  const isMoved = row.blocked_by !== rejected.by;
  // Hosts can be gone since.
  const isByFleet = rejected.by === holdingBlocker;
  const line = isMoved || request.isLifetimeStale || isByFleet ? await lineOf(tx, service, request) : undefined;
  const { by, message } = line === undefined ? rejected : await orByFleet(tx, rejected, line, order.quantity);
  const isWoken = row.next_try !== request.nextTry;
  await sql`
    update waiting_launches set blocked_by = ${by}, blocked_message = ${message},
      line_id = coalesce(${line === undefined ? null : await lineId(tx, line)}::uuid, line_id),
      max_lifetime_seconds = ${line === undefined ? sql.ref("max_lifetime_seconds") : line.lifetimeSeconds},
      next_try_at = ${isWoken ? sql.ref("next_try_at") : later}
    where id = ${id}`.execute(tx);
  // Now others may be evicted for it.
  if (isMoved && by === holdingBlocker) await wakeReconciler(tx, "evictions");
  const holdsNoLonger = row.blocked_by === holdingBlocker && by !== holdingBlocker;
  const othersMayBe = !isWoken && (holdsNoLonger || by === quotaBlocker);
  const othersHoldNoLonger = othersMayBe && (await blockAlike(tx, request, rejected.error, inWords, later));
  // What the quota has room for, others of the account may have now; or all of them, if some of it was freed meanwhile.
  if (row.blocked_by === quotaBlocker || by === quotaBlocker)
    await sql`select retry_launches_within_quota(${principal.accountId})`.execute(tx);
  return holdsNoLonger || othersHoldNoLonger;
}

/** One that its quota does not allow holds no place before others, though it is hosts that it was rejected for. */
async function blockedNow(
  tx: Transaction,
  { order, principal }: WaitingRequest,
  error: RentalError,
  inWords: InWords,
): Promise<(Blocked & { readonly error: RentalError }) | undefined> {
  const overQuota = error.kind === "insufficient-capacity" ? await quotaRefusalOf(tx, principal, order) : undefined;
  const first = overQuota ?? error;
  const blocked = blockedBy(first, order, inWords);
  return blocked && { ...blocked, error: first };
}

async function quotaRefusalOf(
  tx: Transaction,
  { accountId }: Principal,
  { instanceType, quantity }: LaunchOrder,
): Promise<RentalError | undefined> {
  const product = (await ask(tx, instanceTypesNamed(tx, [instanceType]))).get(instanceType);
  if (product === undefined) return undefined;
  const use = { instances: quantity, gpus: quantity * product.gpus, vcpus: quantity * product.vcpus };
  return quotaRefusal(await readAccount(tx, accountId), use);
}

/**
 * A wake-up tries it sooner. The longer it has waited the rarer, so that thousands cost little; and at the beginning of a
 * month, when spend limits count anew.
 */
const later = sql`least(${monthStart} + interval '1 month 1 second',
  now() + least(interval '1 hour', greatest(interval '30 seconds', now() - created_at)))`;
