// That no row of the specification or the decisions is without a test. `claim` makes a test of every row of a table, so
// what is left to look at is that each table is claimed, once, and that nothing of it is switched off.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TableName, tables } from "./rows.ts";

const here = import.meta.dirname;
const files = readdirSync(here, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));
const texts = new Map(files.map((file) => [file, readFileSync(join(here, file), "utf8")]));
/** Only at the start of a line: a claim inside a function or a condition might never be made. */
const claimed = [...texts.values()].flatMap((text) =>
  [...text.matchAll(/^claim\(\s*"([^"]+)"/gm)].map(([, name]) => name),
);

/** How many rows the tables of the specification's text have; it is not part of this repository. */
const counted: Partial<Record<TableName, number>> = {
  "spec/instance-type": 10,
  "spec/instance-m": 10,
  "spec/instance-r": 9,
  "spec/instance-d": 12,
  "spec/ssh-key": 3,
  "spec/coupon": 3,
  "spec/transitions": 3,
  "spec/endpoints-m": 10,
  "spec/launch-m": 8,
  "spec/endpoints-d": 9,
  "spec/launch-d": 7,
  "spec/endpoints-r": 9,
  "spec/errors-r": 9,
  "spec/limits": 7,
};
const tablesInSpecification = 14;

describe("the rows", () => {
  it("are all claimed, each table by exactly one test file", () => {
    expect(claimed.toSorted()).toEqual(Object.keys(tables).toSorted());
  });

  it("are as many as the specification's tables have", () => {
    expect(Object.keys(counted)).toHaveLength(tablesInSpecification);
    for (const [name, count] of Object.entries(counted)) {
      expect(Object.keys(tables[name as TableName]), name).toHaveLength(count);
    }
  });

  it("are not switched off", () => {
    const off = [...texts].filter(([, text]) =>
      /\b(it|test|describe|claim)\.(skip|only|todo|skipIf|runIf|fails)\b/.test(text),
    );
    expect(off.map(([file]) => file).filter((file) => file !== "rows.test.ts")).toEqual([]);
  });
});
