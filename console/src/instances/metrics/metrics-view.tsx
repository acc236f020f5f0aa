// What an instance uses, as the agent in its guest reports it: charts of an hour, a day or a week, and errors of GPUs.

import { Alert, SegmentedControl, Skeleton, Table } from "@mantine/core";
import { useState } from "react";
import type { Shape } from "../../../../src/client/client.ts";
import { guestLines } from "../../../../src/rules/guest-metrics.ts";
import { useRead } from "../../api/queries.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorState } from "../../shared/error-state.tsx";
import { LineChart } from "../../shared/line-chart.tsx";
import { Time } from "../../shared/time.tsx";
import { chartsOf, summariesOf, wordsOf } from "./charts.ts";
import classes from "./metrics-view.module.css";

const ranges = {
  "1 h": { seconds: 3600, step: 15 },
  "24 h": { seconds: 86_400, step: 300 },
  "7 d": { seconds: 604_800, step: 1800 },
} as const;
type Range = keyof typeof ranges;
// Object.keys returns strings; these are the table's.
const names = Object.keys(ranges) as Range[];

/** There is no event for samples. */
const againMs = 2 * guestLines.everySeconds * 1000;

export function MetricsView({ id }: { readonly id: string }) {
  const [range, setRange] = useState<Range>("1 h");
  const read = useRead(
    ["metrics", id, range],
    (client) => {
      const { seconds, step } = ranges[range];
      const query = { from: new Date(Date.now() - seconds * 1000).toISOString(), step };
      return client.GET("/instances/{id}/metrics", { params: { path: { id }, query } });
    },
    { again: () => againMs, keep: true },
  );
  return (
    <div className={classes.view}>
      <SegmentedControl
        size="xs"
        aria-label="Time shown"
        data={names.map((value) => ({ value, label: value }))}
        value={range}
        onChange={(value) => setRange(names.find((one) => one === value) ?? "1 h")}
      />
      {read.data === undefined ? (
        read.error === null ? (
          <Skeleton height={360} aria-busy="true" />
        ) : (
          <ErrorState error={read.error} again={() => void read.refetch()} />
        )
      ) : (
        <Charts metrics={read.data.data} />
      )}
    </div>
  );
}

function Charts({ metrics }: { readonly metrics: Shape<"InstanceMetrics"> }) {
  const charts = chartsOf(metrics);
  return (
    <>
      {metrics.faults.map(({ gpu, xid, meaning, last_at }) => (
        <Alert key={`${gpu} ${xid}`} color="red" title={`GPU ${gpu}: XID ${xid}`}>
          {meaning} Last reported <Time at={last_at} />.
        </Alert>
      ))}
      {charts.length === 0 ? (
        <EmptyState icon="chart" title="No metrics">
          The agent in the guest reported nothing in this time.
        </EmptyState>
      ) : (
        <>
          <div className={classes.charts}>
            {charts.map((chart) => (
              <LineChart key={chart.metric} {...chart} step={metrics.step_seconds} words={wordsOf(chart)} />
            ))}
          </div>
          <details className={classes.table}>
            <summary>Values as a table</summary>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Metric</Table.Th>
                  <Table.Th scope="col">Now</Table.Th>
                  <Table.Th scope="col">Mean</Table.Th>
                  <Table.Th scope="col">Highest</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {summariesOf(charts).map(({ key, name, now, mean, most }) => (
                  <Table.Tr key={key}>
                    <Table.Th scope="row">{name}</Table.Th>
                    <Table.Td>{now}</Table.Td>
                    <Table.Td>{mean}</Table.Td>
                    <Table.Td>{most}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </details>
        </>
      )}
    </>
  );
}
