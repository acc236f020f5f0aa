// Invoices: their kinds, what they hold, which tax they state, and how they are rounded. Used by rental/invoices, the
// settings, the control interface, the command line and the documents.
//
// Invariant: the ledger says what customers pay, and its amounts include tax. An invoice states which part of them is tax;
// it adds nothing, and changes no balance. Tax is stated once: either with usage, or with payments (`TaxOn`).
//
// Rounding. The total is the exact amount in micro-cents, rounded to a cent, halves away from zero; net = total ÷ (1 + rate),
// rounded likewise; tax = total − net. Each line has what the sums up to it differ by, so lines add up to all three exactly,
// and each is less than a cent from its own exact value.

import { basisPointsPerWhole, microCentsPerCent } from "./cost.ts";

export const invoiceKinds = {
  usage: { title: "Invoice", meaning: "The usage of a closed month, less credits." },
  top_up: { title: "Receipt", meaning: "A payment that was added to the balance." },
  credit_note: { title: "Credit note", meaning: "Takes back an invoice, or a part of it." },
} as const;
export type InvoiceKind = keyof typeof invoiceKinds;
export const invoiceKindNames = Object.keys(invoiceKinds) as InvoiceKind[]; // as declared

/** What states the tax: each payment is for usage, so both would state it twice. */
export const taxOnWords = ["usage", "top_ups"] as const;
export type TaxOn = (typeof taxOnWords)[number];

/** Stated where the tax is on the other kind of invoice. */
const taxElsewhere: Record<TaxOn, string> = {
  usage: "The invoices of the usage that this pays for state the tax.",
  top_ups: "The receipts of the payments for this state the tax.",
};

/** Who issues invoices. */
export interface Seller {
  readonly name: string;
  readonly address: readonly string[];
  /** ISO 3166-1, two capital letters. */
  readonly country: string | null;
  readonly tax_id: string | null;
  /** Such as the number in the register of companies. */
  readonly registration: string | null;
  /** Lines. */
  readonly bank: readonly string[];
}

/** Who gets one. */
export interface Customer {
  readonly name: string;
  readonly address: readonly string[];
  readonly country: string | null;
  readonly tax_id: string | null;
}

/** One of the operator's rules; the first that matches applies. */
export interface TaxRule {
  /** undefined: all, also customers without a country. */
  readonly countries: readonly string[] | undefined;
  /** Whether the customer has a tax id; undefined: either. */
  readonly taxId: boolean | undefined;
  /** 1900: 19 %. */
  readonly basisPoints: number;
  /** Such as VAT. */
  readonly label: string;
  readonly note: string | undefined;
}

/** The tax of an invoice. */
export interface InvoiceTax {
  readonly basis_points: number;
  readonly label: string;
  /** Why there is none, such as that customers owe it. */
  readonly note: string | null;
}

export interface InvoiceSettings {
  readonly seller: Seller;
  /** ISO 4217. One per installation. */
  readonly currency: string;
  /** What numbers begin with; the two differ. */
  readonly prefixes: { readonly invoice: string; readonly creditNote: string };
  /** Whether each year (UTC) begins with 1, and numbers name it. */
  readonly isYearly: boolean;
  readonly paymentDays: number;
  readonly taxOn: TaxOn;
  /** The last one has no conditions. Empty: no tax. */
  readonly tax: readonly TaxRule[];
}

/** What numbers begin with that are given in this year. */
export function seriesOf({ prefixes, isYearly }: InvoiceSettings, kind: InvoiceKind, year: number): string {
  const prefix = kind === "credit_note" ? prefixes.creditNote : prefixes.invoice;
  return isYearly ? `${prefix}${year}-` : prefix;
}

/** At least six digits. */
export function numberOf(series: string, serial: number): string {
  return `${series}${String(serial).padStart(6, "0")}`;
}

/** The tax of an invoice of usage or of a top-up. */
export function taxOf(
  { tax, taxOn }: InvoiceSettings,
  kind: Exclude<InvoiceKind, "credit_note">,
  { country, tax_id: taxId }: Customer,
): InvoiceTax {
  const isStated = (kind === "usage") === (taxOn === "usage");
  if (!isStated && tax.length > 0) return { basis_points: 0, label: "Tax", note: taxElsewhere[taxOn] };
  const rule = tax.find(
    (one) =>
      (one.countries === undefined || (country !== null && one.countries.includes(country))) &&
      (one.taxId === undefined || one.taxId === (taxId !== null)),
  );
  return { basis_points: rule?.basisPoints ?? 0, label: rule?.label ?? "Tax", note: rule?.note ?? null };
}

