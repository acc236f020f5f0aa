import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { problemsOfTags, tagBounds } from "../../rules/tag-rules.ts";
import { RentalError } from "../errors.ts";
import { parseTagFilter } from "./tags.ts";

const problems = (...tags: [string, string][]) =>
  Object.fromEntries(problemsOfTags(tags.map(([key, value]) => ({ key, value }))));

describe("tags", () => {
  it.each([
    ["team", "vision"],
    ["switchboard:run-id", "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d"],
    ["Team_Name", ""],
    ["日本", "a=b,c\\"],
    ["k".repeat(tagBounds.key), "😀".repeat(tagBounds.value)],
  ])("may be %j with %j", (key, value) => {
    expect(problems([key, value])).toEqual({});
  });

  it.each([
    ["", "1 to 64 characters"],
    ["k".repeat(65), "1 to 64 characters"],
    ["a=b", "must not contain ="],
    ["a,b", "must not contain ="],
    ["a\\b", "must not contain ="],
    ["a\nb", "control characters"],
    ["\ud800", "valid Unicode"],
  ])("may not have the key %j", (key, message) => {
    expect(problems([key, ""])).toEqual({ "0.key": expect.stringContaining(message) });
  });

  it.each([
    ["v".repeat(257), "at most 256"],
    ["a\0b", "control characters"],
    ["\udc00", "valid Unicode"],
  ])("may not have the value %j", (value, message) => {
    expect(problems(["a", "x"], ["b", value])).toEqual({ "1.value": expect.stringContaining(message) });
  });

  it("have each key once, whatever its values, and are at most fifty", () => {
    expect(problems(["a", "1"], ["b", "1"], ["a", "2"])).toEqual({ "2.key": expect.stringContaining("each once") });
    const many = (count: number) => Array.from({ length: count }, (_, at): [string, string] => [`key-${at}`, ""]);
    expect(problems(...many(50))).toEqual({});
    expect(problems(...many(51))).toEqual({ "": "Give at most 50 tags." });
  });
});

describe("a filter by tags", () => {
  it.each([
    ["team", [{ key: "team" }]],
    ["team=vision", [{ key: "team", value: "vision" }]],
    ["team=", [{ key: "team", value: "" }]],
    ["team=a=b,spot", [{ key: "team", value: "a=b" }, { key: "spot" }]],
    [String.raw`list=a\,b\\,x`, [{ key: "list", value: "a,b\\" }, { key: "x" }]],
  ])("%j is read", (text, wanted) => {
    expect(parseTagFilter(text, "tags")).toEqual(wanted);
  });

  it.each([
    "",
    ",",
    "a,",
    ",a",
    "a,,b",
    "=x",
    "a\\",
    String.raw`a\=b`,
    "a\n",
    "k".repeat(65),
    "a=\0",
    `${"a,".repeat(50)}a`,
  ])("%j is none, and refused by the name of its field", (text) => {
    expect(() => parseTagFilter(text, "labels")).toThrow(RentalError);
    try {
      parseTagFilter(text, "labels");
    } catch (error) {
      expect(error).toMatchObject({ kind: "invalid-parameters", details: { fields: { labels: {} } } });
    }
  });

  it("can ask for every tag that can be had", () => {
    const words = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.record({ key: words, value: words }), { minLength: 1, maxLength: 5 }), (tags) => {
        fc.pre([...problemsOfTags(tags)].length === 0);
        const text = tags.map(({ key, value }) => `${key}=${value.replaceAll(/[\\,]/g, "\\$&")}`).join(",");
        expect(parseTagFilter(text, "tags")).toEqual(tags);
      }),
    );
  });
});
