// Filtering and sorting of rows, for data-table.tsx. Pure.

export type SortValue = string | number | null;

export interface Sorting {
  /** Of the column. */
  readonly key: string;
  readonly descending: boolean;
}

interface Sorted<Row> {
  readonly key: string;
  readonly sort?: (row: Row) => SortValue;
  readonly text?: (row: Row) => string;
}

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The rows that fit, of which the first ones are in order. */
export interface Arranged<Row> {
  readonly count: number;
  /** As many of the first rows as were asked for. */
  readonly first: readonly Row[];
}

/**
 * The rows in which each word of `wanted` stands somewhere, in the order that is asked for. Rows that are alike keep theirs;
 * what has no value comes last either way. Only the first `most` are put in order: comparing names is what takes time.
 */
export function arrange<Row extends object>(
  rows: readonly Row[],
  columns: readonly Sorted<Row>[],
  wanted: string,
  sorting: Sorting | undefined,
  most: number,
): Arranged<Row> {
  const fitting = filtered(rows, columns, wanted);
  const count = fitting.length;
  const value = columns.find(({ key }) => key === sorting?.key)?.sort;
  if (sorting === undefined || value === undefined) return { count, first: fitting.slice(0, most) };
  const sign = sorting.descending ? -1 : 1;
  const entries = fitting.map((row, index): Entry<Row> => ({ row, index, value: value(row) }));
  return { count, first: firstOf(entries, most, (a, b) => compared(a, b, sign)).map(({ row }) => row) };
}

interface Entry<Row> {
  readonly row: Row;
  readonly index: number;
  readonly value: SortValue;
}

function compared<Row>({ value: a, index }: Entry<Row>, { value: b, index: other }: Entry<Row>, sign: number): number {
  if (a === b) return index - other;
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : names.compare(String(a), String(b));
  return sign * order || index - other;
}

/**
 * The first `most` entries in order. Those that are behind the last of the first ones so far take one comparison each. They
 * are taken in strides, as entries that are in order already, the wrong way around, would all be among the first for a while.
 */
function firstOf<T>(entries: readonly T[], most: number, compare: (a: T, b: T) => number): readonly T[] {
  if (entries.length <= 2 * most) return entries.toSorted(compare).slice(0, most);
  const first: T[] = [];
  for (let start = 0; start < stride; start++) {
    for (let index = start; index < entries.length; index += stride) {
      const entry = entries[index];
      const last = first[most - 1];
      if (entry === undefined || (last !== undefined && compare(entry, last) >= 0)) continue;
      let [low, high] = [0, first.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        const other = first[middle];
        if (other === undefined || compare(entry, other) < 0) high = middle;
        else low = middle + 1;
      }
      first.splice(low, 0, entry);
      if (first.length > most) first.pop();
    }
  }
  return first;
}

/** A prime, so that what repeats in the entries does not repeat in a stride. */
const stride = 61;

function filtered<Row extends object>(
  rows: readonly Row[],
  columns: readonly Sorted<Row>[],
  wanted: string,
): readonly Row[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  const known = textsBy.get(columns) ?? new WeakMap<object, string>();
  textsBy.set(columns, known);
  return rows.filter((row) => {
    const text = known.get(row) ?? textOf(row, columns);
    known.set(row, text);
    return words.every((word) => text.includes(word));
  });
}

/** What was searched before, by columns and row: each letter that is typed searches all rows. */
const textsBy = new WeakMap<object, WeakMap<object, string>>();

function textOf<Row>(row: Row, columns: readonly Sorted<Row>[]): string {
  return columns
    .map((column) => column.text?.(row) ?? "")
    .join("\n")
    .toLowerCase();
}
