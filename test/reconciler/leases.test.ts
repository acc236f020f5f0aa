// Leases: who works on an instance, who may write, and what becomes of it when its worker dies at any point.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { inTransaction } from "../../src/database/transaction.ts";
import { injectFaults } from "../../src/engines/simulated/database.ts";
import { claim, msUntilDue, renew, requeue, wake } from "../../src/reconciler/lease-store.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { recordObservation } from "../../src/rental/instances/record-observation.ts";
import { auditCapacity } from "../support/audit.ts";
import { begin, untilWaiting } from "../support/interleave.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";
import { only } from "../support/world.ts";

const stage = stageOfFile();
const settings = withDefaults({ ...quiet, leaseSeconds: 15 });
const claimAll = (limit = 10) => claim(stage.db, ["simulated"], limit, settings);
const claimOne = async () => only(await claimAll());
const due = async () => (await msUntilDue(stage.db, ["simulated"])) ?? Number.POSITIVE_INFINITY;

async function launched() {
  await stage.host();
  return stage.launchOne();
}

describe("claiming", () => {
  it("gives a due instance to one worker only", async () => {
    await launched();
    const claims = await Promise.all([claimAll(), claimAll(), claimAll()]);
    expect(claims.flat()).toHaveLength(1);
  });

  it("takes those that waited longest, as many as asked for", async () => {
    const first = await launched();
    await travel(stage.db, "1 minute");
    await stage.launchOne();
    expect((await claimAll(1)).map((job) => job.id)).toEqual([first.id]);
  });

  it("leaves alone what no engine of this server has", async () => {
    await launched();
    expect(await claim(stage.db, ["another"], 10, settings)).toEqual([]);
  });

  it("passes over a row that somebody has locked, and does not wait for it", async () => {
    const { id } = await launched();
    await inTransaction(stage.db, async (tx) => {
      await sql`select from instances where id = ${id} for update`.execute(tx);
      expect(await claimAll()).toEqual([]);
    });
    expect(await claimAll()).toHaveLength(1);
  });

  it("says whether the boot deadline has passed", async () => {
    await launched();
    await travel(stage.db, "601 seconds");
    expect(await claimOne()).toMatchObject({ overdue: true });
  });
});

describe("a worker that died", () => {
  it("keeps its instance until the lease ends, not longer", async () => {
    await launched();
    await claimOne();
    await travel(stage.db, "14 seconds");
    expect(await claimAll()).toEqual([]);
    await travel(stage.db, "1 second");
    expect(await claimOne()).toMatchObject({ attempts: 2 });
  });

  it("keeps it longer while the lease is renewed", async () => {
    await launched();
    const job = await claimOne();
    await travel(stage.db, "14 seconds");
    expect(await renew(stage.db, [job], settings)).toEqual([{ lease_owner: job.lease_owner, generation: 1 }]);
    await travel(stage.db, "14 seconds");
    expect(await claimAll()).toEqual([]);
  });

  it("renews several in the order in which everybody locks them, so that nobody waits in a circle", async () => {
    await launched();
    for (let n = 0; n < 2; n++) await stage.launchOne();
    const jobs = (await claimAll()).toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const [last, , first] = jobs;
    // Behind the others in the table: whoever takes them as they lie there comes to it last.
    await sql`update instances set attempts = attempts where id = ${first?.id}`.execute(stage.db);
    await using other = await begin(stage.db);
    await sql`select from instances where id = ${first?.id} for update`.execute(other.tx);
    const renewed = renew(stage.db, jobs, settings);
    await untilWaiting(stage.db);
    await sql`select from instances where id = ${last?.id} for update nowait`.execute(other.tx);
    await other.commit();
    expect(await renewed).toHaveLength(3);
  });

  it("can change nothing when another has taken over: no renewal, no release, no fact", async () => {
    const { id } = await launched();
    const late = await claimOne();
    await travel(stage.db, "1 minute");
    const next = await claimOne();
    const before = await stage.row(id);

    expect(await renew(stage.db, [late], settings)).toEqual([]);
    expect(await requeue(stage.db, late, { as: "settled" }, settings)).toBe(Number.POSITIVE_INFINITY);
    const fence = { id, generation: 1, leaseOwner: late.lease_owner };
    expect(await inTransaction(stage.db, (tx) => recordObservation(tx, fence, "ready", { ip: "10.9.9.9" }))).toBe(
      false,
    );
    expect(await stage.row(id)).toEqual(before);

    const own = { ...fence, leaseOwner: next.lease_owner };
    expect(await inTransaction(stage.db, (tx) => recordObservation(tx, own, "ready", { ip: "10.9.9.9" }))).toBe(true);
    expect(await stage.story(id)).toEqual(["booting", "active"]);
  });

  it.each(["create", "start", "inspect"] as const)(
    "in the middle of %s: the next one brings the instance up, once",
    async (operation) => {
      const { id } = await launched();
      // What nobody has begun anything with is not looked at first.
      if (operation === "inspect") await sql`update instances set attempts = 1 where id = ${id}`.execute(stage.db);
      // The first server hangs for good at this call, and its timers are dead too: nobody renews its lease.
      await injectFaults(stage.db, { kind: "hangs", operation, times: 1 });
      stage.reconciler({ leaseSeconds: 100_000, engineCallSeconds: 100_000, pollSeconds: 1000 });
      await expect.poll(async () => (await stage.row(id)).lease_owner).not.toBeNull();
      await expect.poll(behavioursLeft).toBe(0);
      await travel(stage.db, "100001 seconds");
      await sql`update instances set wished_at = now()`.execute(stage.db);

      await stage.reconciler().idle();
      expect(await stage.state(id)).toBe("active");
      expect(await stage.story(id)).toEqual(["booting", "active"]);
      expect(await stage.machines()).toEqual([id]);
      await auditCapacity(stage.db);
    },
  );
});

