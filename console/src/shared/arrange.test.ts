// Filtering and sorting of rows.

import { describe, expect, it } from "vitest";
import { arrange } from "./arrange.ts";

interface Row {
  readonly name: string;
  readonly cents: number;
  readonly used: string | null;
}
const rows: readonly Row[] = [
  { name: "gpu-10", cents: 5, used: null },
  { name: "gpu-9", cents: 30, used: "2026-03-02" },
  { name: "Alpha", cents: 5, used: "2026-03-01" },
];
const columns = [
  { key: "name", text: (row: Row) => row.name, sort: (row: Row) => row.name },
  { key: "cents", sort: (row: Row) => row.cents },
  { key: "used", text: (row: Row) => row.used ?? "", sort: (row: Row) => row.used },
];
const sorted = (key: string, descending: boolean) =>
  arrange(rows, columns, "", { key, descending }).map(({ name }) => name);

describe("rows", () => {
  it("stay in their order unless another is asked for", () => {
    expect(arrange(rows, columns, "", undefined)).toBe(rows);
    expect(arrange(rows, columns, "", { key: "no such", descending: false })).toEqual(rows);
  });

  it("are sorted as people count, whatever the case", () => {
    expect(sorted("name", false)).toEqual(["Alpha", "gpu-9", "gpu-10"]);
    expect(sorted("name", true)).toEqual(["gpu-10", "gpu-9", "Alpha"]);
  });

  it("are sorted by numbers as numbers, and keep their order where they are alike", () => {
    expect(sorted("cents", false)).toEqual(["gpu-10", "Alpha", "gpu-9"]);
    expect(sorted("cents", true)).toEqual(["gpu-9", "gpu-10", "Alpha"]);
  });

  it("without a value come last either way", () => {
    expect(sorted("used", false)).toEqual(["Alpha", "gpu-9", "gpu-10"]);
    expect(sorted("used", true)).toEqual(["gpu-9", "Alpha", "gpu-10"]);
  });

  it("are found by words in any column that is looked through, all of them", () => {
    const found = (wanted: string) => arrange(rows, columns, wanted, undefined).map(({ name }) => name);
    expect(found("GPU")).toEqual(["gpu-10", "gpu-9"]);
    expect(found("gpu 03-02")).toEqual(["gpu-9"]);
    expect(found("  ")).toHaveLength(3);
    expect(found("30")).toEqual([]);
  });
});
