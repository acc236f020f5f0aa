// What is done together: each job is settled once and by itself, whatever becomes of the others.

import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seeded } from "../../test/support/random.ts";
import { firstOfEach, GroupCommit, type GroupParts, type Outcome } from "./group-commit.ts";

interface Stand {
  readonly group: GroupCommit<number, string>;
  /** Each batch as it began. */
  readonly batches: (readonly number[])[];
  /** Ends the oldest batch under way. */
  end(): Promise<void>;
  readonly alone: number[];
}

const done = (job: number): Outcome<string> => ({ result: `done ${job}` });

function stand(
  outcome: (job: number) => Outcome<string> = done,
  parts: Partial<GroupParts<number, string>> = {},
  fail: (jobs: readonly number[]) => void = () => {},
): Stand {
  const batches: (readonly number[])[] = [];
  const alone: number[] = [];
  const open: (() => void)[] = [];
  const group = new GroupCommit<number, string>({
    mostAlone: 1,
    choose: (waiting) => new Set(waiting),
    together: async (jobs) => {
      batches.push(jobs);
      await new Promise<void>((resolve) => open.push(resolve));
      fail(jobs);
      return jobs.map(outcome);
    },
    alone: async (job) => {
      alone.push(job);
      if (job < 0) throw new Error(`no ${job}`);
      return `alone ${job}`;
    },
    ...parts,
  });
  const end = async () => {
    await turn();
    open.shift()?.();
    await turn();
    await turn();
  };
  return { group, batches, end, alone };
}

