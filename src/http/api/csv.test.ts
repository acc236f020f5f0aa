import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { type CsvTable, csvText } from "./csv.ts";

const table: CsvTable<readonly object[]> = { columns: ["name", "n"], rows: (rows) => rows };
const text = (...names: unknown[]) =>
  csvText(
    table,
    names.map((name) => ({ name, n: 1, hidden: "x" })),
  );

/** Reads RFC 4180, as strictly as it is written. */
function read(csv: string): string[][] {
  const rows: string[][] = [[]];
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let read = 0;
  for (const [whole, quoted, plain = "", end] of csv.matchAll(cells)) {
    read += whole.length;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "\r\n") rows.push([]);
  }
  expect(read, "every character is part of a cell").toBe(csv.length);
  return rows.slice(0, -1);
}

/** Texts of what formulas are made of. */
const nasty = fc.string({ unit: fc.constantFrom(...'=+-@＝＠;,\t\r\n "\u200b\ufeffa1') });
const formula = /^[\s"\u200b]*[=+\-@＝＠]/;

describe("CSV", () => {
  it("has a header, the declared columns, and CRLF after every row", () => {
    expect(text("one", "two")).toBe("name,n\r\none,1\r\ntwo,1\r\n");
  });

  it("has its header where there are no rows", () => {
    expect(text()).toBe("name,n\r\n");
  });

  it("is empty where there is no value", () => {
    expect(text(null, undefined)).toBe("name,n\r\n,1\r\n,1\r\n");
  });

  it("quotes commas, quotes and line breaks", () => {
    expect(text('a,b "c"\nd')).toBe('name,n\r\n"a,b ""c""\nd",1\r\n');
  });

  it("has amounts below zero as they are", () => {
    expect(text("-1037500", "-1.037500")).toBe("name,n\r\n-1037500,1\r\n-1.037500,1\r\n");
  });

  it.each(["=1+1", "+1", "-1+1", "@SUM(A1)", "＝1+1", "＋1", "－1", "＠SUM(A1)", "﹦1", " =1", "\u00a0=1", '"=1'])(
    "runs no formula: %j",
    (name) => {
      expect(read(text(name))[1]).toEqual([`'${name}`, "1"]);
    },
  );

  it.each(["\u200b=1", "\ufeff=1", "\u00ad=1", "\u2060\u200d =1", "\ufe0f=1", "\u3164=1", "\0=1"])(
    "runs no formula behind what nobody sees: %j",
    (name) => {
      expect(read(text(name))[1]).toEqual([`'${name}`, "1"]);
    },
  );

  it.each([
    ['a;=HYPERLINK("http://x")', `a;'=HYPERLINK("http://x")`],
    ["a\t=1", "a\t'=1"],
    ["a,=1", "a,'=1"],
    ["a\n=1", "a\n'=1"],
    ["a;\u200b ＝1;-1", "a;'\u200b ＝1;'-1"],
    ['a;"=1"', `a;'"=1"`],
    ["\t=1", "'\t'=1"],
    ["\r=1", "'\r'=1"],
    ["\nplain", "'\nplain"],
  ])("runs no formula where %j is split into cells", (name, shown) => {
    expect(read(text(name))[1]).toEqual([shown, "1"]);
  });

  it("leaves numbers alone, and what only has such signs within", () => {
    const rows = [{ n: -1 }, { n: "a=b" }, { n: "a; b-c" }];
    expect(csvText({ columns: ["n"], rows: () => rows }, [])).toBe('n\r\n-1\r\na=b\r\n"a; b-c"\r\n');
  });

  it("gives every text back to who reads it, with nothing but apostrophes more", () => {
    const plain = (rows: string[][]) => rows.map((row) => row.map((value) => value.replaceAll("'", "")));
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), nasty)), (names) => {
        expect(plain(read(text(...names)).slice(1))).toEqual(plain(names.map((name) => [name, "1"])));
      }),
    );
  });

  it("runs no formula wherever lines are split, at whatever separator, with or without regard to quotes", () => {
    fc.assert(
      fc.property(
        fc.array(nasty),
        fc.constantFrom(/[,\r\n]/, /[;\r\n]/, /[\t\r\n]/, /[,;\t\r\n]/),
        (names, separator) => {
          for (const part of text(...names).split(separator)) expect(part).not.toMatch(formula);
          for (const value of read(text(...names)).flat()) {
            for (const part of value.split(separator)) expect(part).not.toMatch(formula);
          }
        },
      ),
    );
  });

  it("refuses what is no value", () => {
    expect(() => text({})).toThrow("BUG");
  });
});
