import { describe, expect, it } from "vitest";
import { Tasks } from "./tasks.ts";

function begin() {
  const ended: string[] = [];
  return { ended, tasks: new Tasks((id) => ended.push(id)) };
}

describe("a task", () => {
  it("goes on by itself, and its end is told", async () => {
    const { ended, tasks } = begin();
    const { promise, resolve } = Promise.withResolvers<void>();
    tasks.begin("m1", () => promise);
    expect([tasks.has("m1"), ended]).toEqual([true, []]);
    resolve();
    await expect.poll(() => ended).toEqual(["m1"]);
    expect(tasks.has("m1")).toBe(false);
  });

  it("is the only one of its machine while it lasts", async () => {
    const { ended, tasks } = begin();
    const begun: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = (name: string) => () => {
      begun.push(name);
      return promise;
    };
    tasks.begin("m1", work("first"));
    tasks.begin("m1", work("second"));
    tasks.begin("m2", work("other"));
    expect(begun).toEqual(["first", "other"]);
    resolve();
    await expect.poll(() => ended.length).toBe(2);
    tasks.begin("m1", work("third"));
    expect(begun).toEqual(["first", "other", "third"]);
  });

  it("that fails is over like any other", async () => {
    const { ended, tasks } = begin();
    tasks.begin("m1", () => Promise.reject(new Error("in vain")));
    await expect.poll(() => ended).toEqual(["m1"]);
  });

  it("is given up when all is closed, which waits for it and tells nobody", async () => {
    const { ended, tasks } = begin();
    let isOver = false;
    tasks.begin("m1", async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      isOver = true;
    });
    await tasks.close();
    expect([isOver, ended]).toEqual([true, []]);
    tasks.begin("m1", () => Promise.reject(new Error("BUG: begun after the end")));
    expect(tasks.has("m1")).toBe(false);
  });
});