const union = "AT BE BG CY CZ DE DK EE ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split(" ");

/**
 * Whether this can be a tax id there: letters and digits, at least two of them digits, with dots, dashes, slashes and
 * spaces between; in the European Union the country first. It is not looked up anywhere.
 */
export function looksLikeTaxId(taxId: string, country: string | null): boolean {
  if (!/^[A-Z0-9][A-Z0-9 ./-]{3,29}$/i.test(taxId) || taxId.replace(/\D/g, "").length < 2) return false;
  const letters = country === "GR" ? "EL" : country;
  if (letters === null || ![...union, "EL"].includes(letters)) return true;
  return new RegExp(`^${letters}[A-Z0-9+*]{2,12}$`, "i").test(taxId.replace(/[ ./-]/g, ""));
}

/** What an invoice has of a thing before it is rounded. */
export interface ExactLine {
  readonly text: string;
  /** Of usage. */
  readonly seconds: number | null;
  readonly price_cents_per_hour: number | null;
  readonly discount_basis_points: number | null;
  readonly microCents: bigint;
}

export interface InvoiceLine extends Omit<ExactLine, "microCents"> {
  /** Exact, as text. */
  readonly micro_cents: string;
  readonly total_cents: number;
  readonly net_cents: number;
  readonly tax_cents: number;
  /** Of a credit note: which line of the invoice, counted from 1. */
  readonly corrects_line: number | null;
}

export interface InvoiceSums {
  readonly totalCents: number;
  readonly netCents: number;
  readonly taxCents: number;
  readonly microCents: bigint;
}

/** The quotient, rounded; halves away from zero. `by` is above zero. */
function rounded(amount: bigint, by: bigint): bigint {
  const half = (amount < 0n ? -amount : amount) * 2n + by;
  return amount < 0n ? -(half / (2n * by)) : half / (2n * by);
}

/** Whole cents. */
export function centsOf(microCents: bigint): number {
  return Number(rounded(microCents, microCentsPerCent));
}

/** What is left of an amount in cents without its tax. */
export function netOf(cents: number, basisPoints: number): number {
  return Number(rounded(BigInt(cents) * basisPointsPerWhole, basisPointsPerWhole + BigInt(basisPoints)));
}

/** The lines in whole cents, and their sums. */
export function inCents(lines: readonly ExactLine[], basisPoints: number): { lines: InvoiceLine[]; sums: InvoiceSums } {
  let sums: InvoiceSums = { totalCents: 0, netCents: 0, taxCents: 0, microCents: 0n };
  const written = lines.map(({ microCents, ...line }) => {
    const before = sums;
    const exact = before.microCents + microCents;
    const totalCents = centsOf(exact);
    const netCents = netOf(totalCents, basisPoints);
    sums = { totalCents, netCents, taxCents: totalCents - netCents, microCents: exact };
    return {
      ...line,
      micro_cents: String(microCents),
      total_cents: sums.totalCents - before.totalCents,
      net_cents: sums.netCents - before.netCents,
      tax_cents: sums.taxCents - before.taxCents,
      corrects_line: null,
    };
  });
  return { lines: written, sums };
}

/** A part of a line that is taken back: all that is left, or so many cents of it. Undefined: it has less left. */
export function takenBack(line: InvoiceLine, earlier: readonly InvoiceLine[], basisPoints: number, cents?: number) {
  const sum = (field: "total_cents" | "net_cents" | "tax_cents") =>
    earlier.reduce((rest, note) => rest + note[field], line[field]);
  const left = { total: sum("total_cents"), net: sum("net_cents"), tax: sum("tax_cents") };
  const total = cents ?? left.total;
  if (cents !== undefined && (cents <= 0 || cents > left.total)) return undefined;
  // All that is left of all three at last.
  const net =
    total === left.total ? left.net : Math.min(Math.max(netOf(total, basisPoints), total - left.tax), left.net);
  return {
    total_cents: -total,
    net_cents: -net,
    tax_cents: net - total,
    micro_cents: String(BigInt(-total) * microCentsPerCent),
  };
}
