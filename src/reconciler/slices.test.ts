import { expect, it } from "vitest";
import { slicesOf } from "./slices.ts";

const slices = async (count: number, length: number) => {
  const all: number[][] = [];
  const list = Array.from({ length: count }, (_, n) => n);
  for await (const some of slicesOf(list, length)) all.push([...some]);
  return { all, list };
};

it.each([
  [0, 3],
  [1, 3],
  [3, 3],
  [7, 3],
])("%i in slices of %i are all there, in order, and none is longer", async (count, length) => {
  const { all, list } = await slices(count, length);
  expect(all.flat()).toEqual(list);
  expect(all).toHaveLength(Math.ceil(count / length));
  expect(all.every((one) => one.length <= length)).toBe(true);
});

it("others have their turn between two slices", async () => {
  const turns: string[] = [];
  setImmediate(() => turns.push("other"));
  for await (const [first] of slicesOf([1, 2], 1)) turns.push(String(first));
  expect(turns).toEqual(["1", "other", "2"]);
});
