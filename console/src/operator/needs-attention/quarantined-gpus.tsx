// GPUs that are quarantined, and those that are when their instance has ended, such as after a customer's report. Part of
// the page Needs attention.

import { Link } from "wouter";
import type { Shape } from "../../../../src/client/client.ts";
import { useWholeList } from "../../api/whole-list.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { Section } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { InstanceName } from "../fleet/instance-name.tsx";
import { QuarantineNote, quarantineWords } from "../fleet/quarantine-note.tsx";

type Gpu = Shape<"ListedGpu">;

const columns: readonly Column<Gpu>[] = [
  {
    key: "gpu",
    header: "GPU",
    primary: true,
    cell: ({ host, address }) => (
      <>
        <Link href={`/operator/fleet?host=${encodeURIComponent(host)}`}>{host}</Link> <code>{address}</code>
      </>
    ),
    sort: ({ host, address }) => `${host} ${address}`,
    text: ({ host, address }) => `${host} ${address}`,
  },
  { key: "model", header: "Model", cell: ({ model }) => model, sort: ({ model }) => model },
  {
    key: "reason",
    header: "Reason",
    cell: (gpu) => <QuarantineNote gpu={gpu} />,
    sort: quarantineWords,
    text: (gpu) => `${quarantineWords(gpu)} ${gpu.evidence ?? ""}`,
  },
  {
    key: "instance",
    header: "Instance",
    cell: ({ held_by: id }) => (id === null ? <span className="soft">–</span> : <InstanceName id={id} />),
    sort: ({ held_by: id }) => id,
  },
  {
    key: "since",
    header: "Since",
    align: "right",
    cell: ({ state_since: since, quarantine_next: next }) => <Time at={next === null ? since : null} never="–" />,
    sort: ({ state_since: since, quarantine_next: next }) => (next === null ? since : null),
  },
];

export function QuarantinedGpus() {
  const { data, error, refetch } = useWholeList(["gpus", "quarantined"], (client, page) =>
    client.GET("/gpus", { params: { query: { ...page, quarantined: true } } }),
  );
  return (
    <Section title="Quarantined GPUs">
      <DataTable
        label="Quarantined GPUs"
        columns={columns}
        rows={data?.data}
        isPartial={data?.isComplete === false}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        initialSort={{ key: "since", descending: true }}
        empty={
          <EmptyState icon="check" title="No quarantined GPUs">
            GPUs that failed a reset or a validation, or were reported as faulty, appear here.
          </EmptyState>
        }
      />
    </Section>
  );
}
