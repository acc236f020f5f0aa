// That every instance can be opened and terminated on a page, whatever it is called.

import { expect, it } from "vitest";
import { isTyped, nameShown, wordFor } from "./readable-name.ts";

const id = "01a207b9-307e-7637-bf1d-959d12352baf";

it.each([
  ["training", "training"],
  [" two  words ", "two words"],
  ["turned\u202earound", "turnedaround"],
  ["e\u0301t\u00e9", "\u00e9t\u00e9"],
])("the name %j is confirmed by what is seen of it, and by itself", (name, seen) => {
  const word = wordFor(name, "terminate");
  expect(word).toBe(seen);
  expect([isTyped(seen, word), isTyped(name, word), isTyped("", word), isTyped("other", word)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(nameShown({ name, id })).toBe(name);
});

it.each(["   ", "\u200b", "\u3164", "\u2800"])("the name %j, which shows nothing, is stood in for", (name) => {
  const word = wordFor(name, "terminate");
  expect([word, isTyped("", word), isTyped("terminate", word)]).toEqual(["terminate", false, true]);
  expect(nameShown({ name, id })).toBe("01a207b9");
});
