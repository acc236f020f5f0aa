// This month's cost (UTC) of an account, or of what a token launched. The only source for spend limits
// (launch-limits.ts, limits/spend-limits.ts) and for what is shown beside them.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { costOf, monthStart, secondsUntil, spanEnd } from "./cost-sql.ts";
import { creditedThisMonth } from "./credits.ts";

/** Whether `billing_spans s` overlaps this month. */
export const isOfThisMonth: RawBuilder<boolean> = sql<boolean>`${spanEnd} > ${monthStart}`;

/**
 * The sum over rows of `billing_spans s` of this month, less the credits of this month, in micro-cents, as of this
 * statement: now() is the start of the transaction, which might have waited for a lock since. `credited`: which of
 * `billing_credits c` are theirs.
 */
export function spentThisMonth(credited: RawBuilder<boolean>): RawBuilder<string> {
  return sql<string>`greatest(coalesce(sum(
    ${costOf(secondsUntil(sql<Date>`greatest(statement_timestamp(), ${monthStart})`))}
      - ${costOf(secondsUntil(monthStart))}), 0) - ${creditedThisMonth(credited)}, 0)`;
}

/** What each account has spent, in micro-cents; one without cost can be missing. At most one query. */
export async function spentByAccounts(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<SpentRow>`
    select s.account_id as id, ${spentThisMonth(sql<boolean>`c.account_id = s.account_id`)}::text as spent from billing_spans s
    where s.account_id = any(${ids}::uuid[]) and ${isOfThisMonth}
    group by s.account_id`.execute(db);
  return mapOf(rows);
}

/** What launches of each of the account's tokens have spent, likewise. */
export async function spentByTokens(
  db: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  if (ids.length === 0) return new Map();
  const ofToken = sql<boolean>`c.account_id = ${accountId} and c.token_id = s.token_id`;
  const { rows } = await sql<SpentRow>`
    select s.token_id as id, ${spentThisMonth(ofToken)}::text as spent from billing_spans s
    where s.account_id = ${accountId} and ${isOfThisMonth} and s.token_id = any(${ids}::uuid[])
    group by s.token_id`.execute(db);
  return mapOf(rows);
}

/** Shown beside a spend limit. */
export interface Spending {
  /** This month. Null if there is no limit. */
  readonly spentMicroCents: bigint | null;
}

interface Limited {
  readonly id: string;
  readonly spendLimitCents: number | null;
}

/** The accounts, each with what it has spent of its limit. At most one query. */
export async function accountsWithSpent<A extends Limited>(
  db: Database,
  accounts: readonly A[],
): Promise<(A & Spending)[]> {
  const spent = await spentByAccounts(db, limitedOf(accounts));
  return accounts.map((account) => withSpent(account, spent));
}

export async function accountWithSpent<A extends Limited>(db: Database, account: A): Promise<A & Spending> {
  return withSpent(account, await spentByAccounts(db, limitedOf([account])));
}

/** The account's tokens, each with what its launches have spent of its limit. At most one query. */
export async function tokensWithSpent<T extends Limited>(
  db: Database,
  accountId: string,
  tokens: readonly T[],
): Promise<(T & Spending)[]> {
  const spent = await spentByTokens(db, accountId, limitedOf(tokens));
  return tokens.map((token) => withSpent(token, spent));
}

export async function tokenWithSpent<T extends Limited>(
  db: Database,
  accountId: string,
  token: T,
): Promise<T & Spending> {
  return withSpent(token, await spentByTokens(db, accountId, limitedOf([token])));
}

interface SpentRow {
  readonly id: string;
  readonly spent: string;
}

function mapOf(rows: readonly SpentRow[]): ReadonlyMap<string, bigint> {
  return new Map(rows.map(({ id, spent }) => [id, BigInt(spent)]));
}

function limitedOf(all: readonly Limited[]): string[] {
  return all.filter(({ spendLimitCents }) => spendLimitCents !== null).map(({ id }) => id);
}

function withSpent<T extends Limited>(one: T, spent: ReadonlyMap<string, bigint>): T & Spending {
  return { ...one, spentMicroCents: one.spendLimitCents === null ? null : (spent.get(one.id) ?? 0n) };
}
