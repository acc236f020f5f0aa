// Hosts that their engines cannot reach, with how many instances wait for them. Part of the page Needs attention. Declared
// lost, a host is decided about and no longer listed.

import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { useHosts } from "../fleet/use-fleet.ts";

type Host = Shape<"Host">;

const columns: readonly Column<Host>[] = [
  {
    key: "host",
    header: "Host",
    primary: true,
    cell: ({ name }) => <Link href={`/operator/fleet?host=${encodeURIComponent(name)}`}>{name}</Link>,
    sort: ({ name }) => name,
    text: ({ name }) => name,
  },
  { key: "region", header: "Region", cell: ({ region }) => region, sort: ({ region }) => region },
  {
    key: "instances",
    header: "Instances",
    align: "right",
    cell: ({ instances }) => formatNumber(instances),
    sort: ({ instances }) => instances,
  },
  {
    key: "reached",
    header: "Last reached",
    align: "right",
    cell: ({ unreachable_since: since }) => <Time at={since} never="–" />,
    sort: ({ unreachable_since: since }) => since,
  },
];

export function UnreachableHosts() {
  const { data, error, refetch } = useHosts();
  return (
    <Section title="Unreachable hosts">
      <DataTable
        label="Unreachable hosts"
        columns={columns}
        rows={data?.data.filter(({ state }) => state === "unreachable")}
        isPartial={data?.isComplete === false}
        rowKey={({ name }) => name}
        error={error}
        onRetry={() => void refetch()}
        initialSort={{ key: "reached", descending: true }}
        empty={
          <EmptyState icon="check" title="No unreachable hosts">
            Hosts that their engines can't reach appear here.
          </EmptyState>
        }
      />
    </Section>
  );
}
