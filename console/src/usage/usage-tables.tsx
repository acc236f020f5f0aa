// The tables of the usage page: by instance type or region, by token, by instance, by day.

import { Link } from "wouter";
import type { Shape } from "../../../src/client/client.ts";
import { useRead } from "../api/queries.ts";
import { useTypeTitles } from "../launch/use-offers.ts";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { dollars, moneyOf, priceOf } from "../shared/format-money.ts";
import { formatNumber } from "../shared/format-number.ts";
import { span } from "../shared/format-time.ts";
import { LineNote } from "../shared/line-note.tsx";
import { TypeName } from "../shared/names.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { subjectOf } from "../shared/subject-of.ts";
import { Time } from "../shared/time.tsx";
import { type Group, groupBy, shareOf, tokenNames } from "./group.ts";
import classes from "./usage-page.module.css";

interface DayCost {
  /** 2026-03-01 */
  readonly day: string;
  readonly microCents: bigint;
}

type Line = Shape<"UsageLine">;

const nothing = <EmptyState icon="chart" title="No usage in this period" />;

interface GroupTableProps {
  readonly label: string;
  readonly by: "instance_type" | "region";
  readonly lines: readonly Line[] | undefined;
}

export function GroupTable({ label, by, lines }: GroupTableProps) {
  const titleOf = useTypeTitles();
  const groups = lines && groupBy(lines, by, by === "region" ? undefined : titleOf);
  return (
    <DataTable
      label={label}
      columns={groupColumns(by === "region" ? "Region" : "Instance type", groups ?? [])}
      rows={groups}
      rowKey={({ key }) => key}
      empty={nothing}
      filter={false}
    />
  );
}

const groupColumns = (header: string, groups: readonly Group[]): readonly Column<Group>[] => {
  const whole = groups.reduce((sum, { microCents }) => sum + microCents, 0n);
  return [
    {
      key: "name",
      header,
      primary: true,
      cell: ({ name, key }) => <span title={key}>{name}</span>,
      sort: ({ name }) => name,
    },
    {
      key: "instances",
      header: "Instances",
      align: "right",
      cell: ({ instances }) => formatNumber(instances),
      sort: ({ instances }) => instances,
    },
    ...(groups.some(({ reservations }) => reservations > 0) ? [reservationsColumn] : []),
    {
      key: "time",
      header: "Billed time",
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

const reservationsColumn: Column<Group> = {
  key: "reservations",
  header: "Reservations",
  align: "right",
  cell: ({ reservations }) => formatNumber(reservations),
  sort: ({ reservations }) => reservations,
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

/** What the account's tokens launched, also those that are revoked. */
export function TokenTable({ lines }: { readonly lines: readonly Line[] | undefined }) {
  const tokens = useRead(["tokens"], (client) => client.GET("/tokens"));
  const groups = lines && tokens.data && groupBy(lines, "token_id", tokenNames(tokens.data.data));
  return (
    <DataTable
      label="Tokens"
      columns={groupColumns("Token", groups ?? [])}
      rows={groups}
      rowKey={({ key }) => key}
      error={tokens.error}
      empty={nothing}
      initialSort={{ key: "cost", descending: true }}
      filter={false}
    />
  );
}

export function InstanceTable({ lines }: { readonly lines: readonly Line[] | undefined }) {
  const titleOf = useTypeTitles();
  return (
    <DataTable
      label="Instances and reservations"
      columns={instanceColumns(titleOf)}
      rows={lines}
      rowKey={subjectOf}
      initialSort={{ key: "cost", descending: true }}
      empty={nothing}
    />
  );
}

const instanceColumns = (titleOf: (type: string) => string): readonly Column<Line>[] => [
  {
    key: "name",
    header: "Name",
    primary: true,
    cell: (line) => (
      <>
        <Link href={line.instance_id === null ? "/reservations" : `/instances/${line.instance_id}`}>
          {nameShown({ id: subjectOf(line), name: line.instance_name })}
        </Link>
        <LineNote line={line} />
      </>
    ),
    sort: ({ instance_name }) => instance_name,
    text: (line) => `${line.instance_name} ${subjectOf(line)}`,
  },
  {
    key: "type",
    header: "Type",
    cell: ({ instance_type: name }) => <TypeName type={{ name, description: titleOf(name) }} />,
    sort: ({ instance_type }) => titleOf(instance_type),
    text: ({ instance_type, region }) => `${instance_type} ${titleOf(instance_type)} ${region}`,
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
        {priceOf(price_cents_per_hour)}
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
