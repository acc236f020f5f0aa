// Findings as lines for people and for programs. Pure; used by engine-check.ts.

import type { Finding } from "../engines/incus/index.ts";

/** `warning  images         what is so: what to do`. */
export function findingLine({ verdict, what, detail, advice }: Finding): string {
  return `${verdict.padEnd(8)} ${what.padEnd(16)} ${detail}${advice === undefined ? "" : `: ${advice}`}`;
}

/** One JSON object, with `advice` only where there is one. */
export function findingJson(cluster: string, { what, verdict, detail, advice }: Finding): string {
  return JSON.stringify({ cluster, what, verdict, detail, advice });
}

/** The last line. */
export function summaryLine(cluster: string, findings: readonly Finding[]): string {
  const count = (verdict: Finding["verdict"]) => findings.filter((finding) => finding.verdict === verdict).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const noted = warnings === 0 ? "" : `, ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  if (problems === 0) return `${cluster} is fit to serve${noted}.`;
  return `${cluster} is not fit to serve: ${problems} ${problems === 1 ? "problem" : "problems"}${noted}.`;
}
