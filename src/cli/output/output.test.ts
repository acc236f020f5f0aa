// Tables, texts and amounts as people see them.

import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { screenOf } from "./screen.ts";
import { type Column, tableLines } from "./table.ts";
import { cut, plain, plainJson, widthOf } from "./text.ts";
import { age, ago, centsIn, cost, count, duration, money, perHour, secondsIn } from "./units.ts";

interface Row {
  readonly name: string;
  readonly size: number;
  readonly note: string | null;
}
const columns: readonly Column<Row>[] = [
  { title: "NAME", of: ({ name }) => name },
  { title: "SIZE", of: ({ size }) => size, align: "right" },
  { title: "NOTE", of: ({ note }) => note, spare: 1 },
];
const table = (rows: readonly Row[], room?: number) =>
  tableLines(rows, columns, { columns: room, paint: (_, text) => text });

describe("a table", () => {
  it("is aligned, numbers to the right, and shows what is not there as a dash", () => {
    expect(
      table([
        { name: "a", size: 5, note: null },
        { name: "longer", size: 100, note: "x" },
      ]),
    ).toEqual(["NAME    SIZE  NOTE", "a          5  -", "longer   100  x"]);
  });

  it("loses what matters less where it is too narrow, and then is cut", () => {
    const rows = [{ name: "a-very-long-name", size: 5, note: "a note" }];
    expect(table(rows, 24)).toEqual(["NAME              SIZE", "a-very-long-name     5"]);
    expect(table(rows, 14)).toEqual(["NAME      SIZE", "a-very-…     5"]);
  });

  it("is never wider than the screen, whatever is in it", () => {
    const row = fc.record({
      name: fc.string({ unit: "grapheme" }),
      size: fc.nat(),
      note: fc.string({ unit: "binary" }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), fc.integer({ min: 20, max: 60 }), (rows, room) => {
        for (const line of table(rows, room)) expect(widthOf(line)).toBeLessThanOrEqual(room);
      }),
    );
  });

  it("aligns letters that are two columns wide", () => {
    const [, first, second] = table([
      { name: "你好", size: 1, note: "x" },
      { name: "abcd", size: 1, note: "x" },
    ]);
    expect(widthOf(first ?? "")).toBe(widthOf(second ?? ""));
  });
});

describe("text of other people", () => {
  it("gives no orders to the terminal", () => {
    expect(plain("a\u001b[31mred\u001b]0;title\u0007\u202eb\nc")).toBe("a?[31mred?]0;title??b c");
  });

  it("gives none in a line either, which keeps the colours that it is painted with", () => {
    const written: string[] = [];
    const stream = { isTTY: true, columns: 80, write: (text: string) => written.push(text) > 0 };
    const screen = screenOf(stream, {});
    screen.line(`${screen.paint("red", "a\u001b[2Jb")}\u0007\nnext`);
    expect(written).toEqual(["\u001b[31ma?[2Jb\u001b[39m?\nnext\n"]);
  });

  it("means the same as JSON, whatever letters are in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const json = plainJson(JSON.stringify({ text }, null, 2));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
      }),
    );
  });

  it("is cut at whole letters", () => {
    expect(cut("你好世界", 5)).toBe("你好…");
    expect(cut("short", 5)).toBe("short");
  });
});

describe("amounts and times", () => {
  it("are shown as people write them", () => {
    expect([money(75), money(69_846_400), cost("0.000000"), cost("0.360000"), cost("1037.500000")]).toEqual([
      "$0.75",
      "$698,464.00",
      "$0.00",
      "$0.0036",
      "$10.38",
    ]);
    expect([duration(0), duration(59), duration(3600), duration(90_061)]).toEqual(["0 s", "59 s", "1 h", "1 d 1 h"]);
    const now = Date.parse("2026-03-01T12:00:00Z");
    expect(ago("2026-03-01T11:59:30Z", now)).toBe("30 seconds ago");
    expect(ago("2026-03-01T14:00:00Z", now)).toBe("in 2 hours");
    expect([age("2026-02-20T11:00:00Z", now), age("2026-03-01T12:00:00Z", now)]).toEqual(["9 days", "just now"]);
  });

  it("are not rounded to a price that nobody pays", () => {
    expect([67.5, 75, 100, 0.005, 123_456.75].map(perHour)).toEqual([
      "$0.675/h",
      "$0.75/h",
      "$1.00/h",
      "$0.00005/h",
      "$1,234.5675/h",
    ]);
  });

  it("have separators, also in tables", () => {
    expect([0, 999, 19_500, 1_234_567].map(count)).toEqual(["0", "999", "19,500", "1,234,567"]);
    expect(table([{ name: "disk", size: 19_500, note: null }])[1]).toBe("disk  19,500  -");
  });

  it.each([
    ["90m", 5400],
    ["8h", 28_800],
    ["1h30m", 5400],
    ["2d", 172_800],
    ["45s", 45],
    ["10min", 600],
  ])("%s are %i seconds", (text, seconds) => {
    expect(secondsIn(text)).toBe(seconds);
  });

  it.each(["", "8", "h", "8 hours", "-1h", "1h x", "0h"])("%j is not a time span", (text) => {
    expect(() => secondsIn(text)).toThrow("is not a time span");
  });

  it.each([
    ["2.5", 250],
    ["2.50", 250],
    ["$20", 2000],
    ["0.05", 5],
  ])("%s is %i cents", (text, cents) => {
    expect(centsIn(text)).toBe(cents);
  });

  it.each(["", "2,50", "-1", "1.234", "1e3", "none"])("%j is not an amount of money", (text) => {
    expect(() => centsIn(text)).toThrow("is not an amount of money");
  });
});
