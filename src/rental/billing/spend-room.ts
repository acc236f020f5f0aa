// What is left of the monthly spend limits of a launch's account and token, and of the balance of its account where that
// has a bound. Used by launches (launching/plan.ts before the search for capacity, launching/place.ts under the account's
// lock).
//
// Invariant: a launch succeeds only if its limits cover this month's usage, plus what reservations that were made still
// cost this month (committed.ts), plus the cost of all live instances and of the launch until the next limit check
// (limits/spend-limits.ts, every `limitCheckSeconds`); and if the balance covers the same for `launchSeconds`
// (funds/funds.ts). Booting instances count as live, because billing can start before the next check. Launches of an
// account are checked under its row's lock, so concurrent launches on any replica never reserve the same amount.
//
// A bill can exceed a limit by less than the cost of all live instances between two checks.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { costMicroCents, type MicroCents, microCentsPerCent, type Price } from "../../rules/cost.ts";
import { balanceSettings } from "../../rules/payment-terms.ts";
import { RentalError } from "../errors.ts";
import { leftForMore, readFunds } from "../funds/funds.ts";
import type { Principal, RentalLimits } from "../service.ts";
import { committedThisMonth } from "./committed.ts";
import { unitCostOf } from "./cost-sql.ts";
import { isLimited, type LaunchBounds } from "./launch-limits.ts";
import { isOfThisMonth, spentThisMonth } from "./spent.ts";

/** A limit and what counts against it. */
interface Limit {
  readonly of: "account" | "token";
  readonly limitCents: number;
  readonly spent: MicroCents;
  /** The cost of live instances until the next check, and of reservations until the end of the month. */
  reserved: MicroCents;
}

/** What a launch costs. */
export interface LaunchCost {
  /** Until the next check of limits. */
  readonly untilCheck: MicroCents;
  /** In the time for which the balance of its account must cover it. */
  readonly ahead: MicroCents;
}

/** How far launches reserve their cost. */
export type Ahead = Pick<RentalLimits, "limitCheckSeconds" | "balance">;

/** The remaining amounts of limits. Created by `spendRoom`. */
export class SpendRoom {
  readonly #limits: ReadonlyMap<string, Limit>;
  /** What is left of balances, by account. */
  readonly #left: Map<string, MicroCents>;
  readonly #launchSeconds: number;

  /** `limits`: by the id of the account or the token. */
  constructor(limits: ReadonlyMap<string, Limit>, left: ReadonlyMap<string, MicroCents>, ahead: Ahead) {
    this.#limits = limits;
    this.#left = new Map(left);
    this.#launchSeconds = launchSecondsOf(ahead);
  }

  /** RentalError spend-limit-exceeded if a launch with this cost exceeds a limit, the account's first; or insufficient-balance. */
  refusalOf(principal: Principal, cost: LaunchCost): RentalError | undefined {
    return this.limitRefusalOf(principal, cost.untilCheck) ?? this.#balanceRefusalOf(principal, cost.ahead);
  }

  /** By the limits alone. */
  limitRefusalOf(principal: Principal, cost: MicroCents): RentalError<"spend-limit-exceeded"> | undefined {
    for (const { of, limitCents, spent, reserved } of this.#of(principal)) {
      const limit = BigInt(limitCents) * microCentsPerCent;
      if (spent >= limit) return new RentalError("spend-limit-exceeded", { of, limitCents });
      const left = limit - spent - reserved;
      if (cost <= left) continue;
      const launch = { needsMicroCents: cost, leftMicroCents: left > 0n ? left : 0n };
      return new RentalError("spend-limit-exceeded", { of, limitCents, launch });
    }
    return undefined;
  }

