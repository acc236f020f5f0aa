// Settings of invoices for tests, and statements of a closed month without the instances behind them.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import type { InvoiceSettings, TaxRule } from "../../src/rules/invoices.ts";

const rule = { countries: undefined, taxId: undefined, label: "VAT", note: undefined };

export const taxRules: readonly TaxRule[] = [
  { ...rule, countries: ["DE"], basisPoints: 1900 },
  { ...rule, countries: ["AT", "GR"], taxId: true, basisPoints: 0, note: "Reverse charge: the customer owes the tax." },
  { ...rule, basisPoints: 2000 },
];

export function invoiceSettings(more: Partial<InvoiceSettings> = {}): InvoiceSettings {
  return {
    seller: {
      ...{ name: "Acme Cloud GmbH", address: ["Hauptstraße 1", "10115 Berlin"], country: "DE", tax_id: "DE123456789" },
      ...{ registration: "HRB 1234, Berlin", bank: ["IBAN DE02 1203 0000 0000 2020 51", "BIC BYLADEM1001"] },
    },
    ...{ currency: "EUR", prefixes: { invoice: "INV-", creditNote: "CN-" }, isYearly: true, paymentDays: 14 },
    ...{ taxOn: "usage", tax: taxRules },
    ...more,
  };
}

export interface UsedLine {
  readonly account: string;
  /** Micro-cents. */
  readonly cost: bigint;
  readonly credit?: bigint;
  readonly type?: string;
  readonly region?: string;
  readonly price?: number;
}

/** Closes the month (such as 2026-03) with a statement of these lines. */
export async function closedMonth(db: Database, month: string, lines: readonly UsedLine[]): Promise<void> {
  const first = `${month}-01`;
  await inTransaction(db, async (tx) => {
    await sql`insert into closed_months (month) values (${first}::date)`.execute(tx);
    for (const { account, cost, credit = 0n, type = "h100-1", region = "north", price = 3600 } of lines) {
      await sql`
        insert into statement_lines (month, account_id, instance_id, instance_name, instance_type, region, seconds,
          downtime_seconds, price_cents_per_hour, discount_basis_points, coupon_code, cost_micro_cents, credit_micro_cents,
          quantity)
        values (${first}::date, ${account}, gen_random_uuid(), 'training', ${type}, ${region}, 3600, 0, ${price}, 0,
          null, ${String(cost)}::numeric, ${String(credit)}::numeric, 1)`.execute(tx);
    }
  });
}
