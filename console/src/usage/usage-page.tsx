// Usage and cost in a period, by day, instance type, region, token and instance, and as CSV.

import { Select, Skeleton, Tabs } from "@mantine/core";
import { useState } from "react";
import { billedSeconds } from "../../../src/rules/no-cost.ts";
import { SpendLimitWarning } from "../account/spend-limit.tsx";
import { useOwnAccount } from "../api/own-account.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { CsvButton } from "../shared/csv-button.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Figure, Figures } from "../shared/facts.tsx";
import { dollars, moneyOf } from "../shared/format-money.ts";
import { span } from "../shared/format-time.ts";
import { Page, Section } from "../shared/page.tsx";
import { BudgetAlerts } from "./budget-alerts.tsx";
import { DailyCost } from "./daily-cost.tsx";
import { type PeriodName, perDayOf, periodNames, periodOf } from "./period.ts";
import { DayTable, GroupTable, InstanceTable, TokenTable } from "./usage-tables.tsx";

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
  const own = useOwnAccount();

  const perDay = days.data && perDayOf(days.data.data, period);
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
      <SpendLimitWarning />
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
            <DailyCost days={perDay} />
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
      <BudgetAlerts />
    </Page>
  );
}

const Waiting = () => <Skeleton height={20} width={110} my={5} />;
