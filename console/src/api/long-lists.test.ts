// What a long list becomes when an event changes one of its entries.

import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { notBegunAgain, patchable, withChanged } from "./long-lists.ts";

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

describe("a read that an event is about", () => {
  const all = { data: Array.from({ length: 500 }, (_, id) => entry(`${id}`)), isComplete: true };

  /** A list that is shown and being read, for the first time unless `there`. */
  function reading(there?: unknown) {
    const queries = new QueryClient();
    const queryKey = ["instances", "own"];
    if (there !== undefined) queries.setQueryData(queryKey, there);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const observer = new QueryObserver(queries, { queryKey, queryFn: () => promise, staleTime: 0 });
    return { queries, resolve, end: observer.subscribe(() => {}) };
  }

  it("is not begun again where it is a long list: a few changes are put into it, many wait for its end", () => {
    const { queries, end } = reading(all);
    expect(patchable(queries, new Set(["1"]))).toHaveLength(1);
    expect(patchable(queries, new Set(all.data.slice(0, 11).map(keyOf)))).toEqual([]);
    expect(notBegunAgain(queries)).toHaveLength(1);
    end();
  });

  it("is not begun again where it is the first", () => {
    const { queries, end } = reading();
    expect([patchable(queries, new Set(["1"])).length, notBegunAgain(queries).length]).toEqual([0, 1]);
    end();
  });

  it("is begun again where it is a short list, or no read is in progress", async () => {
    const short = reading({ data: list, isComplete: true });
    expect([patchable(short.queries, new Set(["a"])), notBegunAgain(short.queries)]).toEqual([[], []]);
    short.end();
    const read = reading(all);
    read.resolve(all);
    await expect.poll(() => read.queries.isFetching()).toBe(0);
    expect(notBegunAgain(read.queries)).toEqual([]);
    read.end();
  });
});
