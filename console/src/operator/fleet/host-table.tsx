// The hosts as a table, which sorts and can be read aloud.

import { Badge, Button } from "@mantine/core";
import type { Shape } from "../../../../src/client/client.ts";
import { hostStates, hostTraits } from "../../../../src/rules/host-lifecycle.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { countCells, countsInWords } from "./cells.ts";
import { HostCells } from "./cells.tsx";
import { HostSeverity, severityOrder } from "./host-health.tsx";
import { hostStateLabels } from "./host-labels.ts";

type Host = Shape<"Host">;

const columns: readonly Column<Host>[] = [
  { key: "name", header: "Host", primary: true, cell: ({ name }) => name, sort: ({ name }) => name },
  { key: "region", header: "Region", cell: ({ region }) => region, sort: ({ region }) => region },
  { key: "standing", header: "State", cell: (host) => <HostStanding host={host} />, sort: standingOrder },
  { key: "health", header: "Health", cell: ({ health }) => <HostSeverity health={health} />, sort: severityOrder },
  {
    key: "gpus",
    header: "GPUs",
    width: "150px",
    cell: (host) => (host.gpus.length === 0 ? <span className="soft">none</span> : <HostCells host={host} />),
    sort: (host) => countCells([host]).free,
  },
  {
    key: "words",
    header: "Counts",
    cell: (host) => countsInWords(countCells([host])),
    sort: (host) => countCells([host]).held,
  },
  amount("vcpus", "Free vCPUs", ({ free_vcpus, vcpus }) => [free_vcpus, vcpus]),
  amount("memory", "Free GiB", ({ free_memory_gib, memory_gib }) => [free_memory_gib, memory_gib]),
];

interface HostTableProps {
  readonly hosts: readonly Host[];
  readonly onChoose: (name: string) => void;
}

export function HostTable({ hosts, onChoose }: HostTableProps) {
  return (
    <div style={{ marginTop: 20 }}>
      <DataTable
        label="Hosts"
        columns={columns}
        rows={hosts}
        rowKey={({ name }) => name}
        filter={false}
        empty={null}
        rowActions={({ name }) => (
          <Button variant="default" size="xs" onClick={() => onChoose(name)} aria-label={`Open ${name}`}>
            Open
          </Button>
        )}
      />
    </div>
  );
}

/** The state of a host as a label, and what it is when it is back if operators have decided that. */
export function HostStanding({ host: { state, mode } }: { readonly host: Pick<Host, "state" | "mode"> }) {
  const shown = mode === state || !hostTraits[mode].isDecided ? [state] : [state, mode];
  return (
    <span style={{ display: "inline-flex", gap: 6 }}>
      {shown.map((one) => (
        <Badge key={one} color={hostStateLabels[one].color}>
          {hostStateLabels[one].title}
        </Badge>
      ))}
    </span>
  );
}

function standingOrder({ state }: Host): number {
  return hostStates.indexOf(state);
}

function amount(key: string, header: string, of: (host: Host) => readonly [number, number]): Column<Host> {
  return {
    key,
    header,
    align: "right",
    cell: (host) => {
      const [free, all] = of(host);
      return (
        <div>
          {formatNumber(free)} <span className="soft">of {formatNumber(all)}</span>
        </div>
      );
    },
    sort: (host) => of(host)[0],
  };
}