  #balanceRefusalOf({ accountId }: Principal, needsMicroCents: MicroCents): RentalError | undefined {
    const leftMicroCents = this.#left.get(accountId);
    if (leftMicroCents === undefined || needsMicroCents <= leftMicroCents) return undefined;
    return new RentalError("insufficient-balance", { needsMicroCents, leftMicroCents, seconds: this.#launchSeconds });
  }

  /** Reserves the cost of a successful launch. */
  take(principal: Principal, { untilCheck, ahead }: LaunchCost): void {
    for (const limit of this.#of(principal)) limit.reserved += untilCheck;
    const left = this.#left.get(principal.accountId);
    if (left !== undefined) this.#left.set(principal.accountId, left - ahead);
  }

  #of({ accountId, tokenId }: Principal): Limit[] {
    return [this.#limits.get(accountId), this.#limits.get(tokenId)].filter((limit) => limit !== undefined);
  }
}

/** The cost of `quantity` instances of this price. */
export function launchCostOf(price: Price, quantity: number, ahead: Ahead): LaunchCost {
  const during = (seconds: number) => BigInt(quantity) * costMicroCents({ ...price, seconds: Math.ceil(seconds) });
  return { untilCheck: during(ahead.limitCheckSeconds), ahead: during(launchSecondsOf(ahead)) };
}

function launchSecondsOf({ balance = balanceSettings }: Ahead): number {
  return balance.launchSeconds;
}

/**
 * The current amounts, without the instances and reservations of these ids: those to check, whose rows might be written
 * already. One statement per limit, and one for all balances; none without limits.
 */
export async function spendRoom(
  tx: Transaction,
  principals: readonly Principal[],
  boundsByToken: ReadonlyMap<string, LaunchBounds>,
  ahead: Ahead,
  without: readonly string[] = [],
): Promise<SpendRoom> {
  const limits = new Map<string, Limit>();
  const paying = new Set<string>();
  const read = async (of: Limit["of"], limitCents: number | null, id: string, who: Who) => {
    if (limitCents === null || limits.has(id)) return;
    limits.set(id, { of, limitCents, ...(await usedOf(tx, who, ahead.limitCheckSeconds, without)) });
  };
  for (const { accountId, tokenId } of principals) {
    const bounds = boundsByToken.get(tokenId);
    if (bounds === undefined || !isLimited(bounds)) continue;
    const ofAccount = (row: string) => sql<boolean>`${sql.ref(`${row}.account_id`)} = ${accountId}`;
    const ofToken = (row: string) => sql<boolean>`${ofAccount(row)} and ${sql.ref(`${row}.token_id`)} = ${tokenId}`;
    await read("account", bounds.accountLimitCents, accountId, ofAccount);
    await read("token", bounds.tokenLimitCents, tokenId, ofToken);
    if (bounds.leastBalanceCents !== null) paying.add(accountId);
  }
  const aheadSeconds = launchSecondsOf(ahead);
  const funds = paying.size === 0 ? [] : await readFunds(tx, { accountIds: [...paying], aheadSeconds, without });
  return new SpendRoom(limits, new Map(funds.map((one) => [one.accountId, leftForMore(one)])), ahead);
}

/** A condition on the rows of this alias: spans, credits, instances or reservations. */
type Who = (row: string) => RawBuilder<boolean>;

async function usedOf(
  tx: Transaction,
  who: Who,
  limitCheckSeconds: number,
  without: readonly string[],
): Promise<Pick<Limit, "spent" | "reserved">> {
  const seconds = sql<number>`${Math.ceil(limitCheckSeconds)}::bigint`;
  const { rows } = await sql<{ spent: string; reserved: string }>`
    select (select ${spentThisMonth(who("c"))} from billing_spans s where ${who("s")} and ${isOfThisMonth})::text as spent,
      ((select coalesce(sum(${unitCostOf(seconds)}), 0) from instances s
        where ${who("s")} and s.terminated_at is null and s.terminating_at is null and s.id <> all(${without}::uuid[]))
      + ${committedThisMonth(sql<boolean>`${who("r")} and r.id <> all(${without}::uuid[])`)})::text as reserved`.execute(
    tx,
  );
  return { spent: BigInt(rows[0]?.spent ?? 0), reserved: BigInt(rows[0]?.reserved ?? 0) };
}
