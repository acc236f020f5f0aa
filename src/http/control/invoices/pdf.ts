// An invoice as PDF, drawn on request. Loaded by the first request of one.
//
// Invariant: it depends on the invoice alone, which never changes, so it has the same bytes each time: dates and ids in the
// file come from the invoice. What customers chose as their names is drawn as text, whatever it is.

import { setImmediate } from "node:timers/promises";
import PDFDocument from "pdfkit";
import type { Invoice } from "../../../rental/invoices/invoice-store.ts";
import { invoiceKinds } from "../../../rules/invoices.ts";
import { fontOf } from "./fonts.ts";
import { clean, columnsOf, factsOf, type Paragraph, partyLines, sumsOf, textsOf } from "./wording.ts";

/** Points; A4 is 595 by 842. */
const page = { left: 56, right: 539, top: 56, bottom: 742 };
const width = page.right - page.left;
const gap = 12;
const grey = "#555555";

/** One at a time, with the requests of others between two: drawing one takes a hundredth of a second of the event loop. */
export const pdfOf = (invoice: Invoice): Promise<Buffer> => inTurn(() => drawn(invoice));

let last: Promise<unknown> = Promise.resolve();

/** After all that came before, in a turn of the event loop of its own. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(() => setImmediate()).then(work);
  last = done.catch(() => undefined);
  return done;
}

async function drawn(invoice: Invoice): Promise<Buffer> {
  const title = `${invoiceKinds[invoice.kind].title} ${invoice.number}`;
  const document = new PDFDocument({
    ...{ size: "A4", margin: 0, bufferPages: true, lang: "en", displayTitle: true },
    // Those registered below: each is opened once.
    font: "",
    info: {
      Title: title,
      Author: invoice.seller.name,
      Producer: "Lessor",
      Creator: "Lessor",
      CreationDate: invoice.issuedAt,
    },
  });
  document.registerFont("plain", fontOf("400Regular")).registerFont("bold", fontOf("700Bold"));
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => document.on("end", resolve).on("error", reject));
  document.on("data", (chunk: Buffer) => chunks.push(chunk));
  new Drawing(document, invoice, title).draw();
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

interface Style {
  readonly x?: number;
  readonly width?: number;
  readonly size?: number;
  readonly font?: "plain" | "bold";
  readonly colour?: string;
  readonly align?: "left" | "right";
}

class Drawing {
  readonly #document: PDFKit.PDFDocument;
  readonly #invoice: Invoice;
  readonly #title: string;
  #y = page.top;

  constructor(document: PDFKit.PDFDocument, invoice: Invoice, title: string) {
    this.#document = document;
    this.#invoice = invoice;
    this.#title = title;
  }

  draw(): void {
    const { seller, customer } = this.#invoice;
    this.#lines([{ text: clean(seller.name), isBold: true }, ...partyLines(seller)], { size: 9, colour: grey });
    this.#y += 2 * gap;
    const [top, half] = [this.#y, width / 2 - gap];
    this.#lines([{ text: clean(customer.name), isBold: true }, ...partyLines(customer)], { width: half });
    const left = this.#y;
    this.#y = top;
    for (const [name, value] of factsOf(this.#invoice)) {
      this.#row([
        { text: name, style: { x: page.left + half + gap, width: 90, size: 9, colour: grey } },
        { text: value, style: { x: page.left + half + gap + 90, width: half - 78, size: 9 } },
      ]);
    }
    this.#y = Math.max(left, this.#y) + 2 * gap;
    this.#row([{ text: this.#title, style: { size: 16, font: "bold" } }]);
    this.#y += gap;
    this.#table();
    this.#sums();
    for (const text of textsOf(this.#invoice)) {
      this.#y += gap / 2;
      this.#row([{ text, style: { size: 9 } }]);
    }
    this.#footers();
  }

  #lines(lines: readonly Paragraph[], style: Style): void {
    for (const { text, isBold = false } of lines) {
      this.#row([{ text, style: { ...style, font: isBold ? "bold" : "plain" } }]);
    }
  }

  /** Texts side by side, on the next page if they do not fit on this one. Returns whether they did not. */
  #row(cells: readonly { readonly text: string; readonly style: Style }[], above: () => void = () => {}): void {
    const height = Math.max(
      ...cells.map(({ text, style }) => this.#styled(style).heightOfString(text, widthOf(style))),
    );
    if (this.#y + height > page.bottom) {
      this.#document.addPage();
      this.#y = page.top;
      above();
    }
    for (const { text, style } of cells) {
      const { x = page.left, align = "left" } = style;
      this.#styled(style).text(text, x, this.#y, { ...widthOf(style), align });
    }
    this.#y += height + 3;
  }

  #styled({ font = "plain", size = 10, colour = "#000000" }: Style): PDFKit.PDFDocument {
    return this.#document.font(font).fontSize(size).fillColor(colour);
  }

  #table(): void {
    const columns = columnsOf(this.#invoice);
    const cells = (of: (column: (typeof columns)[number]) => string, style: Style) => {
      let x = page.left;
      return columns.map((column) => {
        const share = column.share * width;
        const cell = { text: of(column), style: { ...style, x, width: share - 6, align: column.align } as const };
        x += share;
        return cell;
      });
    };
    const head = () => {
      this.#row(cells(({ title }) => title, { size: 9, font: "bold" }));
      this.#rule();
    };
    head();
    for (const line of this.#invoice.lines) {
      this.#row(
        cells(({ of }) => of(line), { size: 9 }),
        head,
      );
    }
    this.#rule();
  }

  #rule(): void {
    this.#document.moveTo(page.left, this.#y).lineTo(page.right, this.#y).lineWidth(0.5).stroke(grey);
    this.#y += 4;
  }

  #sums(): void {
    for (const { name, amount, isBold } of sumsOf(this.#invoice)) {
      const font = isBold ? "bold" : "plain";
      this.#row([
        { text: name, style: { x: page.left + width / 2, width: width / 2 - 130, font } },
        { text: amount, style: { x: page.right - 130, width: 124, align: "right", font } },
      ]);
    }
    this.#y += gap;
  }

  /** On every page, below all else. */
  #footers(): void {
    const { seller } = this.#invoice;
    const about = [seller.name, seller.registration, ...seller.bank].filter((text) => text !== null).join(" · ");
    const { start, count } = this.#document.bufferedPageRange();
    for (let index = start; index < start + count; index += 1) {
      this.#document.switchToPage(index);
      this.#styled({ size: 8, colour: grey }).text(about, page.left, page.bottom + gap, {
        ...{ width: width - 90, height: 40, ellipsis: true },
      });
      const place = `${index + 1} / ${count}`;
      this.#document.text(place, page.right - 80, page.bottom + gap, { width: 80, align: "right" });
    }
  }
}

function widthOf({ width: given = width }: Style): { readonly width: number } {
  return { width: given };
}
