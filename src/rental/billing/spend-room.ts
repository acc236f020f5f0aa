// What is left of the spend limits that hold a launch: of its account and of its token, this month. Used by the launch
// (launching/plan.ts before capacity is searched, launching/launch.ts under the account's lock).
//
// Invariant: a launch goes through only if its limits cover what was used this month, and what everything live and the
// launch itself cost until the next limit check (limits/spend-limits.ts, every `limitCheckSeconds`). Everything
// live counts, booting instances too: they have no bill yet and get one before the next launch may ask. Launches of an
// account are judged under its row's lock, so launches at once, on any number of replicas, never reserve the same room.
//
// How far a bill passes a limit: by less than what everything live costs between two checks, and that was left of the
// limit when the last launch went through.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { costMicroCents, type MicroCents, microCentsPerCent, type Price } from "../../rules/cost.ts";
import { RentalError } from "../errors.ts";
import type { Principal } from "../service.ts";
import { costOf } from "./cost-sql.ts";
import { isLimited, type LaunchBounds } from "./launch-limits.ts";
import { isOfThisMonth, spentThisMonth } from "./spent.ts";

/** One limit, and what there is against it. */
interface Limit {
  readonly of: "account" | "token";
  readonly limitCents: number;
  readonly spent: MicroCents;
  /** What is live costs so much until the next check. */
  reserved: MicroCents;
}

/** What launches may still cost. Made by `spendRoom`. */
export class SpendRoom {
  readonly #limits: ReadonlyMap<string, Limit>;

  /** By the id of the account or the token. */
  constructor(limits: ReadonlyMap<string, Limit>) {
    this.#limits = limits;
  }

  /** RentalError spend-limit-exceeded where a launch with this cost until the next check passes a limit, the account's first. */
  refusalOf(principal: Principal, cost: MicroCents): RentalError | undefined {
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

  /** A launch that goes through: its cost is not there for the next. */
  take(principal: Principal, cost: MicroCents): void {
    for (const limit of this.#of(principal)) limit.reserved += cost;
  }

  #of({ accountId, tokenId }: Principal): Limit[] {
    return [this.#limits.get(accountId), this.#limits.get(tokenId)].filter((limit) => limit !== undefined);
  }
}

/** What `quantity` instances of this price cost until the next check of limits. */
export function reserveOf(price: Price, quantity: number, limitCheckSeconds: number): MicroCents {
  return BigInt(quantity) * costMicroCents({ ...price, seconds: Math.ceil(limitCheckSeconds) });
}

/**
 * As things are now, without the instances of these ids: those of the launches that are to be judged, where their rows
 * are written already. Asks one statement for each limit, and nothing where there is none.
 */
export async function spendRoom(
  tx: Transaction,
  principals: readonly Principal[],
  boundsByToken: ReadonlyMap<string, LaunchBounds>,
  limitCheckSeconds: number,
  without: readonly string[] = [],
): Promise<SpendRoom> {
  const limits = new Map<string, Limit>();
  const read = async (of: Limit["of"], limitCents: number | null, id: string, who: RawBuilder<boolean>) => {
    if (limitCents === null || limits.has(id)) return;
    limits.set(id, { of, limitCents, ...(await usedOf(tx, who, limitCheckSeconds, without)) });
  };
  for (const { accountId, tokenId } of principals) {
    const bounds = boundsByToken.get(tokenId);
    if (bounds === undefined || !isLimited(bounds)) continue;
    const ofAccount = sql<boolean>`s.account_id = ${accountId}`;
    await read("account", bounds.accountLimitCents, accountId, ofAccount);
    await read("token", bounds.tokenLimitCents, tokenId, sql<boolean>`${ofAccount} and s.token_id = ${tokenId}`);
  }
  return new SpendRoom(limits);
}

/** `who`: a condition on `s`, which is a span in one part and an instance in the other. */
async function usedOf(
  tx: Transaction,
  who: RawBuilder<boolean>,
  limitCheckSeconds: number,
  without: readonly string[],
): Promise<Pick<Limit, "spent" | "reserved">> {
  const seconds = sql<number>`${Math.ceil(limitCheckSeconds)}::bigint`;
  const { rows } = await sql<{ spent: string; reserved: string }>`
    select (select ${spentThisMonth} from billing_spans s where ${who} and ${isOfThisMonth})::text as spent,
      (select coalesce(sum(${costOf(seconds)}), 0) from instances s
        where ${who} and s.terminated_at is null and s.terminating_at is null
          and s.id <> all(${without}::uuid[]))::text as reserved`.execute(tx);
  return { spent: BigInt(rows[0]?.spent ?? 0), reserved: BigInt(rows[0]?.reserved ?? 0) };
}
