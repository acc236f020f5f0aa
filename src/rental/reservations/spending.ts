// Spend limits and the balance of a reservation: its whole price, in each month, counts from the moment on that it is made,
// beside those of the other reservations of its account or token. Used by admit.ts, under the lock of the account, and by
// begin-end.ts.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { costBetween, type MicroCents, microCentsPerCent } from "../../rules/cost.ts";
import { balanceSettings } from "../../rules/payment-terms.ts";
import { lockedAccounts } from "../accounts/account-store.ts";
import { isHeld, onHold } from "../accounts/holds.ts";
import { boundsOf, isLimited } from "../billing/launch-limits.ts";
import { spendRoom } from "../billing/spend-room.ts";
import { RentalError } from "../errors.ts";
import { leftForMore, leftToRun, readFunds } from "../funds/funds.ts";
import { databaseNow } from "../maintenance/begin-end.ts";
import type { Principal, Service } from "../service.ts";
import type { Reservation } from "./reservation.ts";

type Priced = Pick<Reservation, "beginsAt" | "endsAt" | "quantity"> & {
  readonly product: Pick<Reservation["product"], "priceCentsPerHour">;
};

/** The cost of all of it within the time. */
export function costWithin(reservation: Priced, from: Date, to: Date): MicroCents {
  const { beginsAt, endsAt, quantity, product } = reservation;
  const until = (moment: Date) => {
    const end = Math.min(moment.getTime(), endsAt.getTime());
    return Math.max(0, Math.floor((end - beginsAt.getTime()) / 1000));
  };
  const price = { priceCentsPerHour: product.priceCentsPerHour, discountBasisPoints: 0 };
  return BigInt(quantity) * costBetween(price, until(from), until(to));
}

/** Throws RentalError spend-limit-exceeded, insufficient-balance. `made`: whether it is written already or not. */
export async function refuseOverLimit(
  tx: Transaction,
  { limits }: Service,
  principal: Principal,
  made: Priced & Pick<Reservation, "id">,
): Promise<void> {
  const bounds = await boundsOf(tx, principal);
  if (bounds.isHeld) throw onHold(costWithin(made, made.beginsAt, made.endsAt));
  if (!isLimited(bounds)) return;
  // Without it itself, whose cost is asked for.
  const now = await databaseNow(tx);
  const [first, ...later] = monthsOf(now, made.endsAt);
  if (first === undefined) throw new Error("BUG: a reservation ends before now");
  const ofToken = new Map([[principal.tokenId, bounds]]);
  const left = await spendRoom(tx, [principal], ofToken, limits, [made.id]);
  const cost = costWithin(made, first.from, first.to);
  const refusal = cost === 0n ? undefined : left.limitRefusalOf(principal, cost);
  if (refusal !== undefined) throw ofMonth(refusal, first.from);
  const others = await openOf(tx, principal, made.id);
  const limited = [
    { of: "account", limitCents: bounds.accountLimitCents, beside: others },
    {
      of: "token",
      limitCents: bounds.tokenLimitCents,
      beside: others.filter((one) => one.tokenId === principal.tokenId),
    },
  ] as const;
  for (const { from, to } of later) {
    const needsMicroCents = costWithin(made, from, to);
    for (const { of, limitCents, beside } of limited) {
      if (limitCents === null) continue;
      const committed = beside.reduce((sum, one) => sum + costWithin(one, from, to), 0n);
      const leftMicroCents = BigInt(limitCents) * microCentsPerCent - committed;
      if (needsMicroCents <= leftMicroCents) continue;
      const launch = { needsMicroCents, leftMicroCents: leftMicroCents > 0n ? leftMicroCents : 0n };
      throw ofMonth(new RentalError("spend-limit-exceeded", { of, limitCents, launch }), from);
    }
  }
  const aheadSeconds = (limits.balance ?? balanceSettings).launchSeconds;
  const [funds] = await readFunds(tx, { accountIds: [principal.accountId], aheadSeconds, without: [made.id] });
  const needsMicroCents = costWithin(made, made.beginsAt, made.endsAt);
  if (funds === undefined || needsMicroCents <= leftForMore(funds)) return;
  throw new RentalError("insufficient-balance", { needsMicroCents, leftMicroCents: leftForMore(funds) });
}

/** Whether its account is not on hold, and has the balance for its price from `from` on, beside active reservations. */
export async function isCovered(tx: Transaction, reservation: Reservation, from: Date): Promise<boolean> {
  const { id, accountId, endsAt } = reservation;
  if (await isHeld(tx, accountId)) return false;
  const accountIds = [accountId];
  if ((await readFunds(tx, { accountIds })).length === 0) return true;
  // Under the lock, so that what else is bought meanwhile counts.
  await ask(tx, lockedAccounts(tx, accountIds));
  const [funds] = await readFunds(tx, { accountIds, without: [id] });
  return funds === undefined || costWithin(reservation, from, endsAt) <= leftToRun(funds);
}

function ofMonth({ details }: RentalError<"spend-limit-exceeded">, month: Date): RentalError {
  return new RentalError("spend-limit-exceeded", { ...details, month: month.toISOString().slice(0, 7) });
}

/** The months (UTC) from `from` up to `to`. */
function monthsOf(from: Date, to: Date): { readonly from: Date; readonly to: Date }[] {
  const months: { from: Date; to: Date }[] = [];
  for (let month = from.getUTCMonth(); ; month++) {
    const [begin, end] = [month, month + 1].map((at) => new Date(Date.UTC(from.getUTCFullYear(), at)));
    if (begin === undefined || end === undefined) throw new Error("BUG: two were asked for");
    if (begin >= to) return months;
    months.push({ from: begin, to: end });
  }
}

async function openOf(
  tx: Transaction,
  { accountId }: Principal,
  except: string,
): Promise<(Priced & { readonly tokenId: string })[]> {
  const { rows } = await sql<{ tokenId: string; beginsAt: Date; endsAt: Date; quantity: number; cents: number }>`
    select r.token_id as "tokenId", coalesce(r.started_at, r.begins_at) as "beginsAt", r.ends_at as "endsAt", r.quantity,
      r.price_cents_per_hour as cents
    from reservations r where r.account_id = ${accountId} and r.ended_at is null and r.id <> ${except}`.execute(tx);
  return rows.map(({ cents, ...row }) => ({ ...row, product: { priceCentsPerHour: cents } }));
}
