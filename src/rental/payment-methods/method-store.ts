// Saved payment methods: what accounts began to save, and how far each is. Used by the control interface and
// payments/methods.ts.
//
// Invariants: a method is committed before the provider is asked for its page, so nothing there is unknown here. The default
// is the one that was saved last.

import { type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import type { PaymentMethodsTable } from "../../database/tables/payment-methods.ts";
import {
  asMethodStatus,
  currentMethodStatuses,
  type MethodStatus,
  mostPaymentMethods,
  shownMethodStatuses,
} from "../../rules/payment-methods.ts";
import { lockedAccounts } from "../accounts/account-store.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { type Page, pageOf } from "../paging.ts";
import { type Claim, claimFromRow } from "../payments/claims.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";

export interface PaymentMethod {
  readonly id: string;
  readonly accountId: string;
  readonly status: MethodStatus;
  readonly isDefault: boolean;
  /** A brand of cards, or another kind of method. */
  readonly brand: string | null;
  readonly last4: string | null;
  readonly expMonth: number | null;
  readonly expYear: number | null;
  readonly checkoutUrl: string | null;
  readonly createdAt: Date;
}

/** A method that this process has to itself until the lease ends. */
export interface ClaimedMethod extends PaymentMethod, Claim {
  readonly checkoutId: string | null;
  readonly providerMethodId: string | null;
}

type MethodRow = Selectable<PaymentMethodsTable>;

/** Creates one that the caller has claimed for `leaseSeconds`; of a request that created one within the day, its id. Throws RentalError quota-exceeded. */
export async function createMethod(
  tx: Transaction,
  { accountId, tokenId }: Pick<Principal, "accountId" | "tokenId">,
  orderKey: string | undefined,
  leaseSeconds: number,
): Promise<ClaimedMethod | string> {
  await ask(tx, lockedAccounts(tx, [accountId]));
  const { rows: earlier } = await sql<{ id: string }>`
    select id from payment_methods where account_id = ${accountId} and order_key = ${orderKey ?? null}
      and status = any(${shownMethodStatuses}::text[]) and created_at > now() - interval '24 hours'`.execute(tx);
  if (earlier[0] !== undefined) return earlier[0].id;
  const { rows: counts } = await sql<{ current: number }>`
    select count(*)::integer as current from payment_methods
    where account_id = ${accountId} and status = any(${currentMethodStatuses}::text[])`.execute(tx);
  const used = counts[0]?.current ?? 0;
  if (used >= mostPaymentMethods) {
    throw new RentalError("quota-exceeded", {
      ...{ what: "payment methods", limit: mostPaymentMethods, used, requested: 1 },
    });
  }
  await sql`insert into payment_customers (account_id) values (${accountId}) on conflict do nothing`.execute(tx);
  const { rows } = await sql<ClaimedRow>`
    insert into payment_methods (id, account_id, status, token_id, order_key, next_check_at, lease_owner,
      lease_until)
    values (${uuidv7()}, ${accountId}, ${"created" satisfies MethodStatus}, ${tokenId}, ${orderKey ?? null}, now(),
      gen_random_uuid(), now() + make_interval(secs => ${leaseSeconds}::float8))
    returning *, now() as claimed_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an insert returned nothing");
  return claimedMethodFromRow(row);
}

/** Those that are entered or can be, newest first. */
export async function listMethods(db: Database, accountId: string, page: Page): Promise<PaymentMethod[]> {
  const query = db
    .selectFrom("payment_methods")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("status", "in", currentMethodStatuses);
  const [rows, last] = [
    await pageOf(query, "id", { ...page, descending: true }).execute(),
    await defaultMethod(db, accountId),
  ];
  return rows.map((row) => methodFromRow(row, last));
}

/** Throws RentalError unknown-object. */
export async function readMethod(db: Database, accountId: string, id: string): Promise<PaymentMethod> {
  const row = await db
    .selectFrom("payment_methods")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", accountId)
    .where("status", "in", shownMethodStatuses)
    .executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "payment method", ids: [id] });
  return methodFromRow(row, await defaultMethod(db, accountId));
}

/** The id of the account's default; undefined: it has none that is saved. */
export async function defaultMethod(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("payment_methods")
    .select("id")
    .where("account_id", "=", accountId)
    .where("status", "=", "saved" satisfies MethodStatus)
    .orderBy("saved_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** It is gone here at once, and detached at the provider by the reconciler. Throws RentalError unknown-object. */
export async function removeMethod(tx: Transaction, accountId: string, id: string): Promise<void> {
  const { rows } = await sql<{ was: string }>`
    update payment_methods m set status = ${"removing" satisfies MethodStatus}, checkout_url = null, hints = m.hints + 1,
      next_check_at = now()
    from (select id, status from payment_methods where id = ${asUuid(id)} for no key update) before
    where m.id = before.id and m.account_id = ${accountId} and before.status = any(${shownMethodStatuses}::text[])
    returning before.status as was`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new RentalError("unknown-object", { what: "payment method", ids: [id] });
  if (asMethodStatus(row.was) === "saved") await announceMethod(tx, "removed", accountId, asUuid(id));
  await wakeReconciler(tx, "payments");
}

export async function announceMethod(tx: Transaction, word: "added" | "removed", accountId: string, id: string) {
  const data = { account_id: accountId, payment_method_id: id };
  await recordEvents(tx, [{ accountId, type: `payment_method.${word}`, subjectId: id, data }]);
}

function methodFromRow(row: MethodRow, last: string | undefined): PaymentMethod {
  return {
    ...{ id: row.id, accountId: row.account_id, status: asMethodStatus(row.status), isDefault: row.id === last },
    ...{ brand: row.brand, last4: row.last4, expMonth: row.exp_month, expYear: row.exp_year },
    ...{ checkoutUrl: row.checkout_url, createdAt: row.created_at },
  };
}

export type ClaimedRow = MethodRow & { readonly claimed_at: Date };

export function claimedMethodFromRow(row: ClaimedRow): ClaimedMethod {
  return {
    ...{ ...methodFromRow(row, undefined), ...claimFromRow(row) },
    ...{ checkoutId: row.checkout_id, providerMethodId: row.provider_method_id },
  };
}