describe("jobs", () => {
  it("that arrive together are one batch, and each has its own result", async () => {
    const { group, batches, end } = stand();
    const all = Promise.all([1, 2, 3].map((job) => group.do(job)));
    await end();
    expect(await all).toEqual(["done 1", "done 2", "done 3"]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("that arrive while a batch is under way are the next one", async () => {
    const { group, batches, end } = stand();
    const first = group.do(1);
    await turn();
    const later = Promise.all([group.do(2), group.do(3)]);
    await turn();
    expect(batches).toEqual([[1]]);
    await end();
    expect(await first).toBe("done 1");
    await end();
    expect(await later).toEqual(["done 2", "done 3"]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("that were answered together and ask again soon come with those that waited meanwhile", async () => {
    const { group, batches, end } = stand();
    const first = Promise.all([1, 2].map((job) => group.do(job)));
    await turn();
    const waiting = group.do(3);
    // As long as a batch may take: a tenth of it is waited for those who were just answered.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await end();
    await first;
    await turn();
    const again = Promise.all([4, 5].map((job) => group.do(job)));
    await expect
      .poll(() => batches)
      .toEqual([
        [1, 2],
        [3, 4, 5],
      ]);
    await end();
    expect([await waiting, ...(await again)]).toEqual(["done 3", "done 4", "done 5"]);
  });

  it("that are not chosen come with a later batch, before those that arrive after them", async () => {
    const choose = (waiting: readonly number[]) => new Set(waiting.slice(0, 2));
    const { group, batches, end } = stand(done, { choose });
    const all = Promise.all([1, 2, 3].map((job) => group.do(job)));
    await turn();
    const last = group.do(4);
    for (let n = 0; n < 2; n++) await end();
    await Promise.all([all, last]);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe("a job", () => {
  it("that is refused is refused alone", async () => {
    const refused = new Error("refused");
    const { group, end, alone } = stand((job) => (job === 2 ? { error: refused } : done(job)));
    const all = Promise.allSettled([1, 2, 3].map((job) => group.do(job)));
    await end();
    expect(await all).toEqual([
      { status: "fulfilled", value: "done 1" },
      { status: "rejected", reason: refused },
      { status: "fulfilled", value: "done 3" },
    ]);
    expect(alone).toEqual([]);
  });

  it("that has to be tried alone is, with what comes of that", async () => {
    const { group, end, alone } = stand((job) => (job % 2 === 0 ? "alone" : done(job)));
    const all = Promise.allSettled([1, 2, -4].map((job) => group.do(job)));
    await end();
    expect(await all).toMatchObject([{ value: "done 1" }, { value: "alone 2" }, { reason: { message: "no -4" } }]);
    expect(alone).toEqual([2, -4]);
  });

  it("whose batch fails for a reason of one of them is tried alone, as all others are", async () => {
    const { group, end, alone } = stand(done, {}, () => {
      throw new Error("violates a constraint");
    });
    const all = Promise.allSettled([1, -2, 3].map((job) => group.do(job)));
    await end();
    expect(await all).toMatchObject([{ value: "alone 1" }, { reason: { message: "no -2" } }, { value: "alone 3" }]);
    expect(alone).toEqual([1, -2, 3]);
  });

  it("that was the only one of a batch that fails is told why, and not tried again", async () => {
    const wrong = new Error("BUG: something impossible");
    const { group, end, alone } = stand(done, {}, () => {
      throw wrong;
    });
    const one = group.do(1).catch((error: unknown) => error);
    await end();
    expect(await one).toBe(wrong);
    expect(alone).toEqual([]);
  });

  it.each(["57014", "55P03"])(
    "whose batch the database gave up (%s) is tried alone: nothing was done",
    async (code) => {
      const { group, end, alone } = stand(done, {}, () => {
        throw Object.assign(new Error("canceling statement"), { code });
      });
      const all = Promise.all([1, 2].map((job) => group.do(job)));
      await end();
      expect(await all).toEqual(["alone 1", "alone 2"]);
      expect(alone).toEqual([1, 2]);
    },
  );

  it("that has to be tried alone waits until so few are alone as may be", async () => {
    let [under, most] = [0, 0];
    const alone = async (job: number) => {
      most = Math.max(most, ++under);
      await turn();
      under--;
      return `alone ${job}`;
    };
    const { group, end } = stand(() => "alone", { alone, mostAlone: 2 });
    const jobs = [1, 2, 3, 4, 5];
    const all = Promise.all(jobs.map((job) => group.do(job)));
    await end();
    expect(await all).toEqual(jobs.map((job) => `alone ${job}`));
    expect(most).toBe(2);
  });

  it("that has to come later comes again, and keeps nobody waiting", async () => {
    let tries = 0;
    const together = async (jobs: readonly number[]) =>
      jobs.map((job): Outcome<string> => (job === 2 && tries++ < 3 ? "later" : done(job)));
    const { group } = stand(done, { together });
    const [later, other] = [group.do(2), group.do(1)];
    expect(await other).toBe("done 1");
    expect(await group.do(3)).toBe("done 3");
    expect(await later).toBe("done 2");
    expect(tries).toBe(4);
  });

  it("that would come later for ever is told so when patience ends", async () => {
    const patience = { ms: 100, error: () => new Error("it is locked") };
    const { group } = stand(done, { together: async (jobs) => jobs.map(() => "later"), patience });
    await expect(group.do(1)).rejects.toThrow("it is locked");
  });

  it("is not tried again where the connection was lost, for it may have been done", async () => {
    const lost = new Error("Connection terminated unexpectedly");
    const { group, end, alone } = stand(done, {}, () => {
      throw lost;
    });
    const all = Promise.allSettled([1, 2].map((job) => group.do(job)));
    await end();
    expect(await all).toEqual([1, 2].map(() => ({ status: "rejected", reason: lost })));
    expect(alone).toEqual([]);
  });
});

it("the first of each key are chosen in order of arrival, so many at most", () => {
  const chosen = (most: number) => [...firstOfEach(["a1", "b1", "a2", "c1", "d1"], (job) => job.charAt(0), most)];
  expect(chosen(9)).toEqual(["a1", "b1", "c1", "d1"]);
  expect(chosen(2)).toEqual(["a1", "b1"]);
});

it("whatever comes when, each job is settled once, in a batch of its own time", async () => {
  const random = seeded();
  const seen = new Map<number, number>();
  const group = new GroupCommit<number, string>({
    mostAlone: 1,
    choose: (waiting) => new Set(waiting.slice(0, 5)),
    together: async (jobs) => {
      for (const job of jobs) seen.set(job, (seen.get(job) ?? 0) + 1);
      for (let n = random.below(3); n > 0; n--) await turn();
      return jobs.map(done);
    },
    alone: () => Promise.reject(new Error("nobody is alone")),
  });
  const all: Promise<string>[] = [];
  for (let job = 0; job < 300; job++) {
    all.push(group.do(job));
    if (random.below(4) === 0) await turn();
  }
  expect(await Promise.all(all)).toEqual(Array.from({ length: 300 }, (_, job) => `done ${job}`));
  expect(
    [...seen.values()].every((times) => times === 1),
    `seed ${random.seed}`,
  ).toBe(true);
});
