// Tags as they are typed.

import { expect, it } from "vitest";
import { changedTags, hasTag, tagFrom, tagText } from "./tags.ts";

it("are a key and a value, at the first equals sign", () => {
  expect(tagFrom("team=vision=2")).toEqual({ key: "team", value: "vision=2" });
  expect(tagFrom("spot")).toEqual({ key: "spot", value: "" });
  expect(() => tagFrom("=vision")).toThrow('"=vision" is not a tag.');
  expect(
    [
      { key: "team", value: "vision" },
      { key: "spot", value: "" },
    ].map(tagText),
  ).toEqual(["team=vision", "spot"]);
});

it("are found by key, or by key and value", () => {
  const one = { tags: [{ key: "team", value: "vision" }] };
  expect(["team", "team=vision", "team=", "vision"].map((word) => hasTag(one, word))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it("keep their places when they are changed, and a key that is not there is an error", () => {
  const before = [
    { key: "team", value: "vision" },
    { key: "spot", value: "" },
  ];
  expect(changedTags(before, [{ key: "team", value: "text" }], ["spot"])).toEqual([{ key: "team", value: "text" }]);
  expect(() => changedTags(before, [], ["budget"])).toThrow('There is no tag "budget".');
});
