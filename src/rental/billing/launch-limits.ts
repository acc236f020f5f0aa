// Limits of a launch other than capacity and quotas: the monthly spend limits of the account and the requesting token, the
// least balance of the account (spend-room.ts applies them), and the maximum lifetime. limits/ and funds/ handle running
// instances that reach a limit.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { ask, type Question, question } from "../../database/round-trips.ts";
import { invalid } from "../errors.ts";
import { leastBalance } from "../funds/funds.ts";
import type { Principal } from "../service.ts";

/** Null: no limit. */
export interface LaunchBounds {
  readonly accountLimitCents: number | null;
  readonly tokenLimitCents: number | null;
  /** What the balance of the account may not fall below. */
  readonly leastBalanceCents: number | null;
  /** Default and maximum of the account's launches. */
  readonly maxLifetimeSeconds: number | null;
  /** The account is on hold. */
  readonly isHeld: boolean;
}

/** The current limits, by token. */
export function launchBounds(principals: readonly Principal[]): Question<Map<string, LaunchBounds>> {
  const query = sql<BoundsRow & { token_id: string }>`
    select w.token_id, a.spend_limit_cents as account, t.spend_limit_cents as token, ${leastBalance(sql`a`)} as least,
      a.max_lifetime_seconds as lifetime, a.held_since is not null as held
    from (select distinct account_id, token_id
      from unnest(${principals.map(({ accountId }) => accountId)}::uuid[], ${principals.map(({ tokenId }) => tokenId)}::uuid[])
        as w (account_id, token_id)) w
    join accounts a on a.id = w.account_id
    left join tokens t on t.account_id = a.id and t.id = w.token_id`;
  return question(query, (rows) => new Map(rows.map((row) => [row.token_id, fromRow(row)])));
}

type BoundsRow = Readonly<Record<"account" | "token" | "least" | "lifetime", number | null> & { held: boolean }>;

function fromRow({ account, token, least, lifetime, held }: BoundsRow): LaunchBounds {
  return {
    accountLimitCents: account,
    tokenLimitCents: token,
    leastBalanceCents: least,
    maxLifetimeSeconds: lifetime,
    isHeld: held,
  };
}

/** As `launchBounds`, of one token. */
export async function boundsOf(db: Database, principal: Principal): Promise<LaunchBounds> {
  return (await ask(db, launchBounds([principal]))).get(principal.tokenId) ?? unbounded;
}

export const unbounded: LaunchBounds = {
  ...{ accountLimitCents: null, tokenLimitCents: null, leastBalanceCents: null },
  maxLifetimeSeconds: null,
  isHeld: false,
};

export function isLimited({ accountLimitCents, tokenLimitCents, leastBalanceCents }: LaunchBounds): boolean {
  return accountLimitCents !== null || tokenLimitCents !== null || leastBalanceCents !== null;
}

/**
 * The lifetime of a launch or an instance; null: unlimited. `field`: the request's name for it. Throws RentalError
 * invalid-parameters if it exceeds the account's maximum.
 */
export function lifetimeWithin(bounds: LaunchBounds, asked: number | null | undefined, field: string): number | null {
  const { maxLifetimeSeconds: most } = bounds;
  if (asked === undefined) return most;
  if (most === null || (asked !== null && asked <= most)) return asked;
  throw invalid(field, `The maximum lifetime of your account's instances is ${most} seconds.`);
}