describe("a claim of what was hinted at", () => {
  it("takes it before what is due, though it is not, and never more than there is room for", async () => {
    const [hinted, due] = [await launched(), await stage.launchOne()];
    await sql`update instances set next_look_at = null where id = ${hinted.id}`.execute(stage.db);
    const claimed = await claim(stage.db, ["simulated"], 1, settings, [hinted.id, due.id]);
    expect(claimed.map(({ id }) => id)).toEqual([hinted.id]);
    expect((await claim(stage.db, ["simulated"], 2, settings, [hinted.id])).map(({ id }) => id)).toEqual([due.id]);
  });

  it("takes nothing that is leased, of another engine, or terminated", async () => {
    const { id } = await launched();
    const ofHint = (engine = "simulated") => claim(stage.db, [engine], 9, settings, [id]);
    expect(await ofHint("another")).toEqual([]);
    expect(await ofHint()).toHaveLength(1);
    expect(await ofHint()).toEqual([]);
    await travel(stage.db, "1 day");
    await stage.world.put(id, "terminated");
    await sql`update instances set next_look_at = null`.execute(stage.db);
    expect(await ofHint()).toEqual([]);
  });
});

describe("waking", () => {
  it("makes a settled instance due, and nothing of a terminated one", async () => {
    const { id, principal } = await launched();
    const reconciler = stage.reconciler({ pollSeconds: 1000 });
    await reconciler.idle();
    await stage.world.change(principal, "terminate", [id]);
    await reconciler.idle();
    await reconciler.stop();
    await wake(stage.db, [id]);
    expect(await due()).toBe(Number.POSITIVE_INFINITY);

    const other = await stage.launchOne();
    const job = await claimOne();
    await requeue(stage.db, job, { as: "settled" }, settings);
    expect(await due()).toBe(Number.POSITIVE_INFINITY);
    await wake(stage.db, [other.id]);
    expect(await due()).toBeLessThanOrEqual(0);
  });

  it("is not lost to a worker that is just finishing", async () => {
    const { id } = await launched();
    const job = await claimOne();
    await wake(stage.db, [id]);
    expect(await claimAll()).toEqual([]);
    expect(await requeue(stage.db, job, { as: "settled" }, settings)).toBeLessThanOrEqual(0);
    expect((await claimOne()).id).toBe(id);
  });

  it("is not lost when the worker renews meanwhile, nor when it records a fact", async () => {
    const { id } = await launched();
    const job = await claimOne();
    await wake(stage.db, [id]);
    await renew(stage.db, [job], settings);
    const fence = { id, generation: 1, leaseOwner: job.lease_owner };
    await inTransaction(stage.db, (tx) => recordObservation(tx, fence, "ready", { ip: "10.0.0.9" }));
    expect((await claimOne()).id).toBe(id);
  });

  it("by a newer wish makes older facts worthless, and the instance due when the worker lets go", async () => {
    const { id, principal } = await launched();
    const job = await claimOne();
    await stage.world.change(principal, "stop", [id]);
    const fence = { id, generation: job.generation, leaseOwner: job.lease_owner };
    expect(await inTransaction(stage.db, (tx) => recordObservation(tx, fence, "ready", { ip: "10.0.0.9" }))).toBe(
      false,
    );
    expect(await requeue(stage.db, job, { as: "wait", progress: "old news" }, settings)).toBeLessThanOrEqual(0);
    expect(await stage.row(id)).toMatchObject({ state: "stopping", progress: null });
  });
});

