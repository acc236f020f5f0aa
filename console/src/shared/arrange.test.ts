// Filtering and sorting of rows.

import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
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
  arrange(rows, columns, "", { key, descending }, 10).first.map(({ name }) => name);

describe("rows", () => {
  it("stay in their order unless another is asked for", () => {
    expect(arrange(rows, columns, "", undefined, 10).first).toEqual(rows);
    expect(arrange(rows, columns, "", { key: "no such", descending: false }, 10).first).toEqual(rows);
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
    const found = (wanted: string) => arrange(rows, columns, wanted, undefined, 10).first.map(({ name }) => name);
    expect(found("GPU")).toEqual(["gpu-10", "gpu-9"]);
    expect(found("gpu 03-02")).toEqual(["gpu-9"]);
    expect(found("  ")).toHaveLength(3);
    expect(found("30")).toEqual([]);
  });
});

describe("the first of many rows", () => {
  const value = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(null));
  const many = fc.array(value, { maxLength: 600 }).map((values) => values.map((used, index) => ({ used, index })));
  const byValue = [{ key: "used", sort: ({ used }: { readonly used: number | null }) => used }];

  it("are those that come first when all are in order, and all are counted", () => {
    fc.assert(
      fc.property(many, fc.boolean(), fc.integer({ min: 1, max: 40 }), (all, descending, most) => {
        const sorting = { key: "used", descending };
        const { first, count } = arrange(all, byValue, "", sorting, most);
        expect(count).toBe(all.length);
        // As many as there are: they are all put in order.
        expect(first).toEqual(arrange(all, byValue, "", sorting, all.length).first.slice(0, most));
      }),
    );
  });

  it("are also found where all come the wrong way around", () => {
    const all = Array.from({ length: 1000 }, (_, index) => ({ used: index, index }));
    const { first } = arrange(all, byValue, "", { key: "used", descending: true }, 3);
    expect(first.map(({ used }) => used)).toEqual([999, 998, 997]);
  });
});
