// The entries of a ledger as a table, newest first, page by page. Used by the page of the balance, and by the operators' page
// of an account.

import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { type LedgerKind, ledgerKinds } from "../../../src/rules/ledger.ts";
import type { Pages } from "../api/pages-query.ts";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { microCents, priceOf, signedDollars } from "../shared/format-money.ts";
import { monthOf } from "../shared/format-time.ts";
import { Money } from "../shared/money.tsx";
import { Time } from "../shared/time.tsx";
import { kindTitle } from "./kind-words.ts";

type Entry = Shape<"LedgerEntry">;

/** Entries of a page. */
export const ledgerPage = 100;

interface LedgerTableProps {
  readonly pages: Pages<Entry>;
  /** Where the statement of a month is. */
  readonly statementOf?: (month: string) => string;
  readonly tools?: ReactNode;
  /** How many are shown at first; without it, all that were read. */
  readonly step?: number;
}

export function LedgerTable({ pages, statementOf, tools, step = 1000 }: LedgerTableProps) {
  return (
    <>
      <DataTable
        label="Ledger"
        columns={[whatColumn(statementOf), ...columns]}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        onRetry={pages.again}
        step={step}
        tools={tools}
        empty={
          <EmptyState icon="wallet" title="No entries">
            Payments, usage, credits and vouchers appear here.
          </EmptyState>
        }
      />
      {pages.hasMore && (
        <Button variant="default" mt="sm" onClick={pages.readMore} loading={pages.isReadingMore}>
          Load older entries
        </Button>
      )}
    </>
  );
}

const whatColumn = (statementOf: LedgerTableProps["statementOf"]): Column<Entry> => ({
  key: "what",
  header: "Entry",
  primary: true,
  cell: ({ kind, month, reference, reason }) => (
    <div>
      <Kind kind={kind} />
      {month !== null && (
        <>
          {" of "}
          {statementOf === undefined ? monthOf(month) : <Link href={statementOf(month)}>{monthOf(month)}</Link>}
        </>
      )}
      {reference !== null && <div className="soft">{reference}</div>}
      {reason !== null && <div className="soft">{reason}</div>}
    </div>
  ),
  text: ({ kind, month, reference, reason, id }) =>
    [kindTitle(kind), month === null ? "" : monthOf(month), reference, reason, id].join(" "),
});

const Kind = ({ kind }: { readonly kind: LedgerKind }) => (
  <span title={ledgerKinds[kind].meaning}>{kindTitle(kind)}</span>
);

const columns: readonly Column<Entry>[] = [
  { key: "at", header: "When", whole: true, cell: ({ created_at: at }) => <Time at={at} /> },
  {
    key: "amount",
    header: "Amount",
    align: "right",
    cell: ({ amount_cents: cents }) => <span title={priceOf(cents)}>{signedDollars(microCents(cents))}</span>,
    text: ({ amount_cents: cents }) => signedDollars(microCents(cents)),
  },
  { key: "balance", header: "Balance", align: "right", cell: ({ balance_cents: cents }) => <Money cents={cents} /> },
];
