// Control interface: invoices, receipts and credit notes, of your own account and, for operators, of any; as JSON, CSV and
// PDF. They never change.

import { Type } from "typebox";
import { readAccount } from "../../../rental/accounts/account-store.ts";
import { issueCreditNote } from "../../../rental/invoices/credit-notes.ts";
import { listInvoices, readInvoice } from "../../../rental/invoices/invoice-store.ts";
import type { Principal } from "../../../rental/service.ts";
import { formatQuery } from "../../api/csv.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api, Reading } from "../../api/operations.ts";
import { byId, pageQuery } from "../../api/paging.ts";
import { HttpError } from "../../errors/api-error.ts";
import { parseMonth } from "../billing/calendar.ts";
import * as field from "../fields.ts";
import { examples, Invoice, InvoiceKind, invoiceView, ListedInvoice, lineColumns, listedView } from "./view.ts";

const listQuery = Type.Object({
  ...pageQuery,
  ...formatQuery,
  month: Type.Optional(
    Type.String({ ...limit.month, description: "Only those accounted to this month.", examples: ["2026-03"] }),
  ),
  kind: Type.Optional(InvoiceKind),
});
const ownQuery = Type.Object({
  ...listQuery.properties,
  all: Type.Optional(Type.Boolean({ description: "For operators: those of all accounts." })),
});
type ListQuery = { readonly month?: string; readonly kind?: (typeof examples.invoice)["kind"] };
type Listed = ReturnType<typeof listedView>;

const CreditNote = Type.Object({
  reason: Type.String({
    ...{ minLength: 1, maxLength: 200, pattern: "^[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$" },
    ...{ description: "Why, in one line. It is on the credit note.", examples: ["Outage on March 1"] },
  }),
  lines: Type.Optional(
    Type.Array(
      Type.Object({
        line: field.whole(1, 100_000, "Of the invoice, from 1."),
        amount_cents: field.whole(1, 1_000_000_000_000, "How much of it, with tax."),
      }),
      { minItems: 1, maxItems: 1000, description: "Default: all that is left of the invoice." },
    ),
  ),
});

export function invoiceRoutes(api: Api): void {
  const { config } = api.context;
  const list = {
    query: listQuery,
    answer: field.many(ListedInvoice),
    example: { answer: { data: [listedView(examples.invoice)] } },
    csv: {
      columns: Object.keys(ListedInvoice.properties),
      rows: ({ data }: { readonly data: readonly Listed[] }) => data,
    },
  };
  const listOf = async (
    { db, page }: Pick<Reading<never, never>, "db" | "page">,
    accountId: string | undefined,
    asked: ListQuery,
  ) => {
    const { month, kind } = asked;
    const firstDay = month === undefined ? undefined : `${parseMonth("month", month).name}-01`;
    const filter = { accountId, kind, firstDay };
    const found = await page(byId, (window) => listInvoices(db, filter, { ...window, descending: true }));
    return { data: found.map(listedView) };
  };
  const text = "Newest first. They never change: a credit note corrects one.";

  api.get(
    "/invoices",
    { id: "listInvoices", tag: "Invoices", summary: "List your invoices", description: text, ...list, query: ownQuery },
    (call) => {
      const { principal, query } = call;
      if (query.all !== true) return listOf(call, principal.accountId, query);
      if (!principal.scopes.has("operator")) throw new HttpError("forbidden", { scope: "operator" });
      return listOf(call, undefined, query);
    },
  );

  api.get(
    "/accounts/:id/invoices",
    {
      ...{ id: "listAccountInvoices", tag: "Accounts", summary: "List an account's invoices", description: text },
      ...{ scope: "operator", params: field.IdParam, errors: ["unknown-object"], ...list },
    },
    async (call) => listOf(call, (await readAccount(call.db, call.params.id)).id, call.query),
  );

  const one = {
    tag: "Invoices",
    scope: ["read", "operator"],
    params: field.IdParam,
    errors: ["unknown-object"],
  } as const;

  api.get(
    "/invoices/:id",
    {
      ...{ id: "getInvoice", summary: "Read an invoice", ...one },
      description: "As CSV: its lines.",
      query: Type.Object(formatQuery),
      answer: field.one(Invoice),
      example: { answer: { data: invoiceView(examples.invoice) } },
      csv: {
        columns: lineColumns,
        rows: ({ data }) => data.lines.map((line) => ({ number: data.number, ...line })),
      },
    },
    async ({ db, principal, params }) => ({ data: invoiceView(await readInvoice(db, params.id, whose(principal))) }),
  );

  api.stream(
    "/invoices/:id/pdf",
    {
      ...{ id: "getInvoicePdf", summary: "Download an invoice", ...one },
      description: "The same bytes each time.",
      media: "application/pdf",
    },
    async ({ db, principal, params, reply }) => {
      const invoice = await readInvoice(db, params.id, whose(principal));
      const { pdfOf } = await import("./pdf.ts");
      const bytes = await pdfOf(invoice);
      reply.header("content-disposition", `attachment; filename="${invoice.number.replaceAll("/", "-")}.pdf"`);
      reply.header("cache-control", "private, no-cache").type("application/pdf").send(bytes);
    },
  );

  api.post(
    "/invoices/:id/credit-notes",
    {
      ...{ id: "issueCreditNote", tag: "Invoices", scope: "operator", right: "money", params: field.IdParam },
      summary: "Issue a credit note",
      description: "Takes back an invoice or a part of it, at most what is left of it (409). It changes no balance.",
      ...{ namesAccount: true, statesReason: true },
      body: CreditNote,
      answer: field.one(Invoice),
      example: {
        request: { reason: "Outage on March 1", lines: [{ line: 1, amount_cents: 500 }] },
        answer: { data: invoiceView(examples.creditNote) },
      },
      errors: ["unknown-object", "conflict"],
    },
    async ({ tx, params, body }) => {
      const lines = body.lines?.map(({ line, amount_cents: amountCents }) => ({ line, amountCents }));
      const order = { invoiceId: params.id, reason: body.reason, lines };
      return { data: invoiceView(await issueCreditNote(tx, config.invoices, order)) };
    },
  );
}

/** Whose invoices the token reads; undefined: all. */
function whose({ scopes, accountId }: Principal): string | undefined {
  return scopes.has("operator") ? undefined : accountId;
}
