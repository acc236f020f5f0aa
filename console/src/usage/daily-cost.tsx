// The cost of each day as a chart, which is loaded when it is first shown. Used by the pages of usage and of the balance.

import { Suspense } from "react";
import chart from "../shared/day-chart.module.css";
import { lazyPart } from "../shared/lazy-part.ts";

const DayChart = lazyPart(async () => (await import("../shared/day-chart.tsx")).DayChart);

interface DailyCostProps {
  /** Undefined: loading. */
  readonly days: readonly { readonly day: string; readonly microCents: bigint }[] | undefined;
}

export function DailyCost({ days }: DailyCostProps) {
  const waiting = <div className={chart.chart} aria-busy="true" />;
  return (
    <Suspense fallback={waiting}>
      {days === undefined ? (
        waiting
      ) : (
        <DayChart
          days={days.map(({ day, microCents }) => ({ day, costs: { all: microCents } }))}
          series={[{ key: "all", label: "Cost" }]}
        />
      )}
    </Suspense>
  );
}
