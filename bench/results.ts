// bench/RESULTS.md: the figures between two marks are regenerated; the text around them (what a limit is, what was
// tried) stays. A run of some measures replaces only their rows.

import { measureNames, measureOf } from "./measures.ts";
import { shown, unitOf } from "./output.ts";
import { isMissing, judge, type Result } from "./verdict.ts";

const begin = "<!-- figures: written by npm run bench -->";
const end = "<!-- end of figures -->";

export interface Run {
  /** ISO date. */
  readonly date: string;
  readonly machine: readonly string[];
  readonly results: readonly Result[];
}

/** `page` with the run's figures; without the marks they are appended. */
export function withFigures(page: string, run: Run): string {
  const [before, rest] = split(page, begin);
  const [old, after] = split(rest, end);
  return `${before.trimEnd()}\n\n${begin}\n${figures(run, old)}\n${end}\n${after.trim() === "" ? "" : `\n${after.trimStart()}`}`;
}

function figures({ date, machine, results }: Run, old: string): string {
  const kept = sectionsOf(old);
  for (const result of results) kept.set(result.name, section(result, { date, machine }));
  return measureNames.flatMap((name) => kept.get(name) ?? []).join("\n");
}

function section(result: Result, { date, machine }: Pick<Run, "date" | "machine">): string {
  const head = [`### ${result.name}`, "", `${capital(measureOf(result.name).what)}.`, ""];
  const foot = ["", `_${date}; ${machine.join("; ")}_`, ""];
  if (isMissing(result)) return [...head, `Missing: ${result.missing}`, ...foot].join("\n");
  const rows = judge(result).map((part) =>
    [
      part.part === "" ? "ratio" : part.part,
      `${shown(part.median)} ${unitOf(part)}`.trim(),
      `${shown(part.least)} … ${shown(part.most)}`,
      `${part.direction} ${part.reach} ${unitOf(part)}`.trim(),
      part.reached ? "yes" : "no",
    ].join(" | "),
  );
  const table = [
    "| | median | rounds | to reach | reached |",
    "|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ];
  const besides = (result.besides ?? []).map((one) =>
    "missing" in one
      ? `Against ${one.against}: missing: ${one.missing}`
      : `Against ${one.against}: ${shown(one.ratio.median)}`,
  );
  const notes = [...besides, ...result.notes].flatMap((note) => ["", `- ${note}`]).slice(1);
  return [...head, ...table, ...(notes.length > 0 ? ["", ...notes.filter((line) => line !== "")] : []), ...foot].join(
    "\n",
  );
}

/** By the measure's name. */
function sectionsOf(text: string): Map<string, string> {
  const pieces = text.split(/^### /m).slice(1);
  return new Map(pieces.map((piece) => [piece.split("\n", 1)[0]?.trim() ?? "", `### ${piece.trimEnd()}\n`]));
}

function split(text: string, mark: string): [before: string, after: string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
