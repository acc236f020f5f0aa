// What an account states for its invoices: name, address, country, tax id, and where they are sent. Used by the control
// interface, and by issue.ts, which copies it into each invoice. A change does not change invoices.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { type Customer, looksLikeTaxId } from "../../rules/invoices.ts";
import { readAccount } from "../accounts/account-store.ts";
import { readdressEmails } from "../emails/queue.ts";
import { invalid } from "../errors.ts";

export interface BillingDetails {
  /** Null: the name of the account. */
  readonly name: string | null;
  readonly address: readonly string[];
  readonly country: string | null;
  readonly taxId: string | null;
  /** Null: the contact address of the account. */
  readonly email: string | null;
}

/** Absent fields stay unchanged. */
export type BillingDetailsChange = { readonly [K in keyof BillingDetails]?: BillingDetails[K] | undefined };

/** Throws RentalError unknown-object. */
export async function readBillingDetails(db: Database, accountId: string): Promise<BillingDetails> {
  const { id } = await readAccount(db, accountId);
  const row = await db.selectFrom("billing_details").selectAll().where("account_id", "=", id).executeTakeFirst();
  if (row === undefined) return { name: null, address: [], country: null, taxId: null, email: null };
  const { name, address, country, tax_id: taxId, email } = row;
  return { name, address, country, taxId, email };
}

/** Throws RentalError unknown-object, invalid-parameters. */
export async function changeBillingDetails(
  tx: Transaction,
  accountId: string,
  change: BillingDetailsChange,
): Promise<BillingDetails> {
  const { id } = await readAccount(tx, accountId);
  // Locked, so that two changes are checked one after the other.
  await sql`insert into billing_details (account_id) values (${id}) on conflict do nothing`.execute(tx);
  await sql`select from billing_details where account_id = ${id} for update`.execute(tx);
  const before = await readBillingDetails(tx, id);
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const { name, address, country, taxId, email }: BillingDetails = { ...before, ...given };
  if (taxId !== null && !looksLikeTaxId(taxId, country)) {
    throw invalid("tax_id", "Must be a tax id of the country; in the European Union it begins with the country.");
  }
  const set = { name, address: [...address], country, tax_id: taxId, email };
  await tx.updateTable("billing_details").set(set).where("account_id", "=", id).execute();
  if (email !== before.email) await readdressEmails(tx, id);
  return { name, address, country, taxId, email };
}

/** What an invoice has of it. */
export async function customerOf(db: Database, accountId: string): Promise<Customer> {
  const { name } = await readAccount(db, accountId);
  const details = await readBillingDetails(db, accountId);
  return { name: details.name ?? name, address: details.address, country: details.country, tax_id: details.taxId };
}
