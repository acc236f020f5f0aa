// The table of failure kinds in docs/reference/faults.md, from the one in faults.ts. `npm run docs` writes it.

import { type Effect, kindNames, kinds, type Parameter, parameters } from "./faults.ts";

/** One row for each kind: its name, what happens, what it may be told, and the operation it means when none is named. */
export function faultsAsMarkdown(): string {
  const rows = kindNames.map((kind) => {
    const { meaning, heeds = [], usually, reports }: Effect = kinds[kind];
    return [`\`${kind}\``, meaning, heeds.map(parameterText).join("; "), reports ? "none" : (usually ?? "all")];
  });
  const lines = [
    ["kind", "what happens", "may be told", "operation unless named"],
    ["---", "---", "---", "---"],
    ...rows,
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function parameterText(name: Parameter): string {
  return `\`${name}\`: ${parameters[name].meaning}`;
}
