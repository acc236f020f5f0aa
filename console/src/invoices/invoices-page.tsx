// The invoices, receipts and credit notes of the account, newest first, page by page, each as PDF.

import { Badge, Button } from "@mantine/core";
import type { Shape } from "../../../src/client/client.ts";
import { invoiceKinds } from "../../../src/rules/invoices.ts";
import { usePages } from "../api/pages-query.ts";
import { CsvButton, SaveButton } from "../shared/csv-button.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { monthOf } from "../shared/format-time.ts";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { amountIn } from "./amount.ts";

type Invoice = Shape<"ListedInvoice">;

/** Invoices of a page. */
const limit = 100;

export function InvoicesPage() {
  const pages = usePages(["invoices", "own"], (client, cursor) =>
    client.GET("/invoices", { params: { query: { limit, ...cursor } } }),
  );
  return (
    <Page
      title="Invoices"
      back={{ href: "/balance", title: "Balance" }}
      description="Invoices, receipts and credit notes. They never change: a credit note corrects one."
      actions={
        <CsvButton
          name="invoices.csv"
          ask={(client) => client.GET("/invoices", { params: { query: { format: "csv" } }, parseAs: "blob" })}
        />
      }
    >
      <DataTable
        label="Invoices"
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        empty={
          <EmptyState icon="statement" title="No invoices">
            Those that your provider issues appear here.
          </EmptyState>
        }
        rowActions={({ id, number }) => (
          <SaveButton
            label="PDF"
            about={number}
            name={`${number.replaceAll("/", "-")}.pdf`}
            ask={(client) => client.GET("/invoices/{id}/pdf", { params: { path: { id } }, parseAs: "blob" })}
          />
        )}
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older invoices
        </Button>
      )}
    </Page>
  );
}

const colors = { usage: "blue", top_up: "green", credit_note: "amber" } as const;

/** Of the invoices of an account, and of all (operator/invoices). */
export const columns: readonly Column<Invoice>[] = [
  {
    key: "number",
    header: "Number",
    primary: true,
    cell: ({ number, corrects_number: corrected, reason }) => (
      <div>
        {number}
        {corrected !== null && <div className="soft">Corrects {corrected}</div>}
        {reason !== null && <div className="soft">{reason}</div>}
      </div>
    ),
    text: ({ number, corrects_number: corrected, reason, id }) => [number, corrected, reason, id].join(" "),
  },
  {
    key: "kind",
    header: "Kind",
    whole: true,
    cell: ({ kind }) => (
      <Badge color={colors[kind]} title={invoiceKinds[kind].meaning}>
        {invoiceKinds[kind].title}
      </Badge>
    ),
    text: ({ kind }) => invoiceKinds[kind].title,
  },
  {
    key: "month",
    header: "Month",
    cell: ({ month }) => monthOf(month),
    text: ({ month }) => `${month} ${monthOf(month)}`,
  },
  { key: "issued", header: "Issued", whole: true, cell: ({ issued_at: at }) => <Time at={at} /> },
  { key: "due", header: "Due", whole: true, cell: ({ due_on: on }) => on ?? "–" },
  { key: "tax", header: "Tax", align: "right", cell: ({ tax_cents: cents, currency }) => amountIn(cents, currency) },
  {
    key: "total",
    header: "Total",
    align: "right",
    cell: ({ total_cents: cents, currency }) => amountIn(cents, currency),
    text: ({ total_cents: cents, currency }) => amountIn(cents, currency),
  },
];
