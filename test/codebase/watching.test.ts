// The dashboard and the alerts of examples/ name metrics that exist, and the dashboard shows all there are.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Metrics } from "../../src/metrics/metrics.ts";
import { metricNames, metricTable } from "../../src/metrics/table.ts";

const read = (name: string) => readFileSync(resolve(import.meta.dirname, "../../examples", name), "utf8");

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}
const dashboard: { panels: readonly Panel[]; templating: { list: readonly { name: string; type: string }[] } } =
  JSON.parse(read("grafana-dashboard.json"));
const alerts: { groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[] } = parse(
  read("prometheus-alerts.yaml"),
);
const rules = alerts.groups.flatMap((group) => group.rules);
const charts = dashboard.panels.filter((panel) => panel.type !== "row");
const queries = charts.flatMap((panel) => (panel.targets ?? []).map(({ expr }) => expr));

const served = () => {
  const metrics = new Metrics();
  metrics.addProcess();
  return new Set(metrics.names());
};

/** The metrics that an expression names: a histogram by its own name. */
function named(expr: string): string[] {
  const words = expr.match(/\b(lessor|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return words.map((word) => word.replace(/_(bucket|count|sum)$/, ""));
}

/** The labels that an expression tells series apart by, or chooses them by, each with a metric it names. */
function labelled(expr: string): { metric: string; label: string }[] {
  return [...expr.matchAll(/\b(lessor_[a-z_]+)\{([^}]*)\}/g)].flatMap(([, metric = "", inside = ""]) =>
    [...inside.matchAll(/([a-z]+)\s*(?:=~|!=|!~|=)/g)].map(([, label = ""]) => ({
      metric: metric.replace(/_(bucket|count|sum)$/, ""),
      label,
    })),
  );
}

/** Labels that Prometheus itself adds. */
const added = ["instance", "job", "le"];

function wrongLabels(exprs: readonly string[]): string[] {
  const table: Record<string, { labels: readonly string[] }> = metricTable;
  return exprs
    .flatMap(labelled)
    .filter(({ metric, label }) => !added.includes(label) && !table[metric]?.labels.includes(label))
    .map(({ metric, label }) => `${metric} has no ${label}`);
}

describe("the dashboard", () => {
  it("names only metrics that exist, with labels that they have", () => {
    expect(queries.flatMap(named).filter((name) => !served().has(name))).toEqual([]);
    expect(wrongLabels(queries)).toEqual([]);
  });

  it("shows every metric of the service", () => {
    const shown = new Set(queries.flatMap(named));
    expect(metricNames.filter((name) => !shown.has(name))).toEqual([]);
  });

  it("asks whatever data source its user chooses", () => {
    expect(dashboard.templating.list[0]).toMatchObject({ name: "datasource", type: "datasource" });
    const sources = charts.flatMap((panel) => [
      panel.datasource?.uid,
      ...(panel.targets ?? []).map((one) => one.datasource.uid),
    ]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is Grafana's
    expect(new Set(sources)).toEqual(new Set(["${datasource}"]));
  });

  it("has a title on each panel, and no two in one place", () => {
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(places.length);
    expect(dashboard.panels.filter(({ title, gridPos: { x, w } }) => title === "" || x + w > 24)).toEqual([]);
  });
});

describe("the alerts", () => {
  it("name only metrics that exist, with labels that they have", () => {
    const exprs = rules.map(({ expr }) => expr);
    expect(exprs.flatMap(named).filter((name) => !served().has(name))).toEqual([]);
    expect(wrongLabels(exprs)).toEqual([]);
    expect(exprs.filter((expr) => named(expr).length === 0 && !expr.startsWith("up{"))).toEqual([]);
  });

  it("say what is wrong", () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, annotations } of rules) expect(annotations.summary, alert).toMatch(/^[A-Z{].*\.$/);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});
