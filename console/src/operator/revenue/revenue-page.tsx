// Revenue by day, over all accounts. The chart's code is loaded when the page is opened; numbers don't wait for it.

import { SegmentedControl, Skeleton } from "@mantine/core";
import { Suspense, useMemo, useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { useRead } from "../../api/queries.ts";
import { CsvButton } from "../../shared/csv-button.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import chart from "../../shared/day-chart.module.css";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { Figure, Figures } from "../../shared/facts.tsx";
import { dollars } from "../../shared/format-money.ts";
import { counted, formatNumber } from "../../shared/format-number.ts";
import { span } from "../../shared/format-time.ts";
import { lazyPart } from "../../shared/lazy-part.ts";
import { Page, Section } from "../../shared/page.tsx";
import { AccountName, useAccountNames } from "../account-name.tsx";
import { type AccountRevenue, byAccount, chartDays, daysOf, others, type Period, periods, sum } from "./revenue.ts";

const DayChart = lazyPart(async () => (await import("../../shared/day-chart.tsx")).DayChart);

const periodWords: Readonly<Record<Period, string>> = {
  "this-month": "This month",
  "last-month": "Last month",
  "90-days": "90 days",
};

/** The number of accounts with a color of their own. */
const mostSeries = 5;

export function RevenuePage() {
  const [period, setPeriod] = useState<Period>("this-month");
  const { from, to } = daysOf(period, new Date());
  const read = useRead(
    ["usage", "days", "all", from, to],
    (client) => client.GET("/usage/days", { params: { query: { from, to } } }),
    { keep: true },
  );
  // JSON was requested; the document also has CSV, which is text.
  const answer = typeof read.data === "string" ? undefined : read.data;
  return (
    <Page
      title="Revenue"
      description="Usage of all accounts by day (UTC), after discounts."
      actions={
        <>
          <SegmentedControl
            aria-label="Period"
            value={period}
            onChange={setPeriod}
            data={periods.map((value) => ({ value, label: periodWords[value] }))}
          />
          <CsvButton
            name={`revenue-${from}-${to}.csv`}
            ask={(client) =>
              client.GET("/usage/days", { params: { query: { from, to, format: "csv" } }, parseAs: "blob" })
            }
          />
        </>
      }
    >
      {answer === undefined && read.error !== null && (
        <ErrorState error={read.error} again={() => void read.refetch()} />
      )}
      {answer === undefined && read.error === null && <Waiting />}
      {answer !== undefined && <Revenue days={answer.data} period={period} from={from} to={to} />}
    </Page>
  );
}

function Waiting() {
  return (
    <div aria-busy="true">
      <Skeleton height={92} mb={36} />
      <Skeleton height={240} mb={36} />
      <Skeleton height={240} />
    </div>
  );
}

interface RevenueProps {
  readonly days: readonly Shape<"UsageDay">[];
  readonly period: Period;
  readonly from: string;
  readonly to: string;
}

function Revenue({ days, period, from, to }: RevenueProps) {
  const nameOf = useAccountNames();
  const accounts = useMemo(() => byAccount(days), [days]);
  const total = useMemo(() => sum(days), [days]);
  const first = accounts.slice(0, mostSeries).map(({ accountId }) => accountId);
  const series = accounts.length > mostSeries ? [...first, others] : first;
  const length = chartDays([], from, to, []).length;
  if (accounts.length === 0) {
    return (
      <EmptyState icon="chart" title="No revenue in these days">
        Instances appear here as soon as they are billed.
      </EmptyState>
    );
  }
  return (
    <>
      <Figures>
        <Figure name="Revenue" value={dollars(total)} beside={periodWords[period]} />
        <Figure name="Daily average" value={dollars(total / BigInt(length))} beside={counted(length, "day")} />
        <Figure name="Billed accounts" value={formatNumber(accounts.length)} beside="With usage in the period" />
      </Figures>
      <Section title="Daily revenue">
        <Suspense fallback={<div className={chart.chart} aria-busy="true" />}>
          <DayChart
            days={chartDays(days, from, to, first)}
            series={series.map((key) => ({ key, label: key === others ? "All others" : nameOf(key) }))}
          />
        </Suspense>
      </Section>
      <Section title="By account">
        <DataTable
          label="Revenue by account"
          columns={columns(nameOf, total)}
          rows={accounts}
          rowKey={({ accountId }) => accountId}
          empty={null}
        />
      </Section>
    </>
  );
}

function columns(nameOf: (id: string) => string, total: bigint): readonly Column<AccountRevenue>[] {
  const share = ({ microCents }: AccountRevenue) => (total === 0n ? 0 : Number((microCents * 1000n) / total) / 10);
  return [
    {
      key: "account",
      header: "Account",
      primary: true,
      cell: ({ accountId }) => <AccountName id={accountId} />,
      sort: ({ accountId }) => nameOf(accountId),
      text: ({ accountId }) => nameOf(accountId),
    },
    {
      key: "time",
      header: "Billed time",
      align: "right",
      cell: ({ seconds }) => span(seconds),
      sort: ({ seconds }) => seconds,
    },
    { key: "share", header: "Share", align: "right", cell: (row) => `${share(row)} %`, sort: share },
    {
      key: "revenue",
      header: "Revenue",
      align: "right",
      cell: ({ microCents }) => dollars(microCents),
      sort: ({ microCents }) => Number(microCents),
    },
  ];
}
