// Invoices as PDF: what they say, in Latin, Greek and Cyrillic letters, the same bytes each time, on as many pages as needed.

import { describe, expect, it } from "vitest";
import { hasAllFonts, textOfPdf } from "../../../../test/support/pdf-text.ts";
import { inCents } from "../../../rules/invoices.ts";
import { inTurn, pdfOf } from "./pdf.ts";
import { examples } from "./view.ts";
import { clean } from "./wording.ts";

const { invoice, creditNote } = examples;
const wordsOf = (pdf: Buffer) => textOfPdf(pdf).map((texts) => texts.join("\n"));
const customer = (name: string) => ({ ...invoice, customer: { ...invoice.customer, name } });

function withLines(count: number, text = (index: number) => `type-${index} in north`) {
  const lines = Array.from({ length: count }, (_, index) => ({
    ...{
      text: text(index),
      seconds: 3600,
      price_cents_per_hour: 249,
      discount_basis_points: 0,
      microCents: 249_000_333n,
    },
  }));
  return { ...invoice, ...inCents(lines, 1900) };
}

describe("an invoice as PDF", () => {
  it("says who issued it to whom, for what, and how much of it is tax", async () => {
    const pdf = await pdfOf(invoice);
    const [page = ""] = wordsOf(pdf);
    for (const words of [
      ...["Acme Cloud GmbH", "Tax id: DE123456789", "HRB 1234, Berlin", "IBAN DE02"],
      ...["Initech GmbH", "80331 München", "Tax id: DE999999999"],
      ...["Invoice INV-2026-000042", "2026-04-01", "2026-03 (UTC)", "2026-04-15"],
      ...["h100_pcie-1 in north", "100.00", "2.49", "209.24", "249.00", "VAT 19 %", "39.76", "249.00 EUR", "1 / 1"],
    ]) {
      expect(page).toContain(words);
    }
    expect(hasAllFonts(pdf)).toBe(true);
  });

  it("has the same bytes each time", async () => {
    const [first, second] = [await pdfOf(withLines(80)), await pdfOf(withLines(80))];
    expect(first.equals(second)).toBe(true);
    expect(first.includes("D:20260401011000Z")).toBe(true);
  });

  it("is drawn in its turn, so that many at once leave time for other requests between them", async () => {
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(name);
      setImmediate(() => void order.push("other"));
      if (name === "fails") throw new Error(name);
    };
    const failed = expect(inTurn(work("fails"))).rejects.toThrow("fails");
    await Promise.all([failed, inTurn(work("a")), inTurn(work("b"))]);
    expect(order).toEqual(["fails", "other", "a", "other", "b"]);
  });

  it("goes on on further pages, each with the heads of the columns and its number", async () => {
    const pages = wordsOf(await pdfOf(withLines(120)));
    expect(pages.length).toBeGreaterThan(2);
    for (const [index, page] of pages.entries()) expect(page).toContain(`${index + 1} / ${pages.length}`);
    expect(pages.slice(0, -1).every((page) => page.includes("Price per hour"))).toBe(true);
    const all = pages.join("\n");
    for (let index = 0; index < 120; index += 1) expect(all).toContain(`type-${index} in north`);
  });

  it.each(["Ελληνική Εταιρεία Α.Ε.", "ООО «Ромашка»", "Žluťoučký kůň Łódź ő", "Ünïcode & Çie. ½ €"])(
    "draws the name %s",
    async (name) => {
      expect(wordsOf(await pdfOf(customer(name)))[0]).toContain(name);
    },
  );

  it("draws hostile and very long names as text, and loses nothing around them", async () => {
    const hostile = "\u202egpj.exe\u202c\u0000\u0007) Tj ET /JavaScript (alert) << >> endobj";
    expect(wordsOf(await pdfOf(customer(hostile)))[0]?.replaceAll(/\s+/g, " ")).toContain(clean(hostile));
    const long = await pdfOf({
      ...withLines(3, () => "x".repeat(4000)),
      customer: { ...invoice.customer, name: "y".repeat(3000) },
    });
    const all = wordsOf(long).join("");
    expect(all.match(/x/g)?.length).toBeGreaterThanOrEqual(12_000);
    expect(all.match(/y/g)?.length).toBeGreaterThanOrEqual(3000);
    expect(all).toContain("VAT 19 %");
    await pdfOf(customer("株式会社 🙂 العربية"));
  });

  it("of a credit note names the invoice, and why", async () => {
    const [page = ""] = wordsOf(await pdfOf(creditNote));
    for (const words of ["Credit note CN-2026-000007", "INV-2026-000042", "Outage", "-5.00", "-5.00 EUR"]) {
      expect(page).toContain(words);
    }
  });
});
