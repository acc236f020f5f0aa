// What is left of the monthly spend limits of a launch's account and token. Used by launches (launching/plan.ts before
// the search for capacity, launching/place.ts under the account's lock).
//
// Invariant: a launch succeeds only if its limits cover this month's usage, plus what reservations that were made still
// cost this month (committed.ts), plus the cost of all live instances and of the launch until the next limit check (limits/spend-limits.ts, every `limitCheckSeconds`). Booting instances count as
// live, because billing can start before the next check. Launches of an account are checked under its row's lock, so
// concurrent launches on any replica never reserve the same amount.
//
// A bill can exceed a limit by less than the cost of all live instances between two checks.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { costMicroCents, type MicroCents, microCentsPerCent, type Price } from "../../rules/cost.ts";
import { RentalError } from "../errors.ts";
import type { Principal } from "../service.ts";
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

/** The remaining amounts of limits. Created by `spendRoom`. */
export class SpendRoom {
  readonly #limits: ReadonlyMap<string, Limit>;

  /** By the id of the account or the token. */
  constructor(limits: ReadonlyMap<string, Limit>) {
    this.#limits = limits;
  }

  /** RentalError spend-limit-exceeded if a launch with this cost exceeds a limit, the account's first. */
  refusalOf(principal: Principal, cost: MicroCents): RentalError<"spend-limit-exceeded"> | undefined {
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

  /** Reserves the cost of a successful launch. */
  take(principal: Principal, cost: MicroCents): void {
    for (const limit of this.#of(principal)) limit.reserved += cost;
  }

  #of({ accountId, tokenId }: Principal): Limit[] {
    return [this.#limits.get(accountId), this.#limits.get(tokenId)].filter((limit) => limit !== undefined);
  }
}

/** The cost of `quantity` instances of this price until the next limit check. */
export function reserveOf(price: Price, quantity: number, limitCheckSeconds: number): MicroCents {
  return BigInt(quantity) * costMicroCents({ ...price, seconds: Math.ceil(limitCheckSeconds) });
}

/**
 * The current amounts, without the instances and reservations of these ids: those to check, whose rows might be written
 * already. One statement per limit, none without limits.
 */
export async function spendRoom(
  tx: Transaction,
  principals: readonly Principal[],
  boundsByToken: ReadonlyMap<string, LaunchBounds>,
  limitCheckSeconds: number,
  without: readonly string[] = [],
): Promise<SpendRoom> {
  const limits = new Map<string, Limit>();
  const read = async (of: Limit["of"], limitCents: number | null, id: string, who: Who) => {
    if (limitCents === null || limits.has(id)) return;
    limits.set(id, { of, limitCents, ...(await usedOf(tx, who, limitCheckSeconds, without)) });
  };
  for (const { accountId, tokenId } of principals) {
    const bounds = boundsByToken.get(tokenId);
    if (bounds === undefined || !isLimited(bounds)) continue;
    const ofAccount = (row: string) => sql<boolean>`${sql.ref(`${row}.account_id`)} = ${accountId}`;
    const ofToken = (row: string) => sql<boolean>`${ofAccount(row)} and ${sql.ref(`${row}.token_id`)} = ${tokenId}`;
    await read("account", bounds.accountLimitCents, accountId, ofAccount);
    await read("token", bounds.tokenLimitCents, tokenId, ofToken);
  }
  return new SpendRoom(limits);
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
