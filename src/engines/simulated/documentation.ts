// The table of faults in docs/reference/faults.md, from faults.ts. `npm run docs` writes it.

import { type Effect, kindNames, kinds, type Parameter, parameters } from "./faults.ts";

/** One row per kind: its name, what happens, its parameters, and its default operation. */
export function faultsAsMarkdown(): string {
  const rows = kindNames.map((kind) => {
    const { meaning, heeds = [], usually, reports }: Effect = kinds[kind];
    return [`\`${kind}\``, meaning, heeds.map(parameterText).join("; "), reports ? "none" : (usually ?? "all")];
  });
  const lines = [["kind", "what happens", "parameters", "default operation"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function parameterText(name: Parameter): string {
  return `\`${name}\`: ${parameters[name].meaning}`;
}
