// The operations and the table of faults in docs/reference/faults.md, from rules/simulator-faults.ts. `npm run docs` writes it.

import {
  type FaultKindFacts,
  type FaultParameter,
  faultKindNames,
  faultKinds,
  faultOperations,
  faultParameters,
  isOfNoCall,
} from "../../rules/simulator-faults.ts";

/** The engine's calls, in one line. */
export function operationsAsMarkdown(): string {
  return `${faultOperations.map((operation) => `\`${operation}\``).join(", ")}.`;
}

/** One row per kind: its name, what happens, its parameters, and its default operation. */
export function faultsAsMarkdown(): string {
  const rows = faultKindNames.map((kind) => {
    const facts: FaultKindFacts = faultKinds[kind];
    const { meaning, heeds = [], usually } = facts;
    return [
      `\`${kind}\``,
      meaning,
      heeds.map(parameterText).join("; "),
      isOfNoCall(facts) ? "none" : (usually ?? "all"),
    ];
  });
  const lines = [["kind", "what happens", "parameters", "default operation"], ["---", "---", "---", "---"], ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function parameterText(name: FaultParameter): string {
  return `\`${name}\`: ${faultParameters[name].meaning}`;
}
