// What the provider says of a payment method becomes its state here. Used by payments/methods.ts.
//
// Invariants: the caller holds the claim and with it the row's lock. One that its account removed is never saved again: what
// was entered at its page meanwhile is only noted, so that it is detached. Of the customers that lost responses can leave at
// the provider, the first one that is noted counts.

import { sql, type UpdateObject } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { Schema } from "../../database/schema.ts";
import { asMethodStatus, type MethodStatus } from "../../rules/payment-methods.ts";
import { announceMethod } from "./method-store.ts";

/** What people recognize a method by, and the provider's id of it. */
export interface MethodDetails {
  readonly providerMethodId: string;
  readonly brand: string;
  readonly last4: string | null;
  readonly expMonth: number | null;
  readonly expYear: number | null;
}

/** What the provider says of the page of a method now. */
export interface MethodPage {
  readonly status: Extract<MethodStatus, "pending" | "saved" | "failed">;
  readonly checkoutId: string;
  readonly checkoutUrl: string | null;
  /** Of one that is saved. */
  readonly details: MethodDetails | undefined;
}

export async function applyPage(tx: Transaction, id: string, page: MethodPage): Promise<void> {
  const before = await readStatus(tx, id);
  const { checkoutId, details } = page;
  if (before === "removing" || before === "removed") {
    const noted = { checkout_id: checkoutId, ...(details && { provider_method_id: details.providerMethodId }) };
    await tx.updateTable("payment_methods").set(noted).where("id", "=", id).execute();
    return;
  }
  if (before === "saved") return;
  const { accountId } = await save(tx, id, {
    ...{ status: page.status, checkout_id: checkoutId, checkout_url: page.checkoutUrl },
    ...(page.status === "saved" && { saved_at: sql<Date>`now()` }),
    ...(details && columnsOf(details)),
  });
  if (page.status === "saved") await announceMethod(tx, "added", accountId, id);
}

/** Of one that is saved: brands and dates change when banks renew cards. */
export async function applyDetails(tx: Transaction, id: string, details: MethodDetails): Promise<void> {
  await save(tx, id, columnsOf(details));
}

/** It is not at the provider any more. */
export async function applyRemoved(tx: Transaction, id: string): Promise<void> {
  const before = await readStatus(tx, id);
  const { accountId } = await save(tx, id, { ...noDetails, status: "removed", checkout_url: null });
  if (before === "saved") await announceMethod(tx, "removed", accountId, id);
}

/** Of what is removed, nothing is kept that it could be recognized by. */
const noDetails = { brand: null, last4: null, exp_month: null, exp_year: null };

/** The provider never got it, or refused it. */
export async function applyRefused(tx: Transaction, id: string): Promise<void> {
  const before = await readStatus(tx, id);
  await save(tx, id, { status: (before === "removing" ? "removed" : "failed") satisfies MethodStatus });
}

async function save(
  tx: Transaction,
  id: string,
  columns: UpdateObject<Schema, "payment_methods">,
): Promise<{ accountId: string }> {
  const row = await tx
    .updateTable("payment_methods")
    .set(columns)
    .where("id", "=", id)
    .returning("account_id")
    .executeTakeFirstOrThrow();
  return { accountId: row.account_id };
}

async function readStatus(tx: Transaction, id: string): Promise<MethodStatus> {
  const row = await tx.selectFrom("payment_methods").select("status").where("id", "=", id).executeTakeFirstOrThrow();
  return asMethodStatus(row.status);
}

const columnsOf = ({ providerMethodId, brand, last4, expMonth, expYear }: MethodDetails) => ({
  ...{ provider_method_id: providerMethodId, brand, last4, exp_month: expMonth, exp_year: expYear },
});

/** The customer at the provider who has the methods of an account. */
export interface PaymentCustomer {
  /** Undefined: not known yet. */
  readonly customerId: string | undefined;
  /** How often it was removed there. */
  readonly generation: number;
  /** Not before then it was created. */
  readonly createdAt: Date;
}

/** Undefined: nothing was ever saved. */
export async function readCustomer(db: Database, accountId: string): Promise<PaymentCustomer | undefined> {
  const row = await db
    .selectFrom("payment_customers")
    .selectAll()
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row && { customerId: row.customer_id ?? undefined, generation: row.generation, createdAt: row.created_at };
}

/** Returns the one that counts; undefined: it was removed there meanwhile. */
export async function noteCustomer(
  db: Database,
  accountId: string,
  { generation }: PaymentCustomer,
  customerId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ customer_id: string }>`
    update payment_customers set customer_id = coalesce(customer_id, ${customerId})
    where account_id = ${accountId} and generation = ${generation} returning customer_id`.execute(db);
  return rows[0]?.customer_id;
}

/** It was removed at the provider: the next method has a new one. */
export async function forgetCustomer(db: Database, accountId: string, customerId: string): Promise<void> {
  await sql`
    update payment_customers set customer_id = null, generation = generation + 1, created_at = now()
    where account_id = ${accountId} and customer_id = ${customerId}`.execute(db);
}
