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

/**
 * The rows in which each word of `wanted` stands somewhere, in the order that is asked for. Rows that are alike keep theirs;
 * what has no value comes last either way.
 */
export function arrange<Row>(
  rows: readonly Row[],
  columns: readonly Sorted<Row>[],
  wanted: string,
  sorting: Sorting | undefined,
): readonly Row[] {
  const fitting = filtered(rows, columns, wanted);
  const value = columns.find(({ key }) => key === sorting?.key)?.sort;
  if (sorting === undefined || value === undefined) return fitting;
  const sign = sorting.descending ? -1 : 1;
  return [...fitting].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : names.compare(String(a), String(b)));
  });
}

function filtered<Row>(rows: readonly Row[], columns: readonly Sorted<Row>[], wanted: string): readonly Row[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = columns
      .map((column) => column.text?.(row) ?? "")
      .join("\n")
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
