// The invoices of the account that is signed in: of a month, of a payment, and what was taken back.

import type { Shape } from "../../../../src/client/client.ts";
import { ownAccount } from "./accounts.ts";
import { ago, day, hour, idOf } from "./moments.ts";

type Invoice = Shape<"ListedInvoice">;
type Made = Pick<Invoice, "number" | "kind" | "month" | "issued_at"> & Partial<Invoice> & { readonly cents: number };

export const billingDetails: Shape<"BillingDetails"> = {
  ...{ legal_name: "Initech GmbH", address: ["Ring 2", "80331 München"], country: "DE", tax_id: "DE999999999" },
  invoice_email: "invoices@initech.example",
};

/** Newest first. */
const made: readonly Made[] = [
  {
    ...{ number: "CN-2026-000002", kind: "credit_note", month: "2026-03", issued_at: ago(2 * day), cents: -4500 },
    ...{ corrects_id: idOf("invoice", 3), corrects_number: "INV-2026-000017", reason: "Outage of the network" },
  },
  { number: "REC-2026-000009", kind: "top_up", month: "2026-03", issued_at: ago(3 * day), cents: 150_000 },
  {
    ...{ number: "INV-2026-000017", kind: "usage", month: "2026-02", issued_at: ago(17 * day - hour), cents: 96_990 },
    due_on: "2026-03-15",
  },
];

export const invoices: readonly Invoice[] = made.map(({ cents, ...given }, index) => {
  const net = given.kind === "top_up" ? cents : Math.round(cents / 1.19);
  return {
    ...{ id: idOf("invoice", index + 1), account_id: ownAccount.id, due_on: null, currency: "EUR" },
    ...{ total_cents: cents, net_cents: net, tax_cents: cents - net, micro_cents: `${cents}000000` },
    ...{ tax_basis_points: given.kind === "top_up" ? 0 : 1900, tax_label: "VAT", tax_note: null },
    ...{ customer_name: "Initech GmbH", customer_country: "DE", customer_tax_id: "DE999999999" },
    ...{
      ledger_entry_id: given.kind === "top_up" ? "71" : null,
      corrects_id: null,
      corrects_number: null,
      reason: null,
    },
    ...given,
  };
});
