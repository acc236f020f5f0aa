// The table of faults in docs/reference/faults.md, from rules/simulator-faults.ts. `npm run docs` writes it.

import {
  type FaultKindFacts,
  type FaultParameter,
  faultKindNames,
  faultKinds,
  faultParameters,
} from "../../rules/simulator-faults.ts";

/** One row per kind: its name, what happens, its parameters, and its default operation. */
export function faultsAsMarkdown(): string {
  const rows = faultKindNames.map((kind) => {
    const { meaning, heeds = [], usually, ofReports }: FaultKindFacts = faultKinds[kind];
    return [`\`${kind}\``, meaning, heeds.map(parameterText).join("; "), ofReports ? "none" : (usually ?? "all")];
  });
  const lines = [["kind", "what happens", "parameters", "default operation"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function parameterText(name: FaultParameter): string {
  return `\`${name}\`: ${faultParameters[name].meaning}`;
}
