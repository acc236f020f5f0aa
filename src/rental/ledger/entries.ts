// Entries of the ledger: writes those that have a cause outside of usage, and lists all. Kinds: rules/ledger.ts; usage is
// posted by post-usage.ts. Used by by-hand.ts, vouchers.ts and the control interface.
//
// Invariant: an entry is two lines that add up to zero, has the only one of its cause, and never changes; the database refuses
// anything else.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { asLedgerKind, hasSignOf, type LedgerKind, ledgerKinds } from "../../rules/ledger.ts";
import { retryWaits } from "../accounts/retry-waits.ts";
import type { Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";

export interface LedgerEntry {
  /** The cursor of a page: later entries have greater ones. */
  readonly id: number;
  readonly accountId: string;
  readonly kind: LedgerKind;
  /** Of the balance. */
  readonly amountMicroCents: bigint;
  /** The sum of this entry and those before it. */
  readonly balanceMicroCents: bigint;
  /** Of usage and credits: 2026-03, and the end of the time that is counted. */
  readonly month: string | null;
  readonly until: Date | null;
  readonly reference: string | null;
  readonly reason: string | null;
  /** Null: the service made it. */
  readonly tokenId: string | null;
  readonly createdAt: Date;
}

export interface NewEntry {
  readonly accountId: string;
  readonly kind: LedgerKind;
  readonly amountMicroCents: bigint;
  /** What makes it the only one of its kind, such as the reference of a payment. */
  readonly cause: string;
  readonly reference?: string;
  readonly reason?: string;
  /** Null: the service makes it. */
  readonly tokenId: string | null;
}

/** What causes of payments through a provider begin with, and no reference of an operator does. */
export const ofPayments = "payment/";

/** Undefined: there is one with this cause, of any account. */
export async function postEntry(tx: Transaction, entry: NewEntry): Promise<LedgerEntry | undefined> {
  const { accountId, kind, amountMicroCents: amount } = entry;
  if (!hasSignOf(kind, amount)) throw new Error(`BUG: an entry of the kind ${kind} with the amount ${amount}`);
  const { rows } = await sql<{ id: number }>`
    with entry as (
      insert into ledger_entries (account_id, kind, cause, reference, reason, token_id)
      values (${accountId}, ${kind}, ${`${kind}/${entry.cause}`}, ${entry.reference ?? null}, ${entry.reason ?? null},
        ${entry.tokenId})
      on conflict (cause) do nothing
      returning id, account_id, kind
    ), lines as (
      insert into ledger_lines (entry_id, account_id, kind, ledger_account, amount_micro_cents)
      select entry.*, side.* from entry cross join (values
        ('balance', ${String(amount)}::numeric), (${ledgerKinds[kind].against}, ${String(-amount)}::numeric)) side
    )
    select id from entry`.execute(tx);
  const [made] = rows;
  if (made === undefined) return undefined;
  // Those that wait for money may have it now.
  if (amount > 0n) await retryWaits(tx, { accountId });
  const [written] = await entriesWhere(tx, accountId, sql<boolean>`id = ${made.id}`);
  if (written === undefined) throw new Error("BUG: the entry was just written");
  return written;
}

/** The account's entries, newest first. */
export function listEntries(db: Database, accountId: string, { after, limit }: Page): Promise<LedgerEntry[]> {
  const isAfter = after === undefined ? sql<boolean>`true` : sql<boolean>`id < ${Number(after)}`;
  return entriesWhere(db, accountId, isAfter, limit);
}

async function entriesWhere(
  db: Database,
  accountId: string,
  which: RawBuilder<boolean>,
  limit?: number,
): Promise<LedgerEntry[]> {
  const { rows } = await sql<{
    id: number;
    account_id: string;
    kind: string;
    amount: string;
    balance: string;
    month: string | null;
    until: Date | null;
    reference: string | null;
    reason: string | null;
    token_id: string | null;
    created_at: Date;
  }>`
    with listed as (
      select entry_id as id, amount_micro_cents as amount, sum(amount_micro_cents) over (order by entry_id) as balance
      from ledger_lines where account_id = ${asUuid(accountId)} and ledger_account = 'balance'
    ), page as (
      select * from listed where ${which} order by id desc limit ${limit ?? null}::bigint
    )
    select id, e.account_id, e.kind, page.amount::text as amount, page.balance::text as balance,
      to_char(e.month, 'YYYY-MM') as month, e.until, e.reference, e.reason, e.token_id, e.created_at
    from page join ledger_entries e using (id) order by id desc`.execute(db);
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    kind: asLedgerKind(row.kind),
    amountMicroCents: BigInt(row.amount),
    balanceMicroCents: BigInt(row.balance),
    month: row.month,
    until: row.until,
    reference: row.reference,
    reason: row.reason,
    tokenId: row.token_id,
    createdAt: row.created_at,
  }));
}
