// The tables of the usage page: by product or region, by token, by machine, by day.

import { useQueries } from "@tanstack/react-query";
import { Link } from "wouter";
import { given, type Shape } from "../../../src/client/index.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { dollars, moneyOf } from "../shared/format-money.ts";
import { span } from "../shared/format-time.ts";
import { Time } from "../shared/time.tsx";
import type { DayCost } from "./day-chart.tsx";
import { type Group, groupBy, shareOf } from "./group.ts";
import type { Period } from "./periods.ts";
import classes from "./usage-page.module.css";

type Line = Shape<"UsageLine">;

const nothing = <EmptyState icon="chart" title="Nothing was used in this period" />;

interface GroupTableProps {
  readonly label: string;
  readonly by: "instance_type" | "region";
  readonly lines: readonly Line[] | undefined;
}

export function GroupTable({ label, by, lines }: GroupTableProps) {
  const groups = lines && groupBy(lines, by);
  return (
    <DataTable
      label={label}
      columns={groupColumns(by === "region" ? "Region" : "Product", groups ?? [])}
      rows={groups}
      rowKey={({ name }) => name}
      empty={nothing}
      filter={false}
    />
  );
}

const groupColumns = (header: string, groups: readonly Group[]): readonly Column<Group>[] => {
  const whole = groups.reduce((sum, { microCents }) => sum + microCents, 0n);
  return [
    { key: "name", header, primary: true, cell: ({ name }) => name, sort: ({ name }) => name },
    {
      key: "machines",
      header: "Machines",
      align: "right",
      cell: ({ machines }) => machines,
      sort: ({ machines }) => machines,
    },
    {
      key: "time",
      header: "Time",
      align: "right",
      cell: ({ seconds }) => span(seconds),
      sort: ({ seconds }) => seconds,
    },
    {
      key: "share",
      header: "Share",
      width: "26%",
      cell: ({ microCents }) => <Share percent={shareOf(microCents, whole)} />,
    },
    {
      key: "cost",
      header: "Cost",
      align: "right",
      cell: ({ microCents }) => dollars(microCents),
      sort: ({ microCents }) => Number(microCents),
    },
  ];
};

function Share({ percent }: { readonly percent: number }) {
  return (
    <span className={classes.share}>
      <span className={classes.bar}>
        <span style={{ width: `${percent}%` }} />
      </span>
      <span className="num">{percent.toFixed(1)} %</span>
    </span>
  );
}

/** Tokens that have launched something are few; each is one request. */
const mostTokens = 50;

export function TokenTable({ period }: { readonly period: Period }) {
  const { account, client } = useSession();
  const tokens = useRead(["tokens"], (of) => of.GET("/tokens"));
  const asked = tokens.data?.data.filter(({ scopes }) => scopes.some((scope) => scope !== "read")).slice(0, mostTokens);
  const usages = useQueries({
    queries: (asked ?? []).map(({ id }) => ({
      queryKey: ["usage", "token", id, period],
      queryFn: () =>
        given(client.GET("/usage", { params: { query: { account_id: account.id, token_id: id, ...period } } })),
    })),
  });
  const isRead = asked !== undefined && usages.every(({ data }) => data !== undefined);
  const groups: Group[] | undefined = isRead
    ? asked.flatMap(({ name }, index) => {
        const usage = usages[index]?.data;
        // Text only where CSV is asked for.
        if (usage === undefined || typeof usage === "string" || usage.data.length === 0) return [];
        const seconds = usage.data.reduce((sum, line) => sum + line.seconds, 0);
        return [{ name, seconds, machines: usage.data.length, microCents: BigInt(usage.total.cost_micro_cents) }];
      })
    : undefined;
  return (
    <DataTable
      label="Tokens"
      columns={groupColumns("Token", groups ?? [])}
      rows={groups}
      rowKey={({ name }) => name}
      error={tokens.error ?? usages.find(({ error }) => error !== null)?.error ?? null}
      empty={nothing}
      initialSort={{ key: "cost", descending: true }}
      filter={false}
    />
  );
}

export function MachineTable({ lines }: { readonly lines: readonly Line[] | undefined }) {
  return (
    <DataTable
      label="Machines"
      columns={machineColumns}
      rows={lines}
      rowKey={({ instance_id }) => instance_id}
      initialSort={{ key: "cost", descending: true }}
      empty={nothing}
    />
  );
}

const machineColumns: readonly Column<Line>[] = [
  {
    key: "name",
    header: "Machine",
    primary: true,
    cell: ({ instance_id, instance_name }) => <Link href={`/machines/${instance_id}`}>{instance_name}</Link>,
    sort: ({ instance_name }) => instance_name,
    text: ({ instance_name, instance_id }) => `${instance_name} ${instance_id}`,
  },
  {
    key: "type",
    header: "Type",
    cell: ({ instance_type }) => <code>{instance_type}</code>,
    sort: ({ instance_type }) => instance_type,
    text: ({ instance_type, region }) => `${instance_type} ${region}`,
  },
  {
    key: "started",
    header: "Billed from",
    cell: ({ started_at }) => <Time at={started_at} />,
    sort: ({ started_at }) => started_at,
  },
  {
    key: "ended",
    header: "To",
    cell: ({ ended_at }) => <Time at={ended_at} never="now" />,
    sort: ({ ended_at }) => ended_at,
  },
  {
    key: "price",
    header: "Per hour",
    align: "right",
    cell: ({ price_cents_per_hour, discount_percent }) => (
      <>
        {moneyOf(price_cents_per_hour)}
        {discount_percent > 0 && <span className="soft"> −{discount_percent} %</span>}
      </>
    ),
    sort: ({ price_cents_per_hour }) => price_cents_per_hour,
  },
  { key: "time", header: "Time", align: "right", cell: ({ seconds }) => span(seconds), sort: ({ seconds }) => seconds },
  {
    key: "cost",
    header: "Cost",
    align: "right",
    cell: ({ cost_cents }) => moneyOf(cost_cents),
    sort: ({ cost_cents }) => Number(cost_cents),
  },
];

export function DayTable({ days }: { readonly days: readonly DayCost[] | undefined }) {
  return (
    <DataTable
      label="Days"
      columns={dayColumns}
      rows={days && [...days].reverse()}
      rowKey={({ day }) => day}
      empty={nothing}
      filter={false}
    />
  );
}

const dayColumns: readonly Column<DayCost>[] = [
  { key: "day", header: "Day", primary: true, cell: ({ day }) => day, sort: ({ day }) => day },
  {
    key: "cost",
    header: "Cost",
    align: "right",
    cell: ({ microCents }) => dollars(microCents),
    sort: ({ microCents }) => Number(microCents),
  },
];
