// Reservations that hosts cannot deliver in full, active or to come, because hosts failed and no others can take their
// place. Part of the page Needs attention.

import { Link } from "wouter";
import { reservationTraits } from "../../../../src/rules/reservations.ts";
import { useWholeList } from "../../api/whole-list.ts";
import type { Reservation } from "../../reservations/reservation-table.tsx";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";

const columns: readonly Column<Reservation>[] = [
  {
    key: "name",
    header: "Reservation",
    primary: true,
    cell: ({ name }) => <Link href="/operator/reservations">{name}</Link>,
    sort: ({ name }) => name,
    text: ({ name }) => name,
  },
  {
    key: "missing",
    header: "Not delivered",
    cell: ({ state, undelivered, quantity }) =>
      reservationTraits[state].isInForce
        ? `${formatNumber(undelivered)} of ${formatNumber(quantity)}`
        : "It has not begun",
    sort: ({ undelivered }) => undelivered,
  },
  {
    key: "hosts",
    header: "Hosts",
    cell: ({ hosts = [] }) => hosts.map(({ host }) => host).join(", "),
    text: ({ hosts = [] }) => hosts.map(({ host }) => host).join(" "),
  },
  { key: "from", header: "Begins", align: "right", cell: ({ from }) => <Time at={from} />, sort: ({ from }) => from },
  {
    key: "since",
    header: "At risk since",
    align: "right",
    cell: ({ at_risk_since: since = null }) => <Time at={since} never="–" />,
    sort: ({ at_risk_since: since }) => since ?? null,
  },
];

export function ReservationsAtRisk() {
  const { data, error, refetch } = useWholeList(["reservations"], (client, page) =>
    client.GET("/reservations", { params: { query: page } }),
  );
  return (
    <Section title="Reservations at risk">
      <DataTable
        label="Reservations at risk"
        columns={columns}
        rows={data?.data.filter(isAtRisk)}
        isPartial={data?.isComplete === false}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        initialSort={{ key: "from", descending: false }}
        empty={
          <EmptyState icon="check" title="No reservations at risk">
            Reservations that hosts cannot deliver in full appear here.
          </EmptyState>
        }
      />
    </Section>
  );
}

function isAtRisk({ state, undelivered, at_risk_since: since }: Reservation): boolean {
  return reservationTraits[state].isOpen && (undelivered > 0 || (since !== null && since !== undefined));
}
