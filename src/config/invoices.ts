// The settings of invoices (lessor.yaml `invoices`): schema, defaults and parsed form. Without them none are issued. Used by
// config.ts and file-schema.ts.
//
// Invariant: each customer has a tax: the last rule applies to all that no other does.

import { type Static, Type } from "typebox";
import { type InvoiceSettings, type TaxRule, taxOnWords } from "../rules/invoices.ts";
import { ConfigError } from "../settings/error.ts";
import { choice, group, integer, onOff, text } from "../settings/schema-parts.ts";
import { settingIn } from "../settings/setting-path.ts";

const line = "a string (in quotes if it looks like a number)";
const lines = (what: string) => Type.Optional(Type.Array(Type.String(), { description: `a list of ${what}` }));

export const InvoicesSchema = Type.Optional(
  group({
    seller: group({
      name: Type.String({ minLength: 1, description: "the name of your company" }),
      address: lines("lines, such as [Hauptstr. 1, 10115 Berlin]"),
      country: text("a country of two letters, such as DE"),
      tax_id: text(line),
      registration: text(line),
      bank: lines('lines, such as ["IBAN DE02 1203 0000 0000 2020 51"]'),
    }),
    currency: Type.String({ description: "a currency of three letters, such as EUR" }),
    number_prefix: text("what numbers begin with, such as INV-"),
    credit_note_prefix: text("what numbers of credit notes begin with, such as CN-"),
    yearly_numbers: onOff(),
    payment_days: integer(0, 365),
    tax_on: choice(taxOnWords),
    tax: Type.Optional(
      Type.Array(
        group({
          countries: lines("countries of two letters, such as [DE, AT]"),
          tax_id: onOff(),
          rate_basis_points: Type.Integer({ minimum: 0, maximum: 10_000, description: "an integer from 0 to 10000" }),
          label: text("what the tax is called, such as VAT"),
          note: text("a sentence for the invoice"),
        }),
        { description: "a list of rules with rate_basis_points" },
      ),
    ),
  }),
);

/** Throws ConfigError. */
export function resolveInvoices(
  settings: Static<typeof InvoicesSchema> | undefined,
  fileName: string,
): InvoiceSettings | undefined {
  if (settings === undefined) return undefined;
  const { seller, currency, tax = [] } = settings;
  const named = (...path: (string | number)[]) => settingIn(["invoices", ...path], fileName);
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw new ConfigError(`${named("currency")} must be a currency of three capital letters, such as EUR.`);
  }
  const country = (text: string, ...path: (string | number)[]) => {
    if (/^[A-Z]{2}$/.test(text)) return text;
    throw new ConfigError(`${named(...path)} must be a country of two capital letters, such as DE.`);
  };
  const prefix = (key: "number_prefix" | "credit_note_prefix", otherwise: string) => {
    const given = settings[key] ?? otherwise;
    if (/^[A-Za-z0-9._/-]{1,16}$/.test(given)) return given;
    throw new ConfigError(`${named(key)} must be 1 to 16 letters, digits, dots, dashes, slashes and underscores.`);
  };
  const prefixes = { invoice: prefix("number_prefix", "INV-"), creditNote: prefix("credit_note_prefix", "CN-") };
  if (prefixes.invoice === prefixes.creditNote) {
    throw new ConfigError(`${named("credit_note_prefix")} must differ from number_prefix.`);
  }
  const rules = tax.map(
    (one, index): TaxRule => ({
      countries: one.countries?.map((text, place) => country(text, "tax", index, "countries", place)),
      taxId: one.tax_id,
      basisPoints: one.rate_basis_points,
      label: one.label ?? "Tax",
      note: one.note,
    }),
  );
  const last = rules.at(-1);
  if (last !== undefined && (last.countries !== undefined || last.taxId !== undefined)) {
    throw new ConfigError(
      `${named("tax")} must end with a rule without countries and tax_id, for all other customers.`,
    );
  }
  return {
    seller: {
      name: seller.name,
      address: seller.address ?? [],
      country: seller.country === undefined ? null : country(seller.country, "seller", "country"),
      tax_id: seller.tax_id ?? null,
      registration: seller.registration ?? null,
      bank: seller.bank ?? [],
    },
    currency,
    prefixes,
    isYearly: settings.yearly_numbers ?? true,
    paymentDays: settings.payment_days ?? 14,
    taxOn: settings.tax_on ?? "usage",
    tax: rules,
  };
}
