// The metrics of one server: counters, gauges and histograms of metricTable, and their text for Prometheus. Each server
// of a process (tests may start several) has its own; nothing is global. Used by http, the reconciler and
// composition.ts.
//
//   metrics.count("lessor_http_refused_total", { reason: "overload" });
//   metrics.observe("lessor_engine_call_duration_seconds", { engine, call, result }, seconds);
//   const requests = metrics.tally("lessor_http_requests_total", labels); // for frequent events
//   requests.count += 1;
//   metrics.onScrape(() => metrics.set("lessor_http_connections", {}, open()));

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import { type Cell, Histogram, keyOf } from "./histogram.ts";
import { type LabelsOf, type MetricName, type MetricRow, metricNames, metricTable, type NameOf } from "./table.ts";

const MS_OF_A_DAY = 86_400_000;

/** Called before a scrape is answered. It must be fast and must not throw. */
export type Scraped = () => void | Promise<void>;

/** An amount to add to a counter at the next scrape: adding to it costs nothing. */
export interface Tally {
  count: number;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #gauges = new Map<MetricName, Gauge>();
  readonly #histograms = new Map<MetricName, Histogram>();
  readonly #tallies = new Map<string, { readonly tally: Tally; readonly collect: () => void }>();
  readonly #scraped: Scraped[] = [];
  #text: Promise<string> | undefined;

  constructor() {
    for (const name of metricNames) this.#make(name, metricTable[name]);
  }

  /** The Content-Type of `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All names, with prom-client's own once they were added. */
  names(): string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  count<N extends NameOf<"counter">>(name: N, labels: LabelsOf<N>, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  /** For callers that count thousands of times a second: the same one each time for the same labels. */
  tally<N extends NameOf<"counter">>(name: N, labels: LabelsOf<N>): Tally {
    const key = `${name} ${keyOf(metricTable[name].labels, labels)}`;
    const known = this.#tallies.get(key);
    if (known !== undefined) return known.tally;
    const tally = { count: 0 };
    const collect = () => {
      if (tally.count > 0) this.count(name, labels, tally.count);
      tally.count = 0;
    };
    this.#tallies.set(key, { tally, collect });
    return tally;
  }

  /** A counter that is kept elsewhere: `total` is its current value. */
  setTotal<N extends NameOf<"counter">>(name: N, labels: LabelsOf<N>, total: number): void {
    const counter = this.#counters.get(name);
    counter?.remove(labels);
    counter?.inc(labels, total);
  }

  set<N extends NameOf<"gauge">>(name: N, labels: LabelsOf<N>, value: number): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  /** One value of a gauge is no longer known. */
  remove<N extends NameOf<"gauge">>(name: N, labels: LabelsOf<N>): void {
    this.#gauges.get(name)?.remove(labels);
  }

  /** Sets all values of a gauge; others are removed. */
  setAll<N extends NameOf<"gauge">>(name: N, values: readonly (readonly [LabelsOf<N>, number])[]): void {
    const gauge = this.#gauges.get(name);
    gauge?.reset();
    // A gauge without labels starts at 0; an unknown value should be absent.
    if (values.length === 0 && metricTable[name].labels.length === 0) gauge?.remove();
    for (const [labels, value] of values) gauge?.set(labels, value);
  }

  observe<N extends NameOf<"histogram">>(name: N, labels: LabelsOf<N>, seconds: number): void {
    this.cell(name, labels).observe(seconds);
  }

  /** For callers that observe thousands of times a second: the same one each time for the same labels. */
  cell<N extends NameOf<"histogram">>(name: N, labels: LabelsOf<N>): Cell {
    const histogram = this.#histograms.get(name);
    if (histogram === undefined) throw new Error(`BUG: ${name} is no histogram`);
    return histogram.cell(labels);
  }

  /** Called before each scrape, for values that are not kept current. */
  onScrape(scraped: Scraped): void {
    this.#scraped.push(scraped);
  }

  /**
   * Adds prom-client's metrics of the process: CPU, memory, garbage collection, open files. Not its event loop lag,
   * which wakes an idle process a hundred times a second, for half a percent of a core and more: event-loop.ts has one.
   */
  addProcess(): void {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: MS_OF_A_DAY });
    for (const { name } of this.#registry.getMetricsAsArray()) {
      if (name.startsWith("nodejs_eventloop_lag_")) this.#registry.removeSingleMetric(name);
    }
  }

  /** Everything, in Prometheus' text format. Built once for concurrent callers. */
  text(): Promise<string> {
    this.#text ??= this.#write().finally(() => {
      this.#text = undefined;
    });
    return this.#text;
  }

  async #write(): Promise<string> {
    await Promise.all(this.#scraped.map((scraped) => scraped()));
    for (const { collect } of this.#tallies.values()) collect();
    return this.#registry.metrics();
  }

  #make(name: MetricName, { kind, help, labels, buckets }: MetricRow): void {
    const common = { name, help, labelNames: [...labels], registers: [this.#registry] };
    if (kind === "counter") this.#counters.set(name, new Counter(common));
    else if (kind === "gauge") this.#gauges.set(name, new Gauge(common));
    else {
      const histogram = new Histogram({ ...common, buckets: buckets ?? [] });
      this.#histograms.set(name, histogram);
      // The registry uses only `name` and `get` of a metric, but its types allow only its own classes.
      this.#registry.registerMetric(histogram as unknown as Metric<string>);
    }
  }
}
