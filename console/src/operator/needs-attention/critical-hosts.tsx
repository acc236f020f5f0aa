// Hosts with critical findings about their health, each finding in a row of its own. Part of the page Needs attention.

import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { healthCodes } from "../../../../src/rules/host-health.ts";
import { useRead } from "../../api/queries.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";

interface Row {
  readonly host: string;
  readonly finding: Shape<"Host">["health"][number];
}

const columns: readonly Column<Row>[] = [
  {
    key: "host",
    header: "Host",
    primary: true,
    cell: ({ host }) => <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link>,
    sort: ({ host }) => host,
    text: ({ host }) => host,
  },
  {
    key: "finding",
    header: "Finding",
    cell: ({ finding }) => finding.message,
    sort: ({ finding }) => finding.message,
    text: ({ finding }) => finding.message,
  },
  { key: "remedy", header: "Remedy", cell: ({ finding }) => healthCodes[finding.code].remedy },
  {
    key: "since",
    header: "Since",
    align: "right",
    cell: ({ finding }) => <Time at={finding.since} />,
    sort: ({ finding }) => finding.since,
  },
];

export function CriticalHosts() {
  const { data, error, refetch } = useRead(["hosts", "critical"], (client) =>
    client.GET("/hosts", { params: { query: { health: "critical" } } }),
  );
  const rows = data?.data.flatMap(({ name: host, health }) =>
    health.filter(({ severity }) => severity === "critical").map((finding) => ({ host, finding })),
  );
  return (
    <Section title="Hosts with critical findings">
      <DataTable
        label="Hosts with critical findings"
        columns={columns}
        rows={rows}
        rowKey={({ host, finding }) => `${host} ${finding.code}`}
        error={error}
        onRetry={() => void refetch()}
        initialSort={{ key: "since", descending: true }}
        empty={
          <EmptyState icon="check" title="No critical findings">
            Full disks, wrong clocks and expiring certificates of hosts appear here.
          </EmptyState>
        }
      />
    </Section>
  );
}
