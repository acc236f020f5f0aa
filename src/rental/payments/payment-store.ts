// Payments through a provider: what accounts ordered, and how far each is. Used by the control interface and payments/.
//
// Invariant: a payment is committed before the provider is asked for it, so nothing there is unknown here.

import type { Selectable } from "kysely";
import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import type { PaymentsTable } from "../../database/tables/payments.ts";
import {
  asPaymentStatus,
  mostOpenPayments,
  openPaymentStatuses,
  type PaymentProviderName,
  type PaymentSettings,
  type PaymentStatus,
} from "../../rules/payments.ts";
import { lockedAccounts } from "../accounts/account-store.ts";
import { invalid, RentalError } from "../errors.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { type Claim, claimFromRow } from "./claims.ts";

export interface Payment {
  readonly id: string;
  readonly accountId: string;
  readonly provider: string;
  readonly amountCents: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly status: PaymentStatus;
  /** Why it failed, as a word of the provider or of rules/payments.ts. */
  readonly failure: string | null;
  /** The provider's id of the money, which its bookkeeping names. */
  readonly providerPaymentId: string | null;
  /** The provider's id of the page where it is paid. */
  readonly checkoutId: string | null;
  readonly checkoutUrl: string | null;
  /** What an automatic one charges; null: the customer pays. */
  readonly paymentMethodId: string | null;
  readonly createdAt: Date;
  readonly paidAt: Date | null;
}

/** As it is shown. */
export interface ShownPayment extends Payment {
  /** Also if that is over. */
  readonly isDisputed: boolean;
}

/** A payment that this process has to itself until the lease ends. */
export interface ClaimedPayment extends Payment, Claim {}

type PaymentRow = Selectable<PaymentsTable>;

export interface PaymentOrder {
  readonly by: Pick<Principal, "accountId" | "tokenId">;
  readonly provider: PaymentProviderName;
  readonly amountCents: number;
  /** Names the request that orders it. */
  readonly orderKey?: string | undefined;
}

/**
 * Creates a payment that the caller has claimed for `leaseSeconds`; of a request that created one within the day, its id. Throws RentalError invalid-parameters for an amount that
 * is not taken, quota-exceeded while too many are open.
 */
export async function createPayment(
  tx: Transaction,
  { by, provider, amountCents, orderKey }: PaymentOrder,
  { currency, minAmountCents: least, maxAmountCents: most }: PaymentSettings,
  leaseSeconds: number,
): Promise<ClaimedPayment | string> {
  if (amountCents < least || amountCents > most) {
    throw invalid("amount_cents", `Must be from ${least} to ${most} cents.`);
  }
  await ask(tx, lockedAccounts(tx, [by.accountId]));
  const { rows: earlier } = await sql<{ id: string }>`
    select id from payments where account_id = ${by.accountId} and order_key = ${orderKey ?? null}
      and created_at > now() - interval '24 hours'`.execute(tx);
  if (earlier[0] !== undefined) return earlier[0].id;
  const { rows: counts } = await sql<{ open: number }>`
    select count(*)::integer as open from payments
    where account_id = ${by.accountId} and status = any(${openPaymentStatuses}::text[])`.execute(tx);
  const open = counts[0]?.open ?? 0;
  if (open >= mostOpenPayments) {
    throw new RentalError("quota-exceeded", {
      ...{ what: "open payments", limit: mostOpenPayments, used: open, requested: 1 },
    });
  }
  const { rows } = await sql<PaymentRow & { claimed_at: Date }>`
    insert into payments (id, account_id, provider, amount_cents, currency, status, token_id, order_key, next_check_at, lease_owner,
      lease_until)
    values (${uuidv7()}, ${by.accountId}, ${provider}, ${amountCents}, ${currency}, ${"created" satisfies PaymentStatus},
      ${by.tokenId}, ${orderKey ?? null}, now(), gen_random_uuid(), now() + make_interval(secs => ${leaseSeconds}::float8))
    returning *, now() as claimed_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an insert returned nothing");
  return claimedFromRow(row);
}

/** Newest first; absent fields do not filter. */
export async function listPayments(
  db: Database,
  filter: {
    readonly accountId?: string | undefined;
    readonly status?: PaymentStatus | undefined;
    readonly isDisputed?: boolean | undefined;
  },
  page: Page,
): Promise<ShownPayment[]> {
  let query = shown(db);
  if (filter.accountId !== undefined) query = query.where("account_id", "=", asUuid(filter.accountId));
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.isDisputed !== undefined)
    query = query.where(filter.isDisputed ? isDisputed : sql<boolean>`not ${isDisputed}`);
  return (await pageOf(query, "id", { ...page, descending: true }).execute()).map(shownFromRow);
}

/** `accountId`: only one of this account. Throws RentalError unknown-object. */
export async function readPayment(db: Database, id: string, accountId?: string): Promise<ShownPayment> {
  let query = shown(db).where("id", "=", asUuid(id));
  if (accountId !== undefined) query = query.where("account_id", "=", accountId);
  const row = await query.executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "payment", ids: [id] });
  return shownFromRow(row);
}

const isDisputed = sql<boolean>`exists (
  select from payments_taken_back t where t.payment_id = payments.id and t.kind = 'chargeback' and t.entries > 0)`;

const shown = (db: Database) => db.selectFrom("payments").selectAll().select(isDisputed.as("is_disputed"));

const shownFromRow = (row: PaymentRow & { is_disputed: boolean }): ShownPayment => ({
  ...paymentFromRow(row),
  isDisputed: row.is_disputed,
});

export function paymentFromRow(row: PaymentRow): Payment {
  return {
    id: row.id,
    accountId: row.account_id,
    provider: row.provider,
    amountCents: row.amount_cents,
    currency: row.currency,
    status: asPaymentStatus(row.status),
    failure: row.failure,
    providerPaymentId: row.provider_payment_id,
    checkoutId: row.checkout_id,
    checkoutUrl: row.checkout_url,
    paymentMethodId: row.payment_method_id,
    createdAt: row.created_at,
    paidAt: row.paid_at,
  };
}

export function claimedFromRow(row: PaymentRow & { claimed_at: Date }): ClaimedPayment {
  return { ...paymentFromRow(row), ...claimFromRow(row) };
}
