// Lines of usage put together.

import { describe, expect, it } from "vitest";
import { groupBy, shareOf, tokenNames } from "./group.ts";

const line = (instance_type: string, region: string, seconds: number, cost_micro_cents: string) => ({
  token_id: null,
  instance_type,
  region,
  seconds,
  cost_micro_cents,
  reservation_id: null,
  no_cost_reason: null,
});

describe("lines of usage", () => {
  const lines = [line("a", "x", 10, "1"), line("b", "x", 20, "9007199254740993"), line("a", "y", 30, "2")];

  it("are grouped by instance type, most expensive first, to the last micro-cent", () => {
    expect(groupBy(lines, "instance_type")).toEqual([
      { key: "b", name: "b", seconds: 20, instances: 1, reservations: 0, microCents: 9_007_199_254_740_993n },
      { key: "a", name: "a", seconds: 40, instances: 2, reservations: 0, microCents: 3n },
    ]);
  });

  it("are put together by region", () => {
    expect(groupBy(lines, "region").map(({ name, instances }) => [name, instances])).toEqual([
      ["x", 2],
      ["y", 1],
    ]);
  });

  it("are put together by token: by its name, where two have one apart, and where it is not known", () => {
    const by = (token_id: string | null, cost: string) => ({ ...line("a", "x", 1, cost), token_id });
    const tokens = [
      { id: "1", name: "laptop" },
      { id: "2", name: "laptop" },
    ];
    const of = [by("1", "4"), by(null, "3"), by("2", "2"), by("gone", "1"), by("1", "5")];
    expect(
      groupBy(of, "token_id", tokenNames(tokens)).map(({ key, name, instances }) => [key, name, instances]),
    ).toEqual([
      ["1", "laptop", 2],
      ["", "Not known", 1],
      ["2", "laptop", 1],
      ["gone", "gone", 1],
    ]);
  });

  it("of reservations are counted apart, and the time that they pay for once", () => {
    const reserved = { ...line("a", "x", 100, "9"), reservation_id: "7" };
    const inIt = { ...line("a", "x", 60, "0"), no_cost_reason: "reservation" as const };
    expect(groupBy([reserved, inIt, line("a", "x", 5, "1")], "region")).toMatchObject([
      { instances: 2, reservations: 1, seconds: 105 },
    ]);
  });

  it("that cost the same are in the order of their names", () => {
    expect(groupBy([line("b", "x", 1, "5"), line("a", "x", 1, "5")], "instance_type").map(({ name }) => name)).toEqual([
      "a",
      "b",
    ]);
  });

  it("may be none", () => {
    expect(groupBy([], "region")).toEqual([]);
  });
});

it("a share is of the whole, and of nothing it is nothing", () => {
  expect(shareOf(1n, 3n)).toBe(33.3);
  expect(shareOf(3n, 3n)).toBe(100);
  expect(shareOf(0n, 0n)).toBe(0);
});
