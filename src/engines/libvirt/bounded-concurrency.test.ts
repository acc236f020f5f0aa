import { describe, expect, it } from "vitest";
import { sideBySide } from "./bounded-concurrency.ts";

async function all<Told>(telling: AsyncIterable<Told>): Promise<Told[]> {
  const told: Told[] = [];
  for await (const one of telling) told.push(one);
  return told;
}

describe("work for many hosts", () => {
  it("is told in the order of the hosts, whichever is done first", async () => {
    const gates = new Map(["a", "b", "c"].map((name) => [name, Promise.withResolvers<void>()]));
    const telling = all(
      sideBySide([...gates.keys()], async function* (name) {
        yield `${name}1`;
        await gates.get(name)?.promise;
        yield `${name}2`;
      }),
    );
    for (const name of ["c", "b", "a"]) gates.get(name)?.resolve();
    expect(await telling).toEqual(["a1", "a2", "b1", "b2", "c1", "c2"]);
  });

  it("goes on at some hosts at once, not at all", async () => {
    let [now, most] = [0, 0];
    await all(
      sideBySide(
        Array.from({ length: 50 }, (_, index) => index),
        async function* (index) {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setImmediate(resolve));
          now--;
          yield index;
        },
      ),
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(50);
  });

  it("that fails at one ends only when what was begun at the others has ended", async () => {
    const slow = Promise.withResolvers<void>();
    let ended = false;
    const telling = all(
      sideBySide(["bad", "slow"], async function* (name) {
        if (name === "bad") throw new Error("no");
        await slow.promise;
        ended = true;
        yield name;
      }),
    );
    setImmediate(() => slow.resolve());
    await expect(telling).rejects.toThrow("no");
    expect(ended).toBe(true);
  });
});
