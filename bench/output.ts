// Formats results: a line for people, or one JSON object per line with the names of the table.

import { measureOf } from "./measures.ts";
import { type Beside, isMissing, type JudgedPart, judge, type Result, worst } from "./verdict.ts";

/**
 * `{"name", "ratio" or "value", "reach", "reached"}` and also the spread (`least`, `most`), the unit, every part if
 * there are several, and notes. A measure without a result has `missing`, and is not reached.
 */
export function jsonLine(result: Result): string {
  if (isMissing(result)) {
    const { name, missing } = result;
    const [first] = Object.values(measureOf(name).parts);
    return JSON.stringify({ name, reach: first?.reach ?? null, reached: false, missing });
  }
  const parts = judge(result);
  const decisive = worst(parts);
  return JSON.stringify({
    name: result.name,
    ...figures(decisive),
    reached: parts.every((part) => part.reached),
    ...(parts.length > 1 && {
      part: decisive.part,
      parts: parts.map((part) => ({ part: part.part, ...figures(part), reached: part.reached })),
    }),
    ...(result.besides !== undefined && { besides: result.besides.map(besideFields) }),
    notes: result.notes,
  });
}

function besideFields(beside: Beside) {
  return "missing" in beside ? beside : { against: beside.against, ratio: Number(beside.ratio.median.toPrecision(4)) };
}

function besideLine(beside: Beside): string {
  if ("missing" in beside) return `against ${beside.against}: missing: ${beside.missing}`;
  const { median, least, most } = beside.ratio;
  return `against ${beside.against}: ${shown(median)} (${shown(least)} … ${shown(most)})`;
}

/** Lines for people: one for each part, and the notes below. */
export function textLines(result: Result): string[] {
  if (isMissing(result)) return [`${result.name.padEnd(18)} missing: ${result.missing}`];
  const lines = judge(result).map((part) =>
    [
      (part.part === "" ? result.name : `${result.name} (${part.part})`).padEnd(18),
      `${shown(part.median)} ${unitOf(part)}`.trim().padEnd(18),
      `(${shown(part.least)} … ${shown(part.most)})`.padEnd(22),
      `to reach: ${part.direction} ${part.reach} ${unitOf(part)}`.trim().padEnd(34),
      part.reached ? "reached" : "NOT REACHED",
    ].join(" "),
  );
  const notes = [...(result.besides ?? []).map(besideLine), ...result.notes];
  return [...lines, ...notes.map((note) => `${"".padEnd(18)}   ${note}`)];
}

/** Three significant digits. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return `${value}`;
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en-US");
  return `${Number(value.toPrecision(3))}`;
}

/** A ratio has no unit. */
export function unitOf({ unit }: Pick<JudgedPart, "unit">): string {
  return unit === "ratio" ? "" : unit;
}

function figures(part: JudgedPart) {
  const { unit, direction, reach, median, least, most } = part;
  const [value, lowest, highest] = [median, least, most].map((one) => Number(one.toPrecision(4)));
  return { ...(unit === "ratio" ? { ratio: value } : { value, unit }), least: lowest, most: highest, direction, reach };
}
