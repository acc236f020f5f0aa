// Limits of a launch other than capacity and quotas: the monthly spend limits of the account and the requesting token
// (spend-room.ts applies them), and the maximum lifetime. limits/ handles running instances that reach a limit.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { ask, type Question, question } from "../../database/round-trips.ts";
import { invalid } from "../errors.ts";
import type { Principal } from "../service.ts";

/** Null: no limit. */
export interface LaunchBounds {
  readonly accountLimitCents: number | null;
  readonly tokenLimitCents: number | null;
  /** Default and maximum of the account's launches. */
  readonly maxLifetimeSeconds: number | null;
}

/** The current limits, by token. */
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
export async function boundsOf(db: Database, principal: Principal): Promise<LaunchBounds> {
  return (await ask(db, launchBounds([principal]))).get(principal.tokenId) ?? unbounded;
}

export const unbounded: LaunchBounds = { accountLimitCents: null, tokenLimitCents: null, maxLifetimeSeconds: null };

export function isLimited({ accountLimitCents, tokenLimitCents }: LaunchBounds): boolean {
  return accountLimitCents !== null || tokenLimitCents !== null;
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
