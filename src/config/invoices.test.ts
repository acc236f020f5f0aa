// The settings of invoices: without them none are issued, and what would be wrong on an invoice is refused at start.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { loadConfig } from "../config.ts";

async function invoices(yaml: string) {
  const cwd = await temporaryDirectory();
  writeFileSync(join(cwd, "lessor.yaml"), yaml);
  return loadConfig({ env: {}, cwd }).invoices;
}

const least = "seller: { name: Acme GmbH }, currency: EUR";

it("are not issued without settings", async () => {
  expect(await invoices("port: 1")).toBeUndefined();
});

it("need who issues them and a currency", async () => {
  expect(await invoices(`invoices: { ${least} }`)).toEqual({
    seller: { name: "Acme GmbH", address: [], country: null, tax_id: null, registration: null, bank: [] },
    ...{ currency: "EUR", prefixes: { invoice: "INV-", creditNote: "CN-" }, isYearly: true, paymentDays: 14 },
    ...{ taxOn: "usage", tax: [] },
  });
  await expect(invoices("invoices: { currency: EUR }")).rejects.toThrow(/invoices\.seller/);
  await expect(invoices("invoices: { seller: { name: A } }")).rejects.toThrow(/invoices\.currency/);
});

it("have rules of tax, the last one for all others", async () => {
  const rules = "[{ countries: [DE], rate_basis_points: 1900, label: VAT }, { rate_basis_points: 0, note: None }]";
  const found = await invoices(`invoices: { ${least}, tax_on: top_ups, tax: ${rules} }`);
  expect(found?.taxOn).toBe("top_ups");
  expect(found?.tax).toEqual([
    { countries: ["DE"], taxId: undefined, basisPoints: 1900, label: "VAT", note: undefined },
    { countries: undefined, taxId: undefined, basisPoints: 0, label: "Tax", note: "None" },
  ]);
});

it.each([
  ["seller: { name: A }, currency: eur", "invoices.currency"],
  ["seller: { name: A, country: Germany }, currency: EUR", "invoices.seller.country"],
  [`${least}, number_prefix: "R 1"`, "invoices.number_prefix"],
  [`${least}, credit_note_prefix: INV-`, "invoices.credit_note_prefix"],
  [`${least}, tax: [{ countries: [DE], rate_basis_points: 1900 }]`, "invoices.tax"],
  [`${least}, tax: [{ tax_id: true, rate_basis_points: 0 }]`, "invoices.tax"],
  [`${least}, tax: [{ countries: [Austria], rate_basis_points: 0 }]`, "invoices.tax[0].countries[0]"],
  [`${least}, tax: [{ rate_basis_points: 19.5 }]`, "invoices.tax[0].rate_basis_points"],
  [`${least}, tax_on: both`, "invoices.tax_on"],
])("{ %s } is refused, naming %s", async (yaml, name) => {
  await expect(invoices(`invoices: { ${yaml} }`)).rejects.toThrow(name);
});
