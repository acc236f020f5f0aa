// How invoices look as PDF, drawn by a program that knows nothing of ours: one page with all letters, and the pages of a long
// one. Their fonts are embedded, so those of the system do not count.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { expect, it } from "vitest";
import { pdfOf } from "../../src/http/control/invoices/pdf.ts";
import { examples } from "../../src/http/control/invoices/view.ts";
import type { Invoice } from "../../src/rental/invoices/invoice-store.ts";
import { inCents } from "../../src/rules/invoices.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { imageFault } from "./support/pictures.ts";

const { invoice, creditNote } = examples;

/** What differs from the kept pictures of its pages. */
async function faultsOf(name: string, one: Invoice): Promise<(string | undefined)[]> {
  const folder = await temporaryDirectory();
  writeFileSync(join(folder, "invoice.pdf"), await pdfOf(one));
  execFileSync("pdftoppm", ["-png", "-r", "150", join(folder, "invoice.pdf"), join(folder, "page")]);
  const pages = readdirSync(folder).filter((file) => file.endsWith(".png"));
  return pages
    .sort()
    .map((file, index) => imageFault(`${name}-${index + 1}`, PNG.sync.read(readFileSync(join(folder, file)))));
}

it("an invoice with Greek, Cyrillic and accented letters looks as it did", async () => {
  const address = ["Λεωφόρος Κηφισίας 7", "Улица Ленина 1", "Žluťoučký kůň 9, Łódź"];
  const customer = { ...invoice.customer, name: "Ελληνική Εταιρεία · ООО «Ромашка»", address };
  expect(await faultsOf("invoice", { ...invoice, customer })).toEqual([undefined]);
});

it("a credit note looks as it did", async () => {
  expect(await faultsOf("credit-note", creditNote)).toEqual([undefined]);
});

it("a long one goes on on further pages", async () => {
  const lines = Array.from({ length: 60 }, (_, index) => ({
    text: index === 3 ? `${"h100-with-a-very-long-name-".repeat(6)} in north` : `h100-${index} in north`,
    ...{ seconds: 3600 * index, price_cents_per_hour: 249, discount_basis_points: (index % 2) * 1000 },
    microCents: 249_000_333n * BigInt(index),
  }));
  const tax = { basis_points: 1900, label: "VAT", note: "Reverse charge: the customer owes the tax." };
  expect(await faultsOf("long-invoice", { ...invoice, ...inCents(lines, 1900), tax })).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
