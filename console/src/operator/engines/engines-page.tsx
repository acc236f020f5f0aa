// The engines that run instances, their hosts, and their last sync.

import { Badge } from "@mantine/core";
import type { Shape } from "../../../../src/client/client.ts";
import { type Column, DataTable } from "../../shared/data-table.tsx";
import { EmptyState } from "../../shared/empty-state.tsx";
import { formatNumber } from "../../shared/format-number.ts";
import { Page } from "../../shared/page.tsx";
import { Time } from "../../shared/time.tsx";
import { useEngines } from "../fleet/use-fleet.ts";
import classes from "../words.module.css";

type Engine = Shape<"Engine">;

const columns: readonly Column<Engine>[] = [
  {
    key: "name",
    header: "Engine",
    primary: true,
    cell: ({ name, kind }) => (
      <div className={classes.whole}>
        {name} <span className="soft">{kind}</span>
      </div>
    ),
    sort: ({ name }) => name,
    text: ({ name, kind }) => `${name} ${kind ?? ""}`,
  },
  {
    key: "health",
    header: "Health",
    cell: (engine) => {
      const { word, color } = healthOf(engine);
      return <Badge color={color}>{word}</Badge>;
    },
    sort: (engine) => healthOf(engine).order,
    text: (engine) => healthOf(engine).word,
  },
  {
    key: "hosts",
    header: "Available hosts",
    align: "right",
    cell: ({ hosts, hosts_available, hosts_cordoned }) => (
      <div>
        {formatNumber(hosts_available)} <span className="soft">of {formatNumber(hosts)}</span>
        {hosts_cordoned > 0 && <div className="soft">{formatNumber(hosts_cordoned)} cordoned</div>}
      </div>
    ),
    sort: ({ hosts }) => hosts,
  },
  {
    key: "instances",
    header: "Instances",
    align: "right",
    cell: ({ instances, instances_unreachable }) => (
      <div>
        {formatNumber(instances)}
        {instances_unreachable > 0 && <div className="soft">{formatNumber(instances_unreachable)} unreachable</div>}
      </div>
    ),
    sort: ({ instances }) => instances,
  },
  {
    key: "swept",
    header: "Last sync",
    align: "right",
    cell: ({ last_sweep_at }) => <Time at={last_sweep_at} />,
    sort: ({ last_sweep_at }) => last_sweep_at,
  },
  {
    key: "error",
    header: "Problem",
    cell: (engine) => {
      const { problem } = healthOf(engine);
      if (problem === "") return <span className="soft">none</span>;
      return (
        <div>
          {problem}
          {engine.last_sweep_error !== null && (
            <div className="soft">
              Last successful sync <Time at={engine.last_good_sweep_at} />
            </div>
          )}
        </div>
      );
    },
    text: (engine) => healthOf(engine).problem,
  },
];

export function EnginesPage() {
  const read = useEngines();
  return (
    <Page
      title="Engines"
      description="The clusters and hosts that run instances. Each engine is synced regularly, and drift is repaired."
    >
      <DataTable
        label="Engines"
        columns={columns}
        rows={read.data?.data}
        rowKey={({ name }) => name}
        error={read.error}
        onRetry={() => void read.refetch()}
        filter={false}
        initialSort={{ key: "health", descending: true }}
        empty={
          <EmptyState icon="engine" title="No engines">
            Configure one in lessor.yaml: an Incus or LXD cluster, or libvirt hosts.
          </EmptyState>
        }
      />
    </Page>
  );
}

interface Health {
  readonly word: "Healthy" | "Degraded" | "Not synced yet" | "Unreachable" | "Not configured";
  readonly color: "green" | "amber" | "red" | "gray";
  /** Worse is higher. */
  readonly order: number;
  /** Empty without a problem. */
  readonly problem: string;
}

export function healthOf(engine: Shape<"Engine">): Health {
  const { kind, hosts, hosts_available, last_sweep_at, last_sweep_error } = engine;
  if (kind === null) {
    const problem = "It has hosts or instances but is not in lessor.yaml, so they are not managed.";
    return { word: "Not configured", color: "red", order: 4, problem };
  }
  if (last_sweep_error !== null) return { word: "Unreachable", color: "red", order: 3, problem: last_sweep_error };
  const unavailable = hosts - hosts_available;
  if (unavailable > 0) {
    const problem =
      unavailable === 1 ? "One host is unavailable." : `${formatNumber(unavailable)} hosts are unavailable.`;
    return { word: "Degraded", color: "amber", order: 2, problem };
  }
  if (last_sweep_at === null) return { word: "Not synced yet", color: "gray", order: 1, problem: "" };
  return { word: "Healthy", color: "green", order: 0, problem: "" };
}
