import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { failure } from "../../../test/support/engine-calls.ts";
import { AtOnce } from "./at-once.ts";

it("runs so much at once, the rest in order, also after failures", async () => {
  const atOnce = new AtOnce(2);
  const begun: number[] = [];
  const ends: PromiseWithResolvers<number>[] = [];
  const begin = (n: number) =>
    atOnce.run(() => {
      begun.push(n);
      const end = Promise.withResolvers<number>();
      ends.push(end);
      return end.promise;
    });
  const [first, second, ...later] = [0, 1, 2, 3].map(begin);
  expect(begun).toEqual([0, 1]);
  ends[1]?.reject(new Error("in vain"));
  expect(await failure(second ?? Promise.resolve())).toMatchObject({ message: "in vain" });
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  for (const n of [0, 2]) ends[n]?.resolve(n);
  await turn();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]?.resolve(3);
  expect(await Promise.all([first, ...later])).toEqual([0, 2, 3]);
  await Promise.all([begin(4), begin(5), ...ends.slice(4).map(({ resolve }) => resolve(0))]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

it("runs the newest of what waits first, if told", async () => {
  const atOnce = new AtOnce(1, "newest first");
  const begun: number[] = [];
  await Promise.all([0, 1, 2, 3].map((n) => atOnce.run(async () => void begun.push(n))));
  expect(begun).toEqual([0, 3, 2, 1]);
});
