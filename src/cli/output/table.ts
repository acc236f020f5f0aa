// Tables for people: aligned, and never wider than the screen. If it is too narrow, less important columns are dropped,
// then the widest texts are cut. Programs use `--json`, so this format may change.

import type { Colour, Screen } from "./screen.ts";
import { cut, plain, widthOf } from "./text.ts";
import { count } from "./units.ts";

export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | null | undefined;
  readonly align?: "right";
  readonly colour?: (row: Row) => Colour | undefined;
  /** Columns to drop first if too narrow, highest number first. Without it the column stays. */
  readonly spare?: number;
}

const gap = "  ";
/** The minimum width of a column. */
const leastWidth = 6;

/** Prints the rows, or `nothing` (on a terminal) if there are none. */
export function printTable<Row>(
  screen: Screen,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  nothing: string,
): void {
  const lines = rows.length === 0 ? [screen.paint("dim", nothing)] : tableLines(rows, columns, screen);
  for (const line of lines) screen.line(line);
}

/** The lines of a table, its titles first. */
export function tableLines<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columns: room, paint }: Pick<Screen, "columns" | "paint">,
): string[] {
  const all = columns.map((column) => {
    const cells = rows.map((row) => cellOf(column.of(row)));
    return { column, cells, width: Math.max(widthOf(column.title), ...cells.map(widthOf)) };
  });
  const kept = room === undefined ? all : fitted(all, room);
  const lineOf = (pick: (one: (typeof kept)[number]) => { text: string; colour: Colour | undefined }) =>
    kept
      .map((one, index) => {
        const { text, colour } = pick(one);
        const shown = cut(text, one.width);
        const padding = " ".repeat(one.width - widthOf(shown));
        const painted = colour === undefined ? shown : paint(colour, shown);
        if (one.column.align === "right") return `${padding}${painted}`;
        return index === kept.length - 1 ? painted : `${painted}${padding}`;
      })
      .join(gap)
      .trimEnd();
  return [
    lineOf(({ column }) => ({ text: column.title, colour: "dim" })),
    ...rows.map((row, index) =>
      lineOf(({ column, cells }) => ({ text: cells[index] ?? "", colour: column.colour?.(row) })),
    ),
  ];
}

/** Titles and values, one per line; empty values are left out. */
export function printFacts(screen: Screen, facts: readonly (readonly [string, string | number | null | undefined])[]) {
  const told = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const width = Math.max(0, ...told.map(([title]) => widthOf(title)));
  for (const [title, value] of told) {
    screen.line(`${screen.paint("dim", title.padEnd(width))}  ${textOf(value)}`);
  }
}

function textOf(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  return typeof value === "number" ? count(value) : plain(value);
}

function cellOf(value: string | number | null | undefined): string {
  const text = textOf(value);
  return text === "" ? "-" : text;
}

interface Sized {
  readonly column: { readonly spare?: number };
  readonly width: number;
}

/** The columns that fit the width, cut if necessary. */
function fitted<One extends Sized>(all: readonly One[], room: number): One[] {
  const total = (some: readonly Sized[]) => some.reduce((sum, { width }) => sum + width + gap.length, -gap.length);
  let kept = [...all];
  while (total(kept) > room) {
    const spare = kept.reduce<One | undefined>(
      (most, one) => ((one.column.spare ?? 0) > (most?.column.spare ?? 0) ? one : most),
      undefined,
    );
    if (spare === undefined) break;
    kept = kept.filter((one) => one !== spare);
  }
  while (total(kept) > room) {
    const widest = kept.reduce((most, one) => (one.width > most.width ? one : most));
    if (widest.width <= leastWidth) break;
    kept = kept.map((one) => (one === widest ? { ...one, width: one.width - 1 } : one));
  }
  return kept;
}
