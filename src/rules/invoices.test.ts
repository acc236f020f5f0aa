// Tax and rounding of invoices: lines add up exactly, whatever they are.

import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import {
  centsOf,
  type ExactLine,
  type InvoiceSettings,
  inCents,
  looksLikeTaxId,
  netOf,
  takenBack,
  taxOf,
} from "./invoices.ts";

const line = (microCents: bigint): ExactLine => ({
  ...{ text: "h100-1", seconds: null, price_cents_per_hour: null, discount_basis_points: null, microCents },
});
const micro = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n });
const rate = fc.integer({ min: 0, max: 5000 });

describe("rounding", () => {
  it("is to the nearest cent, halves away from zero", () => {
    const rounded = [499_999n, 500_000n, -500_000n, -499_999n, 1_500_000n].map(centsOf);
    expect(rounded).toEqual([0, 1, -1, 0, 2]);
    expect([netOf(119, 1900), netOf(100, 1900), netOf(-100, 1900), netOf(100, 0)]).toEqual([100, 84, -84, 100]);
  });

  it("gives lines that add up to total, net and tax, each within a cent of its exact value", () => {
    fc.assert(
      fc.property(fc.array(micro, { maxLength: 30 }), rate, (amounts, basisPoints) => {
        const { lines, sums } = inCents(amounts.map(line), basisPoints);
        const sum = (field: "total_cents" | "net_cents" | "tax_cents") =>
          lines.reduce((all, one) => all + one[field], 0);
        const exact = amounts.reduce((all, one) => all + one, 0n);
        expect(sums).toEqual({
          totalCents: centsOf(exact),
          netCents: netOf(centsOf(exact), basisPoints),
          taxCents: sum("tax_cents"),
          microCents: exact,
        });
        expect([sum("total_cents"), sum("net_cents"), sum("net_cents") + sum("tax_cents")]).toEqual([
          sums.totalCents,
          sums.netCents,
          sums.totalCents,
        ]);
        for (const one of lines) {
          const off = BigInt(one.total_cents) * 1_000_000n - BigInt(one.micro_cents);
          expect(off <= 1_000_000n && off >= -1_000_000n).toBe(true);
        }
      }),
    );
  });
});

describe("taking back", () => {
  it("in parts comes to exactly the line at last, and never to more", () => {
    const parts = fc.array(fc.integer({ min: 1, max: 5000 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.bigInt({ min: 1_000_000n, max: 10n ** 11n }), rate, parts, (amount, basisPoints, cents) => {
        const [one] = inCents([line(amount)], basisPoints).lines;
        if (one === undefined) throw new Error("one was given");
        const notes: (typeof one)[] = [];
        for (const part of [...cents, undefined]) {
          const back = takenBack(one, notes, basisPoints, part);
          if (back === undefined) continue;
          expect(back.net_cents + back.tax_cents).toBe(back.total_cents);
          expect(Math.max(back.net_cents, back.tax_cents, back.total_cents)).toBeLessThanOrEqual(0);
          notes.push({ ...one, ...back });
        }
        for (const field of ["total_cents", "net_cents", "tax_cents"] as const) {
          expect(
            notes.reduce((rest, note) => rest + note[field], one[field]),
            field,
          ).toBe(0);
        }
      }),
    );
  });

  it("of more than is left, or of nothing, is impossible", () => {
    const [one] = inCents([line(10_000_000n)], 0).lines;
    if (one === undefined) throw new Error("one was given");
    expect([takenBack(one, [], 0, 11), takenBack(one, [], 0, 0)]).toEqual([undefined, undefined]);
  });
});

describe("tax", () => {
  const rule = { countries: undefined, taxId: undefined, label: "VAT", note: undefined };
  const settings: InvoiceSettings = {
    seller: { name: "Acme", address: [], country: "DE", tax_id: null, registration: null, bank: [] },
    ...{ currency: "EUR", prefixes: { invoice: "INV-", creditNote: "CN-" }, isYearly: true, paymentDays: 14 },
    taxOn: "usage",
    tax: [
      { ...rule, countries: ["DE"], basisPoints: 1900 },
      { ...rule, countries: ["FR", "AT"], taxId: true, basisPoints: 0, note: "Reverse charge" },
      { ...rule, countries: ["FR"], basisPoints: 2000 },
      { ...rule, basisPoints: 0, note: "Not taxable" },
    ],
  };
  const of = (country: string | null, taxId: string | null, more: Partial<InvoiceSettings> = {}) =>
    taxOf({ ...settings, ...more }, "usage", { name: "Initech", address: [], country, tax_id: taxId });

  it.each([
    ["DE", null, 1900, null],
    ["DE", "DE123456789", 1900, null],
    ["FR", "FRXX999999999", 0, "Reverse charge"],
    ["FR", null, 2000, null],
    ["AT", null, 0, "Not taxable"],
    ["US", "12-3456789", 0, "Not taxable"],
    [null, null, 0, "Not taxable"],
  ])("of a customer in %s with the id %s is that of the first rule that matches", (country, taxId, rate, note) => {
    expect(of(country, taxId)).toEqual({ basis_points: rate, label: "VAT", note });
  });

  it("is stated with usage or with payments, not with both", () => {
    const customer = { name: "Initech", address: [], country: "DE", tax_id: null };
    const rates = (["usage", "top_ups"] as const).map((taxOn) =>
      (["usage", "top_up"] as const).map((kind) => taxOf({ ...settings, taxOn }, kind, customer).basis_points),
    );
    expect(rates).toEqual([
      [1900, 0],
      [0, 1900],
    ]);
    expect(taxOf(settings, "top_up", customer).note).toContain("state the tax");
  });

  it("is none without rules", () => {
    expect(of("DE", null, { tax: [] })).toEqual({ basis_points: 0, label: "Tax", note: null });
  });

  it.each([
    ["DE123456789", "DE", true],
    ["de 123 456 789", "DE", true],
    ["123456789", "DE", false],
    ["FR123456789", "DE", false],
    ["EL123456789", "GR", true],
    ["NL123456789B01", "NL", true],
    ["12-3456789", "US", true],
    ["123456789", null, true],
    ["none", "US", false],
    ["=1+1", "US", false],
    ["DE1", "DE", false],
  ])("an id %s in %s: %s", (taxId, country, expected) => {
    expect(looksLikeTaxId(taxId, country)).toBe(expected);
  });
});
