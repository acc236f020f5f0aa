// Tags as somebody types and filters by them.

import { describe, expect, it } from "vitest";
import { allTags, checkTags, hasProblems, hasTags, linesOf, tagsOf, tagText } from "./tag-lines.ts";

const lines = (...tags: [string, string][]) => tags.map(([key, value], id) => ({ id: id + 10, key, value }));

describe("tags that are typed", () => {
  it("are told as wrong at their own line, also after a line in which nothing was typed", () => {
    const problems = checkTags(lines(["", ""], ["a=b", ""], ["team", "vision"], ["team", "x\u0000"]));
    expect([...problems.keys.keys()]).toEqual([11, 13]);
    expect([...problems.values.keys()]).toEqual([13]);
    expect(hasProblems(problems)).toBe(true);
    expect(hasProblems(checkTags(lines(["team", "vision"], ["", ""])))).toBe(false);
  });

  it("are at most fifty", () => {
    const many = lines(...Array.from({ length: 51 }, (_, at): [string, string] => [`key-${at}`, ""]));
    expect(checkTags(many).whole).toBe("Give at most 50 tags.");
  });

  it("are trimmed, and lines without anything left out", () => {
    expect(tagsOf(lines([" team ", " vision "], ["", " "]))).toEqual([{ key: "team", value: "vision" }]);
    expect(tagsOf(linesOf([{ key: "a", value: "" }]))).toEqual([{ key: "a", value: "" }]);
  });
});

describe("tags that are filtered by", () => {
  const vision = {
    tags: [
      { key: "team", value: "vision" },
      { key: "spot", value: "" },
    ],
  };
  const none = { tags: [] };

  it("are written so that no two are alike", () => {
    expect(vision.tags.map(tagText)).toEqual(["team=vision", "spot"]);
    expect(allTags([vision, none, vision])).toEqual(["spot", "team=vision"]);
  });

  it("all have to be there", () => {
    expect(hasTags(vision, [])).toBe(true);
    expect(hasTags(vision, ["team=vision", "spot"])).toBe(true);
    expect(hasTags(vision, ["team=vision", "team"])).toBe(false);
    expect(hasTags(none, ["spot"])).toBe(false);
  });
});
