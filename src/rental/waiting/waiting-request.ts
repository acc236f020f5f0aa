// A waiting launch as a request of the launch queue: its order, decrypted, and the rights of its token as they are now.
// It contains secrets in plaintext, lives for one try, and is never logged. Used by placer.ts.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { type Question, question } from "../../database/round-trips.ts";
import { waitingState } from "../../rules/waiting-launches.ts";
import { asScopes, isGoodToken } from "../accounts/token-store.ts";
import { invalid, type RentalError } from "../errors.ts";
import type { LaunchOrder } from "../launching/order.ts";
import type { Asked } from "../launching/plan.ts";
import type { Service } from "../service.ts";
import { orderContext } from "./waiting-launch.ts";

export interface WaitingRequest extends Asked {
  readonly id: string;
  readonly position: number;
  /** When it was due, as the database writes it: another value later says that it was woken since. */
  readonly nextTry: string;
  /** Whether its instances would live longer or shorter than its line says, as the maximum of its account has changed. */
  readonly isLifetimeStale: boolean;
  /** Why it can no longer be placed. */
  readonly refusal: RentalError | undefined;
}

/** Undefined: it no longer waits. Throws CannotOpen if its order cannot be decrypted. */
export async function openWaiting(db: Database, { keyRing }: Service, id: string): Promise<WaitingRequest | undefined> {
  const { rows } = await sql<WaitingRow>`
    select w.account_id, w.token_id, w.position, w.wait_until, w.order_sealed, w.next_try_at::text as next_try, w.max_lifetime_seconds as lifetime,
      (select a.max_lifetime_seconds from accounts a where a.id = w.account_id) as most, t.scopes,
      ${isGoodToken} as "isGood"
    from waiting_launches w join tokens t on t.id = w.token_id
    where w.id = ${id} and w.state = ${sql.lit(waitingState)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  // As beginWait has sealed it.
  const order = JSON.parse(keyRing.openText(row.order_sealed, orderContext(id))) as LaunchOrder;
  const principal = { accountId: row.account_id, tokenId: row.token_id, scopes: new Set(asScopes(row.scopes)) };
  return {
    ...{ id, position: row.position, waitsUntil: row.wait_until, nextTry: row.next_try, order, principal },
    isLifetimeStale: (order.maxLifetimeSeconds === undefined ? row.most : order.maxLifetimeSeconds) !== row.lifetime,
    refusal: row.isGood ? undefined : invalid("token", "The token of the launch is no longer valid."),
  };
}

interface WaitingRow {
  account_id: string;
  token_id: string;
  position: number;
  wait_until: Date;
  order_sealed: string;
  next_try: string;
  /** In seconds; null: unlimited. */
  lifetime: number | null;
  /** Of its account. */
  most: number | null;
  scopes: string[];
  isGood: boolean;
}

/** Locks those that still wait and that no other replica is placing, until the transaction ends. */
export function stillWaiting(ids: readonly string[]): Question<ReadonlySet<string>> {
  const query = sql<{ id: string }>`
    select id from waiting_launches where id = any(${[...ids]}::uuid[]) and state = ${sql.lit(waitingState)}
    order by position for update skip locked`;
  return question(query, (rows) => new Set(rows.map(({ id }) => id)));
}
