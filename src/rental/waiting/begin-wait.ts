// A launch that cannot be placed now begins to wait. Used by launches of the control interface.
//
// Invariant: it is written with all that it needs to be placed without its customer; what is secret in it is encrypted
// and deleted when it is over. It is checked again as a whole when it is placed.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import { together } from "../../database/round-trips.ts";
import { waitBounds } from "../../rules/waiting-launches.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { openUserData } from "../instances/launch-secrets.ts";
import { wakeReconciler } from "../instances/wake.ts";
import type { LaunchOrder } from "../launching/order.ts";
import { type Asked, launchQuestions, planLaunches } from "../launching/plan.ts";
import type { Service } from "../service.ts";
import type { Blocked } from "./blockers.ts";
import { orByFleet } from "./fleet-size.ts";
import { type LaunchLine, lineId } from "./launch-line.ts";
import { fairPosition } from "./position.ts";
import { waitingEvent } from "./waiting-events.ts";
import { orderContext, type WaitingLaunch } from "./waiting-launch.ts";
import { readOwn } from "./waiting-store.ts";

export interface Wait {
  readonly until: Date;
}

/** Throws RentalError invalid-parameters (`wait.until`), quota-exceeded (`waiting_launches`). */
export async function beginWait(
  tx: Transaction,
  service: Service,
  { principal, order }: Asked,
  { until }: Wait,
  blocked: Blocked,
): Promise<WaitingLaunch> {
  const { accountId, tokenId } = principal;
  const { perAccount, isFair } = service.limits.waiting ?? waitBounds;
  await refuseTooMany(tx, accountId, perAccount);
  const line = await lineOf(tx, service, { principal, order });
  const { by, message } = await orByFleet(tx, blocked, line, order.quantity);
  const id = uuidv7();
  const row = {
    ...{ id, account_id: accountId, token_id: tokenId, wait_until: until },
    line_id: await lineId(tx, line),
    ...{ instance_type: order.instanceType, region: regionOf(order), quantity: order.quantity },
    max_price_cents_per_hour: order.maxPriceCentsPerHour ?? null,
    spot: order.spot === true,
    max_lifetime_seconds: line.lifetimeSeconds,
    order_sealed: service.keyRing.seal(JSON.stringify(await whole(tx, service, order)), orderContext(id)),
    ...{ blocked_by: by, blocked_message: message },
    ...(isFair && { position: await fairPosition(tx, { accountId, ...line }) }),
  };
  await tx.insertInto("waiting_launches").values(row).execute();
  const launch = await readOwn(tx, principal, id);
  await recordEvents(tx, [waitingEvent(launch)]);
  // What it needs may be free since it was rejected.
  await wakeReconciler(tx, "launches");
  return launch;
}

/** With the user data of another instance itself, which is deleted when no instance has it any more. */
async function whole(tx: Transaction, { keyRing }: Service, order: LaunchOrder): Promise<LaunchOrder> {
  const { userDataId, ...own } = order;
  if (userDataId === undefined || own.userData !== undefined) return own;
  return { ...own, userData: await openUserData(tx, keyRing, userDataId) };
}

/** What it needs of a host, as far as that is known: one over a spend limit holds no line yet. */
export async function lineOf(tx: Transaction, service: Service, asked: Asked): Promise<LaunchLine> {
  const named = await together(tx, launchQuestions(tx, [asked]));
  const [plan] = await planLaunches(tx, service.limits, [asked], named);
  const { order } = asked;
  const { instanceType, maxLifetimeSeconds: lifetimeSeconds = null, spot: isSpot = false } = order;
  if (plan === undefined || plan instanceof RentalError)
    return { instanceType, region: regionOf(order) ?? undefined, bound: undefined, isSpot, lifetimeSeconds };
  return { instanceType, region: plan.region, bound: plan.bound, isSpot, lifetimeSeconds: plan.maxLifetimeSeconds };
}

/** Null: every one. */
function regionOf({ region }: LaunchOrder): string | null {
  return region === "any" ? null : region;
}

/** Each costs a little while it waits. Two of an account at once wait for each other. */
async function refuseTooMany(tx: Transaction, accountId: string, limit: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`waiting launches ${accountId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ used: number }>`
    select count(*)::integer as used from waiting_launches where account_id = ${accountId} and state = 'waiting'`.execute(
    tx,
  );
  const used = rows[0]?.used ?? 0;
  if (used >= limit) throw new RentalError("quota-exceeded", { what: "waiting_launches", limit, used, requested: 1 });
}
