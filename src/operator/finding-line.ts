// Findings as lines for people and for programs. Pure; used by engine-check.ts.

import type { Finding } from "../engines/check/finding.ts";

/** `warning  images         detail: advice`. */
export function findingLine({ verdict, what, detail, advice }: Finding): string {
  return `${verdict.padEnd(8)} ${what.padEnd(16)} ${detail}${advice === undefined ? "" : `: ${advice}`}`;
}

/** One JSON object, with `advice` only if there is one. `cluster` is the former name of `engine`. */
export function findingJson(engine: string, { what, verdict, detail, advice }: Finding): string {
  return JSON.stringify({ engine, cluster: engine, what, verdict, detail, advice });
}

/** The last line. */
export function summaryLine(engine: string, findings: readonly Finding[]): string {
  const count = (verdict: Finding["verdict"]) => findings.filter((finding) => finding.verdict === verdict).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const noted = warnings === 0 ? "" : `, ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  if (problems === 0) return `${engine} is ready${noted}.`;
  return `${engine} is not ready: ${problems} ${problems === 1 ? "problem" : "problems"}${noted}.`;
}