describe("laying a job down", () => {
  it("to wait: looks again the later the older the wish, within bounds", async () => {
    await launched();
    const wait = async () => requeue(stage.db, await claimOne(), { as: "wait", progress: "booting" }, settings);
    const around = (seconds: number) => [seconds * 1000 - 500, seconds * 1000 + 500] as const;
    const expectAround = async (seconds: number) => {
      const [least, most] = around(seconds);
      const ms = await wait();
      expect(ms).toBeGreaterThan(least);
      expect(ms).toBeLessThan(most);
    };
    await expectAround(1);
    await travel(stage.db, "20 seconds");
    await expectAround(5);
    await travel(stage.db, "1 hour");
    await expectAround(10);
  });

  it("after failures: twice as late each time, up to the most, never all at the same moment", async () => {
    await launched();
    const seen: number[] = [];
    for (let failure = 1; failure <= 9; failure++) {
      const ms = await requeue(stage.db, await claimOne(), { as: "retry", progress: null }, settings);
      const full = Math.min(60_000, 500 * 2 ** (failure - 1));
      expect(ms).toBeGreaterThan(full / 2 - 1);
      expect(ms).toBeLessThanOrEqual(full);
      seen.push(ms / full);
      await travel(stage.db, "1 minute");
    }
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("never beyond the deadline of a boot", async () => {
    await launched();
    await travel(stage.db, "598 seconds");
    const patient = { ...settings, lookSeconds: [100, 100], retrySeconds: [100, 100] } as const;
    const ms = await requeue(stage.db, await claimOne(), { as: "retry", progress: null }, patient);
    expect(ms).toBeGreaterThan(1000);
    expect(ms).toBeLessThanOrEqual(2000);
    await travel(stage.db, "2 seconds");
    expect(await requeue(stage.db, await claimOne(), { as: "retry", progress: null }, patient)).toBeGreaterThan(2000);
  });

  it("survives any number of failures", async () => {
    const { id } = await launched();
    await sql`update instances set attempts = 2000000000`.execute(stage.db);
    expect(await requeue(stage.db, await claimOne(), { as: "retry", progress: null }, settings)).toBeLessThanOrEqual(
      60_000,
    );
    expect((await stage.row(id)).attempts).toBe(2_000_000_001);
  });
});

describe("several reconcilers on one database", () => {
  it("share the work, and each instance is brought up once", async () => {
    for (let hosts = 0; hosts < 3; hosts++) await stage.host();
    const principal = await stage.world.account();
    const product = await stage.product();
    const instances = await stage.world.launch(principal, { instanceType: product.name, quantity: 24 });
    const [one, two] = [stage.reconciler({ concurrency: 2 }), stage.reconciler({ concurrency: 2 })];
    await Promise.all([one.idle(), two.idle()]);
    for (const { id } of instances) expect(await stage.story(id)).toEqual(["booting", "active"]);
    await stage.world.change(
      principal,
      "terminate",
      instances.map(({ id }) => id),
    );
    await Promise.all([one.idle(), two.idle()]);
    for (const { id } of instances) expect(await stage.state(id)).toBe("terminated");
    expect(await stage.machines()).toEqual([]);
    await auditCapacity(stage.db);
  });

  it("leave no lease behind when they stop, not even of a call that hangs", async () => {
    const { id } = await launched();
    await injectFaults(stage.db, { kind: "hangs", operation: "create" });
    const reconciler = stage.reconciler();
    await expect.poll(async () => (await stage.row(id)).lease_owner).not.toBeNull();
    await reconciler.stop();
    expect(await stage.row(id)).toMatchObject({ lease_owner: null, lease_until: null, state: "booting" });
    expect(await due()).toBeLessThanOrEqual(0);
  });

  it("give up a call for a wish that is no longer the newest", async () => {
    const { id, principal } = await launched();
    await injectFaults(stage.db, { kind: "hangs", operation: "create", times: 1 });
    const reconciler = stage.reconciler({ leaseSeconds: 0.15, engineCallSeconds: 1000 });
    await expect.poll(behavioursLeft).toBe(0);
    await stage.world.change(principal, "terminate", [id]);
    await expect.poll(() => stage.state(id)).toBe("terminated");
    await reconciler.idle();
    expect(stage.logged).toContainEqual(expect.objectContaining({ why: "a newer wish came", instance: id }));
  });
});

async function behavioursLeft(): Promise<number> {
  const { rows } = await sql<{ left: number }>`select count(*)::integer as left from simulated.faults`.execute(
    stage.db,
  );
  return rows[0]?.left ?? 0;
}
