// The operations of invoices that change something, for changes.ts.

import type { Change } from "./changes.ts";

/** `account`: makes one. */
export function invoiceChanges(account: () => Promise<string>): Record<string, Change> {
  const unknownId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
  const body = { legal_name: "Initech GmbH", country: "DE", tax_id: "DE999999999" };
  const attempt = (id: string) => ({ path: `/accounts/${id}/billing-details`, body, about: id });
  return {
    "PATCH /account/billing-details": {
      good: async () => ({ path: "/account/billing-details", body }),
      refused: async () => ({ path: "/account/billing-details", body: { ...body, tax_id: "12345" } }),
    },
    "PATCH /accounts/{id}/billing-details": {
      good: async () => attempt(await account()),
      refused: async () => attempt(unknownId),
    },
    // Succeeds only for an invoice, which no server of this suite issues: src/http/control/invoices/invoices.test.ts.
    "POST /invoices/{id}/credit-notes": {
      refused: async () => ({
        path: `/invoices/${unknownId}/credit-notes`,
        body: { reason: "Outage" },
        about: unknownId,
      }),
    },
  };
}
