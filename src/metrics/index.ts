// What other rooms may use of the metrics.

export { type DatabaseGauges, showDatabase } from "./database-gauges.ts";
export { showPool } from "./database-pool.ts";
export { metricsAsMarkdown } from "./documentation.ts";
export { type EventLoop, watchEventLoop } from "./event-loop.ts";
export type { Cell } from "./histogram.ts";
export { Metrics, type Tally } from "./metrics.ts";
export { type MetricName, metricNames, metricTable } from "./table.ts";
