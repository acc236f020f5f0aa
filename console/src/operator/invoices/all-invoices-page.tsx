// The invoices, receipts and credit notes of all accounts, newest first, page by page: saved as PDF, corrected by credit
// notes, and exported with the ledger for accounting. `?account=` filters by account.

import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { LessorClient, Shape } from "../../../../src/client/client.ts";
import type { InvoiceKind } from "../../../../src/rules/invoices.ts";
import { usePages } from "../../api/pages-query.ts";
import { useSession } from "../../api/session-context.tsx";
import { columns, kinds } from "../../invoices/invoices-page.tsx";
import { CsvButton, SaveButton } from "../../shared/csv-button.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { FilterSelect } from "../../shared/filter-select.tsx";
import { monthOf } from "../../shared/format-time.ts";
import { Page, Section } from "../../shared/page.tsx";
import { Permitted } from "../../shared/permitted.tsx";
import { AccountName, useAccountNames } from "../account-name.tsx";
import { AccountSelect } from "../account-select.tsx";
import classes from "./all-invoices-page.module.css";
import { CreditNoteDialog } from "./credit-note-dialog.tsx";
import { endedMonths } from "./ended-months.ts";

type Invoice = Shape<"ListedInvoice">;

/** Invoices of a page. */
const limit = 100;

export function AllInvoicesPage() {
  const { lack } = useSession();
  const missing = lack("money", "operator");
  const [search, setSearch] = useSearchParams();
  const account = search.get("account");
  const [kind, setKind] = useState<InvoiceKind | null>(null);
  const [month, setMonth] = useState<string | null>(null);
  const [corrected, setCorrected] = useState<Invoice>();
  const nameOf = useAccountNames();
  const filter = { ...(kind !== null && { kind }), ...(month !== null && { month }) };
  const pages = usePages<Invoice>(["invoices", "all", account, kind, month], (client, cursor) =>
    listed(client, account, { ...filter, limit, ...cursor }),
  );
  return (
    <Page
      title="All invoices"
      description="Invoices, receipts and credit notes of all accounts. They never change: a credit note corrects one."
      actions={
        <>
          {missing !== undefined && (
            <Permitted to="issue credit notes" missing={missing}>
              {null}
            </Permitted>
          )}
          <CsvButton name="invoices.csv" ask={(client) => csvOf(client, account, filter)} />
        </>
      }
    >
      <DataTable
        label="Invoices"
        columns={[accountColumn(nameOf), ...ofInvoice]}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={1000}
        tools={
          <>
            <AccountSelect value={account} onChange={(id) => setSearch(id === null ? {} : { account: id })} />
            <FilterSelect name="Kind" none="Any kind" choices={kinds} value={kind} onChange={setKind} width={140} />
            <FilterSelect
              name="Month"
              none="Any month"
              choices={monthChoices([thisMonth(), ...endedMonths(new Date())])}
              value={month}
              onChange={setMonth}
              width={170}
            />
          </>
        }
        empty={
          <EmptyState icon="statement" title="No invoices">
            {account === null && kind === null && month === null
              ? "They are issued where the setting invoices is set."
              : "No invoices match these filters."}
          </EmptyState>
        }
        rowActions={(invoice) => (
          <>
            <SaveButton
              label="PDF"
              about={invoice.number}
              name={`${invoice.number.replaceAll("/", "-")}.pdf`}
              ask={(client) =>
                client.GET("/invoices/{id}/pdf", { params: { path: { id: invoice.id } }, parseAs: "blob" })
              }
            />
            {missing === undefined && invoice.kind !== "credit_note" && invoice.total_cents > 0 && (
              <Button
                variant="subtle"
                size="xs"
                aria-label={`Credit note for ${invoice.number}`}
                onClick={() => setCorrected(invoice)}
              >
                Credit note
              </Button>
            )}
          </>
        )}
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older invoices
        </Button>
      )}
      <AccountingExport missing={missing} />
      {corrected !== undefined && <CreditNoteDialog invoice={corrected} onClose={() => setCorrected(undefined)} />}
    </Page>
  );
}

function AccountingExport({ missing }: { readonly missing: string | undefined }) {
  const months = endedMonths(new Date());
  const [month, setMonth] = useState(months[0] ?? thisMonth());
  return (
    <Section title="Accounting export">
      <p className="soft">
        All entries of the ledger and all invoices of a month, of all accounts, as CSV. A month can be exported once it
        is closed, two hours after its end, and is the same each time.
      </p>
      <Permitted to="export months" missing={missing}>
        <div className={classes.tools}>
          <Select
            aria-label="Month to export"
            data={monthChoices(months)}
            value={month}
            onChange={(value) => value !== null && setMonth(value)}
            allowDeselect={false}
            w={170}
          />
          <CsvButton
            label="Export"
            name={`accounting-${month}.csv`}
            ask={(client) => client.GET("/accounting/{month}", { params: { path: { month } }, parseAs: "blob" })}
          />
        </div>
      </Permitted>
    </Section>
  );
}

const thisMonth = () => new Date().toISOString().slice(0, 7);

const monthChoices = (months: readonly string[]) => months.map((value) => ({ value, label: monthOf(value) }));

interface Asked {
  readonly kind?: InvoiceKind;
  readonly month?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

/** `account`: null for all. */
function listed(client: LessorClient, account: string | null, query: Asked) {
  return account === null
    ? client.GET("/invoices", { params: { query: { ...query, all: true } } })
    : client.GET("/accounts/{id}/invoices", { params: { path: { id: account }, query } });
}

function csvOf(client: LessorClient, account: string | null, asked: Asked) {
  const query = { ...asked, format: "csv" } as const;
  return account === null
    ? client.GET("/invoices", { params: { query: { ...query, all: true } }, parseAs: "blob" })
    : client.GET("/accounts/{id}/invoices", { params: { path: { id: account }, query }, parseAs: "blob" });
}

/** Beside the account there is less room. */
const ofInvoice = columns
  .filter(({ key }) => key !== "tax")
  .map(({ primary: _, ...column }) => {
    if (column.key === "number") return { ...column, width: "170px" };
    return column.key === "month" ? { ...column, whole: true as const } : column;
  });

const accountColumn = (nameOf: (id: string) => string): Column<Invoice> => ({
  key: "account",
  header: "Account",
  primary: true,
  cell: ({ account_id: id }) => <AccountName id={id} />,
  text: ({ account_id: id, customer_name: name }) => `${nameOf(id)} ${name}`,
});
