import perf_hooks from "node:perf_hooks";
import { describe, expect, it, vi } from "vitest";
import { Metrics } from "./metrics.ts";
import { metricNames, metricTable } from "./table.ts";

/** The lines of one metric, without its help. */
async function lines(metrics: Metrics, name: string): Promise<string[]> {
  const text = await metrics.text();
  return text.split("\n").filter((line) => line.startsWith(name));
}

describe("the table of metrics", () => {
  it.each(metricNames)("names %s as Prometheus wants it", (name) => {
    const { kind, help, labels } = metricTable[name];
    expect(name).toMatch(/^lessor_[a-z_]+$/);
    expect(name.endsWith("_total")).toBe(kind === "counter");
    if (kind === "histogram") expect(name).toMatch(/_seconds$/);
    expect(help).toMatch(/^(vCPUs|[A-Z]).*\.$/);
    expect([...labels].filter((label) => !/^[a-z]+$/.test(label))).toEqual([]);
  });

  it("is what a server shows, and nothing else", () => {
    expect(new Metrics().names().sort()).toEqual([...metricNames].sort());
  });
});

describe("metrics", () => {
  it("are counted for each server alone", async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.count("lessor_http_refused_total", { reason: "connections" }, 2);
    one.count("lessor_http_refused_total", { reason: "connections" });
    expect(await lines(one, "lessor_http_refused_total")).toEqual([
      'lessor_http_refused_total{reason="connections"} 3',
    ]);
    expect(await lines(other, "lessor_http_refused_total")).toEqual([]);
  });

  it("count what was tallied, with what was counted otherwise", async () => {
    const metrics = new Metrics();
    const tally = metrics.tally("lessor_http_refused_total", { reason: "connections" });
    tally.count += 2;
    metrics.count("lessor_http_refused_total", { reason: "connections" });
    const told = (total: number) => [`lessor_http_refused_total{reason="connections"} ${total}`];
    expect(await lines(metrics, "lessor_http_refused_total")).toEqual(told(3));
    metrics.tally("lessor_http_refused_total", { reason: "connections" }).count += 1;
    metrics.tally("lessor_http_refused_total", { reason: "never" });
    expect(await lines(metrics, "lessor_http_refused_total")).toEqual(told(4));
    expect(tally.count).toBe(0);
  });

  it("take over what somebody else counts", async () => {
    const metrics = new Metrics();
    metrics.setTotal("lessor_event_loop_turns_total", {}, 5);
    metrics.setTotal("lessor_event_loop_turns_total", {}, 7);
    expect(await lines(metrics, "lessor_event_loop_turns_total")).toEqual(["lessor_event_loop_turns_total 7"]);
  });

  it("show no longer what is no more", async () => {
    const metrics = new Metrics();
    const gone = { region: "north", model: "H100" };
    metrics.setAll("lessor_gpus", [[gone, 8]]);
    metrics.setAll("lessor_gpus", [[{ region: "south", model: "H100" }, 4]]);
    expect(await lines(metrics, "lessor_gpus{")).toEqual(['lessor_gpus{region="south",model="H100"} 4']);
    metrics.setAll("lessor_gpus", []);
    metrics.setAll("lessor_billing_open_spans", []);
    expect(await lines(metrics, "lessor_gpus{")).toEqual([]);
    expect(await lines(metrics, "lessor_billing_open_spans")).toEqual([]);
  });

  it("are brought up to date before each scrape", async () => {
    const metrics = new Metrics();
    let open = 0;
    metrics.onScrape(() => metrics.set("lessor_http_connections", {}, open));
    open = 3;
    expect(await lines(metrics, "lessor_http_connections ")).toEqual(["lessor_http_connections 3"]);
  });

  it("have those of the process beside them", async () => {
    const metrics = new Metrics();
    metrics.addProcess();
    const [line] = await lines(metrics, "process_resident_memory_bytes");
    expect(Number(line?.split(" ")[1])).toBeGreaterThan(1_000_000);
  });

  it("wake nothing between two scrapes: what watches the event loop a hundred times a second is not there", () => {
    const monitors = vi.spyOn(perf_hooks, "monitorEventLoopDelay");
    const metrics = new Metrics();
    metrics.addProcess();
    expect(metrics.names().filter((name) => name.startsWith("nodejs_eventloop"))).toEqual([]);
    for (const [options] of monitors.mock.calls) expect(options?.resolution).toBeGreaterThan(60_000);
    monitors.mockRestore();
  });
});
