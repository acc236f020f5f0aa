// What bounds a launch besides room and quotas: the month's spend limits of the account and of the token that asks
// (spend-room.ts holds launches to them), and how long instances may live. What runs already is limits/: a limit that is
// reached ends it.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask, type Question, question } from "../../database/round-trips.ts";
import { invalid } from "../errors.ts";
import type { Principal } from "../service.ts";

/** Null: no bound. */
export interface LaunchBounds {
  readonly accountLimitCents: number | null;
  readonly tokenLimitCents: number | null;
  /** Default and upper bound of the account's launches. */
  readonly maxLifetimeSeconds: number | null;
}

/** As they are now, by token. */
export function launchBounds(principals: readonly Principal[]): Question<Map<string, LaunchBounds>> {
  const query = sql<{ token_id: string; account: number | null; token: number | null; lifetime: number | null }>`
    select w.token_id, a.spend_limit_cents as account, t.spend_limit_cents as token, a.max_lifetime_seconds as lifetime
    from (select distinct account_id, token_id
      from unnest(${principals.map(({ accountId }) => accountId)}::uuid[], ${principals.map(({ tokenId }) => tokenId)}::uuid[])
        as w (account_id, token_id)) w
    join accounts a on a.id = w.account_id
    left join tokens t on t.account_id = a.id and t.id = w.token_id`;
  return question(query, (rows) => new Map(rows.map((row) => [row.token_id, fromRow(row)])));
}

function fromRow(row: { account: number | null; token: number | null; lifetime: number | null }): LaunchBounds {
  return { accountLimitCents: row.account, tokenLimitCents: row.token, maxLifetimeSeconds: row.lifetime };
}

/** As `launchBounds`, of one token. */
export async function boundsOf(tx: Transaction, principal: Principal): Promise<LaunchBounds> {
  return (await ask(tx, launchBounds([principal]))).get(principal.tokenId) ?? unbounded;
}

export const unbounded: LaunchBounds = { accountLimitCents: null, tokenLimitCents: null, maxLifetimeSeconds: null };

/** Whether there is a spend limit at all. */
export function isLimited({ accountLimitCents, tokenLimitCents }: LaunchBounds): boolean {
  return accountLimitCents !== null || tokenLimitCents !== null;
}

/**
 * The lifetime of a launch or of an instance that asks for this one; null: without end. `field` is what the asker calls
 * it. Throws RentalError invalid-parameters when it is longer than the account's instances may live.
 */
export function lifetimeWithin(bounds: LaunchBounds, asked: number | null | undefined, field: string): number | null {
  const { maxLifetimeSeconds: most } = bounds;
  if (asked === undefined) return most;
  if (most === null || (asked !== null && asked <= most)) return asked;
  throw invalid(field, `The maximum lifetime of your account's instances is ${most} seconds.`);
}
