// Statements: the cost of each month, and whether it is closed.

import { Badge } from "@mantine/core";
import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { CsvButton } from "../shared/csv-button.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { formatNumber } from "../shared/format-number.ts";
import { monthOf, span } from "../shared/format-time.ts";
import { Money } from "../shared/money.tsx";
import { Page } from "../shared/page.tsx";
import { Time } from "../shared/time.tsx";

type Statement = Shape<"ListedStatement">;

const columns: readonly Column<Statement>[] = [
  {
    key: "month",
    header: "Month",
    primary: true,
    cell: ({ month }) => <Link href={`/statements/${month}`}>{monthOf(month)}</Link>,
    sort: ({ month }) => month,
    text: ({ month }) => `${month} ${monthOf(month)}`,
  },
  {
    key: "state",
    header: "State",
    cell: ({ closed_at }) =>
      closed_at === null ? (
        <Badge color="gray">Open</Badge>
      ) : (
        <>
          <Badge color="green">Closed</Badge>{" "}
          <span className="soft">
            <Time at={closed_at} />
          </span>
        </>
      ),
    sort: ({ closed_at }) => closed_at,
  },
  {
    key: "instances",
    header: "Lines",
    align: "right",
    cell: ({ instances }) => formatNumber(instances),
    sort: ({ instances }) => instances,
  },
  {
    key: "time",
    header: "Time of lines",
    align: "right",
    cell: ({ seconds }) => span(seconds),
    sort: ({ seconds }) => seconds,
  },
  {
    key: "cost",
    header: "Cost",
    align: "right",
    cell: ({ cost_cents }) => <Money cents={cost_cents} />,
    sort: ({ cost_cents }) => Number(cost_cents),
  },
];

export function StatementsPage() {
  const { account } = useSession();
  const query = { account_id: account.id };
  const read = useRead(["statements"], (client) => client.GET("/statements", { params: { query } }));
  return (
    <Page
      title="Statements"
      description="One statement per month (UTC). It's final when its month is closed."
      actions={
        <CsvButton
          name="statements.csv"
          ask={(client) =>
            client.GET("/statements", { params: { query: { ...query, format: "csv" } }, parseAs: "blob" })
          }
        />
      }
    >
      <DataTable
        label="Statements"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ month }) => month}
        error={read.error}
        onRetry={() => void read.refetch()}
        initialSort={{ key: "month", descending: true }}
        filter={false}
        empty={
          <EmptyState icon="statement" title="No statements yet">
            Your first statement starts with your first billed instance.
          </EmptyState>
        }
      />
    </Page>
  );
}
