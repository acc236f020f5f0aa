// The invoices, receipts and credit notes of the account, newest first, page by page, each as PDF.

import { Badge, Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { type InvoiceKind, invoiceKindNames, invoiceKinds } from "../../../src/rules/invoices.ts";
import { usePages } from "../api/pages-query.ts";
import { useSession } from "../api/session-context.tsx";
import { CsvButton, SaveButton } from "../shared/csv-button.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { FilterSelect } from "../shared/filter-select.tsx";
import { monthOf } from "../shared/format-time.ts";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";
import { amountIn } from "./amount.ts";
import { monthsSince } from "./months.ts";

type Invoice = Shape<"ListedInvoice">;

/** Invoices of a page. */
const limit = 100;

export const kinds = invoiceKindNames.map((value) => ({ value, label: invoiceKinds[value].title }));

export function InvoicesPage() {
  const { account } = useSession();
  const [kind, setKind] = useState<InvoiceKind | null>(null);
  const [month, setMonth] = useState<string | null>(null);
  const filter = { ...(kind !== null && { kind }), ...(month !== null && { month }) };
  const pages = usePages(["invoices", "own", kind, month], (client, cursor) =>
    client.GET("/invoices", { params: { query: { limit, ...filter, ...cursor } } }),
  );
  return (
    <Page
      title="Invoices"
      description="Invoices, receipts and credit notes. They never change: a credit note corrects one."
      actions={
        <>
          <Button component={Link} href="/billing-details" variant="default">
            Billing details
          </Button>
          <CsvButton
            name="invoices.csv"
            ask={(client) =>
              client.GET("/invoices", { params: { query: { ...filter, format: "csv" } }, parseAs: "blob" })
            }
          />
        </>
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
        tools={
          <>
            <FilterSelect name="Kind" none="Any kind" choices={kinds} value={kind} onChange={setKind} width={150} />
            <FilterSelect
              name="Month"
              none="Any month"
              choices={monthsSince(account.created_at, Date.now()).map((value) => ({ value, label: monthOf(value) }))}
              value={month}
              onChange={setMonth}
              width={165}
            />
          </>
        }
        empty={
          <EmptyState icon="receipt" title="No invoices">
            {kind === null && month === null
              ? "Those that your provider issues appear here."
              : "No invoices match these filters."}
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
