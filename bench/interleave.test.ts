import { expect, it } from "vitest";
import { interleave } from "./interleave.ts";

it("sides take turns, and what warms up does not count", async () => {
  const order: string[] = [];
  let count = 0;
  const side = (name: string) => async (counts: boolean) => {
    order.push(counts ? name : `(${name})`);
    return count++;
  };
  expect(await interleave({ a: side("a"), b: side("b") }, 2)).toEqual({ a: [2, 4], b: [3, 5] });
  expect(order).toEqual(["(a)", "(b)", "a", "b", "a", "b"]);
});
