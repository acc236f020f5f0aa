// What a long list becomes when an event changes one of its entries.

import { describe, expect, it } from "vitest";
import { withChanged } from "./long-lists.ts";

const entry = (id: string, name = id) => ({ id, name });
const keyOf = ({ id }: { readonly id: string }) => id;
const list = [entry("a"), entry("b"), entry("c")];

describe("a long list", () => {
  it("has what changed in its place, and all else as the same objects", () => {
    const changed = withChanged(list, [entry("b", "other")], new Set(), keyOf);
    expect(changed).toEqual([entry("a"), entry("b", "other"), entry("c")]);
    expect(changed[0]).toBe(list[0]);
  });

  it("has what is new at its end", () => {
    expect(withChanged(list, [entry("d")], new Set(), keyOf).map(keyOf)).toEqual(["a", "b", "c", "d"]);
  });

  it("loses what is gone", () => {
    expect(withChanged(list, [], new Set(["a", "x"]), keyOf).map(keyOf)).toEqual(["b", "c"]);
  });
});
