// Control interface: what an account states for its invoices, for itself and for operators.

import type { Static } from "typebox";
import {
  type BillingDetailsChange,
  changeBillingDetails,
  readBillingDetails,
} from "../../../rental/invoices/billing-details.ts";
import type { Api } from "../../api/operations.ts";
import * as field from "../fields.ts";
import { BillingDetails, ChangeBillingDetails, detailsView, examples } from "./view.ts";

export function billingDetailRoutes(api: Api): void {
  const read = { answer: field.one(BillingDetails), example: { answer: { data: examples.details } } };
  const change = {
    ...({ right: "money" } as const),
    ...{ body: ChangeBillingDetails, answer: field.one(BillingDetails) },
    example: { request: { country: "DE", tax_id: "DE999999999" }, answer: { data: examples.details } },
  };
  const readText = "What invoices state of the customer.";
  const changeText = "Omitted fields stay unchanged. It is for invoices from now on; issued ones stay as they are.";

  api.get(
    "/account/billing-details",
    {
      ...{ id: "getOwnBillingDetails", tag: "Invoices", summary: "Read your billing details", description: readText },
      ...read,
    },
    async ({ db, principal }) => ({ data: detailsView(await readBillingDetails(db, principal.accountId)) }),
  );

  api.patch(
    "/account/billing-details",
    {
      ...{ id: "changeOwnBillingDetails", tag: "Invoices", summary: "Change your billing details" },
      ...{ description: changeText, ...change },
    },
    async ({ tx, principal, body }) => ({
      data: detailsView(await changeBillingDetails(tx, principal.accountId, changeFrom(body))),
    }),
  );

  const ofAccount = { tag: "Accounts", scope: "operator", params: field.IdParam, errors: ["unknown-object"] } as const;

  api.get(
    "/accounts/:id/billing-details",
    {
      ...{ id: "getBillingDetails", summary: "Read an account's billing details", description: readText },
      ...{ ...ofAccount, ...read },
    },
    async ({ db, params }) => ({ data: detailsView(await readBillingDetails(db, params.id)) }),
  );

  api.patch(
    "/accounts/:id/billing-details",
    {
      ...{ id: "changeBillingDetails", summary: "Change an account's billing details", description: changeText },
      ...{ ...ofAccount, ...change },
    },
    async ({ tx, params, body }) => ({
      data: detailsView(await changeBillingDetails(tx, params.id, changeFrom(body))),
    }),
  );
}

function changeFrom(body: Static<typeof ChangeBillingDetails>): BillingDetailsChange {
  const { legal_name: name, address, country, tax_id: taxId, invoice_email: email } = body;
  return { name, address, country, taxId, email };
}
