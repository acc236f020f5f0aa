// Usage and cost in a period, by day, instance type, region, token and instance, and as CSV.

import { Select, Skeleton, Tabs } from "@mantine/core";
import { Suspense, useState } from "react";
import { billedSeconds } from "../../../src/rules/no-cost.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { CsvButton } from "../shared/csv-button.tsx";
import chart from "../shared/day-chart.module.css";
import { ErrorState } from "../shared/error-state.tsx";
import { Figure, Figures } from "../shared/facts.tsx";
import { dollars, moneyOf } from "../shared/format-money.ts";
import { span } from "../shared/format-time.ts";
import { lazyPart } from "../shared/lazy-part.ts";
import { Page, Section } from "../shared/page.tsx";
import { DayTable, GroupTable, InstanceTable, TokenTable } from "./usage-tables.tsx";

const DayChart = lazyPart(async () => (await import("../shared/day-chart.tsx")).DayChart);

const words: Readonly<Record<PeriodName, string>> = {
  "this-month": "This month",
  "last-month": "Last month",
  "7-days": "Last 7 days",
  "30-days": "Last 30 days",
};

export function UsagePage() {
  const { account } = useSession();
  const [name, setName] = useState<PeriodName>("this-month");
  const period = periodOf(name, Date.now());
  const query = { account_id: account.id, ...period };
  const days = useRead(["usage", "days", period], (client) => client.GET("/usage/days", { params: { query } }));
  const lines = useRead(["usage", "lines", period], (client) => client.GET("/usage", { params: { query } }));
  const own = useRead(["account"], (client) => client.GET("/account")).data?.data ?? account;

  const costs = new Map(days.data?.data.map(({ day, cost_micro_cents }) => [day, BigInt(cost_micro_cents)]));
  const perDay = days.data && daysOf(period).map((day) => ({ day, microCents: costs.get(day) ?? 0n }));
  const total = days.data && BigInt(days.data.total.cost_micro_cents);
  const credit = BigInt(days.data?.total.credit_micro_cents ?? "0");
  const error = days.error ?? lines.error;
  return (
    <Page
      title="Usage"
      description="Billed by the second, in UTC days, up to now."
      actions={
        <>
          <Select
            aria-label="Period"
            data={periodNames.map((value) => ({ value, label: words[value] }))}
            value={name}
            onChange={(value) => setName(periodNames.find((one) => one === value) ?? "this-month")}
            allowDeselect={false}
            w={150}
          />
          <CsvButton
            name={`usage-${period.from}-${period.to}.csv`}
            ask={(client) => client.GET("/usage", { params: { query: { ...query, format: "csv" } }, parseAs: "blob" })}
          />
        </>
      }
    >
      {error !== null && (days.data === undefined || lines.data === undefined) ? (
        <ErrorState
          error={error}
          again={() => {
            void days.refetch();
            void lines.refetch();
          }}
        />
      ) : (
        <>
          <Figures>
            <Figure
              name="Cost"
              value={total === undefined ? <Waiting /> : dollars(total)}
              beside={credit === 0n ? words[name] : `${words[name]}, of it ${dollars(credit)} credited`}
            />
            <Figure
              name="Billed time"
              value={lines.data === undefined ? <Waiting /> : span(billedSeconds(lines.data.data))}
              beside="All instances and reservations"
            />
            <Figure
              name="Monthly spend limit"
              value={own.spend_limit_cents === null ? "None" : moneyOf(own.spend_limit_cents)}
              beside={
                own.spent_this_month_cents === null
                  ? "Set by your provider"
                  : `${moneyOf(own.spent_this_month_cents)} spent this month`
              }
            />
          </Figures>
          <Section title="Daily cost">
            <Suspense fallback={<div className={chart.chart} aria-busy="true" />}>
              {perDay === undefined ? (
                <div className={chart.chart} aria-busy="true" />
              ) : (
                <DayChart
                  days={perDay.map(({ day, microCents }) => ({ day, costs: { all: microCents } }))}
                  series={[{ key: "all", label: "Cost" }]}
                />
              )}
            </Suspense>
          </Section>
          <Tabs defaultValue="type" keepMounted={false} mt="xl">
            <Tabs.List>
              <Tabs.Tab value="type">Instance types</Tabs.Tab>
              <Tabs.Tab value="region">Regions</Tabs.Tab>
              <Tabs.Tab value="token">Tokens</Tabs.Tab>
              <Tabs.Tab value="instance">Instances and reservations</Tabs.Tab>
              <Tabs.Tab value="day">Days</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="type" pt="md">
              <GroupTable label="Instance types" by="instance_type" lines={lines.data?.data} />
            </Tabs.Panel>
            <Tabs.Panel value="region" pt="md">
              <GroupTable label="Regions" by="region" lines={lines.data?.data} />
            </Tabs.Panel>
            <Tabs.Panel value="token" pt="md">
              <TokenTable lines={lines.data?.data} />
            </Tabs.Panel>
            <Tabs.Panel value="instance" pt="md">
              <InstanceTable lines={lines.data?.data} />
            </Tabs.Panel>
            <Tabs.Panel value="day" pt="md">
              <DayTable days={perDay} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </Page>
  );
}

const Waiting = () => <Skeleton height={20} width={110} my={5} />;

interface Period {
  /** The first day: 2026-03-01. */
  readonly from: string;
  /** The last day. */
  readonly to: string;
}

const periodNames = ["this-month", "last-month", "7-days", "30-days"] as const;
type PeriodName = (typeof periodNames)[number];

const dayMilliseconds = 86_400_000;
const isoDay = (moment: number): string => new Date(moment).toISOString().slice(0, 10);

/** `now`: milliseconds since 1970. */
export function periodOf(name: PeriodName, now: number): Period {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  if (name === "this-month") return { from: isoDay(Date.UTC(year, month, 1)), to: isoDay(now) };
  if (name === "last-month")
    return { from: isoDay(Date.UTC(year, month - 1, 1)), to: isoDay(Date.UTC(year, month, 0)) };
  const days = name === "7-days" ? 7 : 30;
  return { from: isoDay(now - (days - 1) * dayMilliseconds), to: isoDay(now) };
}

/** Every day of a period, also those on which nothing was used. */
export function daysOf({ from, to }: Period): readonly string[] {
  const days: string[] = [];
  for (let day = Date.parse(`${from}T00:00:00Z`); day <= Date.parse(`${to}T00:00:00Z`); day += dayMilliseconds) {
    days.push(isoDay(day));
  }
  return days;
}
