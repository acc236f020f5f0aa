// What `lessor fs list` says a file system is attached to.

import { expect, it } from "vitest";
import { attachedText } from "./fs.ts";

const names = new Map([
  ["1", "training"],
  ["2", "loader"],
  ["3", "notebook"],
  ["4", "spare"],
]);

it.each<[string, string[], string | undefined]>([
  ["nothing", [], undefined],
  ["the name of one instance", ["1"], "training"],
  ["the names of two", ["1", "2"], "training, loader"],
  ["two names and how many more there are", ["1", "2", "3", "4"], "training, loader and 2 more"],
  ["the id of one that is not listed", ["9"], "9"],
])("shows %s", (_, ids, shown) => {
  expect(attachedText(ids, names)).toBe(shown);
});
