// The statement of one month: a line for each instance and each reservation.

import { Badge, Skeleton } from "@mantine/core";
import { useParams } from "wouter";
import { LessorError, type Shape } from "../../../src/client/client.ts";
import { billedSeconds } from "../../../src/rules/no-cost.ts";
import { useRead } from "../api/queries.ts";
import { useSession } from "../api/session-context.tsx";
import { useTypeTitles } from "../launch/use-offers.ts";
import { CsvButton } from "../shared/csv-button.tsx";
import { type Column, DataTable } from "../shared/data-table.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { ErrorState } from "../shared/error-state.tsx";
import { Figure, Figures } from "../shared/facts.tsx";
import { priceOf } from "../shared/format-money.ts";
import { formatNumber } from "../shared/format-number.ts";
import { monthOf, span } from "../shared/format-time.ts";
import { LineNote } from "../shared/line-note.tsx";
import { Money } from "../shared/money.tsx";
import { TypeName } from "../shared/names.tsx";
import { Page, Section } from "../shared/page.tsx";
import { nameShown } from "../shared/readable-name.ts";
import { subjectOf } from "../shared/subject-of.ts";
import { Time } from "../shared/time.tsx";
import { subjectsOf } from "../usage/group.ts";

type Line = Shape<"StatementLine">;

const back = { href: "/statements", title: "Statements" };

const columnsWith = (titleOf: (type: string) => string): readonly Column<Line>[] => [
  {
    key: "instance",
    header: "Name",
    primary: true,
    cell: (line) => (
      <>
        {nameShown({ id: subjectOf(line), name: line.instance_name })}
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
    text: ({ instance_type }) => `${instance_type} ${titleOf(instance_type)}`,
  },
  {
    key: "region",
    header: "Region",
    cell: ({ region }) => region,
    sort: ({ region }) => region,
    text: ({ region }) => region,
  },
  { key: "time", header: "Time", align: "right", cell: ({ seconds }) => span(seconds), sort: ({ seconds }) => seconds },
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
  {
    key: "cost",
    header: "Cost",
    align: "right",
    cell: ({ cost_cents }) => <Money cents={cost_cents} digits={4} />,
    sort: ({ cost_cents }) => Number(cost_cents),
  },
];

/** In the place of a figure, of its height. */
const waiting = (
  <Skeleton component="span" display="inline-block" height="0.8em" width={90}>
    –
  </Skeleton>
);
const stillGrows = "These amounts can still grow: the month is in progress or just ended.";

export function StatementPage() {
  const { month = "" } = useParams<{ month: string }>();
  const { account } = useSession();
  const titleOf = useTypeTitles();
  const params = { path: { month }, query: { account_id: account.id } };
  const read = useRead(["statements", month], (client) => client.GET("/statements/{month}", { params }));
  const statement = read.data?.data;
  const of = statement && subjectsOf(statement.lines);
  const known = /^\d{4}-(0[1-9]|1[0-2])$/.test(month);
  if (statement === undefined && read.error instanceof LessorError && read.error.status < 500) {
    return (
      <Page title="Statement not found" back={back}>
        <ErrorState error={read.error} />
      </Page>
    );
  }
  return (
    <Page
      title={known ? monthOf(month) : "Statement"}
      back={back}
      beside={
        statement && (
          <Badge color={statement.closed_at === null ? "gray" : "green"}>
            {statement.closed_at === null ? "Open" : "Closed"}
          </Badge>
        )
      }
      description={
        statement === undefined ? (
          // As long as what replaces it, so that nothing jumps.
          <span style={{ visibility: "hidden" }}>{stillGrows}</span>
        ) : statement.closed_at === null ? (
          stillGrows
        ) : (
          <>
            Closed <Time at={statement.closed_at} />. It no longer changes.
          </>
        )
      }
      actions={
        <CsvButton
          name={`statement-${month}.csv`}
          ask={(client) =>
            client.GET("/statements/{month}", {
              params: { ...params, query: { ...params.query, format: "csv" } },
              parseAs: "blob",
            })
          }
        />
      }
    >
      <Figures>
        <Figure name="Total" value={statement === undefined ? waiting : <Money cents={statement.cost_cents} />} />
        <Figure name="Instances" value={of === undefined ? waiting : formatNumber(of.instances)} />
        {of !== undefined && of.reservations > 0 && (
          <Figure name="Reservations" value={formatNumber(of.reservations)} />
        )}
        <Figure name="Billed time" value={statement === undefined ? waiting : span(billedSeconds(statement.lines))} />
      </Figures>
      <Section title="Lines">
        <DataTable
          label="Lines"
          columns={columnsWith(titleOf)}
          rows={statement?.lines}
          rowKey={subjectOf}
          error={read.error}
          onRetry={() => void read.refetch()}
          initialSort={{ key: "cost", descending: true }}
          empty={<EmptyState icon="statement" title="No usage in this month" />}
        />
      </Section>
    </Page>
  );
}
