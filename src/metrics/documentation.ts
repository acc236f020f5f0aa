// The table of metrics in docs/reference/metrics.md, generated from metricTable. Used by docs/tables.ts.

import { metricNames, metricTable } from "./table.ts";

export function metricsAsMarkdown(): string {
  const lines = metricNames.map((name) => {
    const { kind, labels, from, help } = metricTable[name];
    const cells = [`\`${name}\``, kind, labels.map((label) => `\`${label}\``).join(", "), from, help];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| metric | kind | labels | from | meaning |", "|---|---|---|---|---|", ...lines].join("\n");
}
