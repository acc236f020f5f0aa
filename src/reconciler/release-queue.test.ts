// Jobs that are laid down together: each as one that is laid down alone.

import { beforeEach, expect, it } from "vitest";
import { worldOfFile } from "../../test/support/world.ts";
import { claim, type Job } from "./lease-store.ts";
import { LeaseReleaseQueue } from "./release-queue.ts";
import { withDefaults } from "./settings.ts";

const world = worldOfFile();
const settings = withDefaults({ concurrency: 64, leaseSeconds: 30, bootDeadlineSeconds: 600 });
let jobs: Job[];
let queue: LeaseReleaseQueue;

beforeEach(async () => {
  await world.host({ gpus: 8, vcpus: 500, memoryGib: 9000, storageGb: 90_000 });
  await world.image();
  const { name } = await world.product();
  await world.launch(await world.account(), { instanceType: name, quantity: 8 });
  jobs = await claim(world.db, ["simulated"], 64, settings);
  queue = new LeaseReleaseQueue(world.db, settings);
});

const rows = () => world.db.selectFrom("instances").selectAll().orderBy("id").execute();
const progressEvents = () =>
  world.db.selectFrom("events").select(["subject_id", "data"]).where("type", "=", "instance.progress").execute();

it("each is due as its own release says, and its lease is given up", async () => {
  const ways = ["wait", "retry", "now", "settled"] as const;
  const released = await Promise.all(
    jobs.map((job, n) => {
      const as = ways[n % 4] ?? "now";
      return queue.release(job, as === "wait" || as === "retry" ? { as, progress: null } : { as });
    }),
  );
  for (const [n, ms] of released.entries()) {
    const as = ways[n % 4];
    if (as === "settled") expect(ms).toBe(Number.POSITIVE_INFINITY);
    else if (as === "now") expect(ms).toBeLessThanOrEqual(0);
    else expect(ms).toBeGreaterThan(100);
  }
  const after = await rows();
  expect(after.every((row) => row.lease_owner === null)).toBe(true);
  expect(new Set(after.map((row) => row.next_look_at === null))).toEqual(new Set([true, false]));
});

it("new progress is told in one event each, and old progress in none", async () => {
  const progress = (n: number) => (n % 2 === 0 ? `step ${n}` : "being created");
  await Promise.all(jobs.map((job, n) => queue.release(job, { as: "wait", progress: progress(n) })));
  const told = await progressEvents();
  const news = jobs.filter((_, n) => n % 2 === 0).map(({ id }) => id);
  expect(told.map((event) => event.subject_id).sort()).toEqual(news.sort());
  for (const { subject_id, data } of told) {
    const n = jobs.findIndex(({ id }) => id === subject_id);
    expect(data).toMatchObject({ progress: `step ${n}` });
  }
});

it("one whose lease was lost changes nothing, and the others are laid down", async () => {
  const [lost, ...kept] = jobs;
  if (lost === undefined) throw new Error("BUG: there are eight");
  await world.db.updateTable("instances").set({ lease_owner: crypto.randomUUID() }).where("id", "=", lost.id).execute();
  const all = await Promise.all(jobs.map((job) => queue.release(job, { as: "wait", progress: "told" })));
  expect(all[0]).toBe(Number.POSITIVE_INFINITY);
  expect(all.slice(1).every((ms) => ms < 60_000)).toBe(true);
  const held = (await rows()).filter((row) => row.lease_owner !== null).map(({ id }) => id);
  expect(held).toEqual([lost.id]);
  expect((await progressEvents()).length).toBe(kept.length);
});
