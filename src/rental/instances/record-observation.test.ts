// Facts: what each does to state, money, capacity and events, once; and the three fences that keep it from being twice.

import { describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { type Observation, observations, type State, states } from "../../rules/lifecycle.ts";
import { type ObservationDetails, recordObservation } from "./record-observation.ts";

const world = worldOfFile();

const failure = { code: "image-missing", message: "There is no such image." };
const details: ObservationDetails = {
  ready: { ip: "10.0.0.7" },
  down: {},
  halted: {},
  launchFailed: { failure },
  startFailed: { failure },
  vanished: { failure },
  removed: {},
  hostLost: { servedUntil: new Date(), failure },
};
const factNames = Object.keys(observations) as Observation[];

async function launched() {
  const principal = await world.account();
  await world.host({ gpus: 8 });
  await world.image();
  const product = await world.product();
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  return { id, principal };
}

const record = <F extends Observation>(id: string, fact: F, generation = 1) =>
  world.tx((tx) => recordObservation(tx, { id, generation }, fact, details[fact]));
const row = (id: string) => world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const span = (id: string) =>
  world.db.selectFrom("billing_spans").selectAll().where("instance_id", "=", id).executeTakeFirst();
const events = async (id: string) => {
  const query = world.db.selectFrom("events").select(["type", "data"]).where("subject_id", "=", id);
  return query.orderBy("position").execute();
};

describe("every fact in every state", () => {
  const cells = factNames.flatMap((fact) => states.map((state) => ({ fact, state })));
  it.each(cells)("$fact while $state does what the lifecycle says, or nothing", async ({ fact, state }) => {
    const { id } = await launched();
    await world.put(id, state);
    const before = await row(id);
    const told = (await events(id)).length;
    const table: Partial<Record<State, State>> = observations[fact];
    const target = table[state];
    expect(await record(id, fact)).toBe(target !== undefined);
    if (target === undefined) {
      expect(await row(id)).toEqual(before);
      expect((await events(id)).length).toBe(told);
    } else {
      expect((await row(id)).state).toBe(target);
      expect((await events(id)).at(-1)).toMatchObject({
        type: `instance.${target}`,
        data: { instance_id: id, state: target },
      });
    }
  });
});

describe("ready", () => {
  it("gives the address, opens the bill at the moment it became active, and settles", async () => {
    const { id } = await launched();
    await record(id, "ready");
    const active = await row(id);
    expect(active).toMatchObject({ ip: "10.0.0.7", progress: null, next_look_at: null, fulfilled_generation: 1 });
    expect(await span(id)).toMatchObject({ started_at: active.active_at, ended_at: null });
  });

  it("a second time in life leaves the bill and the first moment as they were", async () => {
    const { id, principal } = await launched();
    await record(id, "ready");
    const [first, bill] = [await row(id), await span(id)];
    await world.change(principal, "stop", [id]);
    await record(id, "halted", 2);
    await world.change(principal, "restart", [id]);
    await travel(world.db, "1 hour");
    await record(id, "ready", 3);
    const hour = 3_600_000;
    expect((await row(id)).active_at?.getTime()).toBe((first.active_at?.getTime() ?? 0) - hour);
    expect(await span(id)).toMatchObject({ id: bill?.id, ended_at: null });
  });

  it("repeated, is refused the second time", async () => {
    const { id } = await launched();
    expect([await record(id, "ready"), await record(id, "ready")]).toEqual([true, false]);
    expect((await events(id)).map(({ type }) => type)).toEqual(["instance.booting", "instance.active"]);
  });

  it("reported ten times at once, happens once", async () => {
    const { id } = await launched();
    const results = await Promise.all(Array.from({ length: 10 }, () => record(id, "ready")));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await events(id)).toHaveLength(2);
  });

  it("is rolled back whole with its transaction", async () => {
    const { id } = await launched();
    const before = await row(id);
    const broken = world.tx(async (tx) => {
      await recordObservation(tx, { id, generation: 1 }, "ready", details.ready);
      throw new Error("the process died here");
    });
    await expect(broken).rejects.toThrow("the process died here");
    expect(await row(id)).toEqual(before);
    expect(await span(id)).toBeUndefined();
    expect(await events(id)).toHaveLength(1);
  });
});

describe("halted", () => {
  it("opens the bill of what was never active, at the moment it stopped; becoming active changes nothing of that", async () => {
    const { id, principal } = await launched();
    await world.change(principal, "stop", [id]);
    expect(await span(id)).toBeUndefined();
    await travel(world.db, "1 hour");
    await record(id, "halted", 2);
    const stopped = await world.db
      .selectFrom("events")
      .select("created_at")
      .where("type", "=", "instance.stopped")
      .executeTakeFirstOrThrow();
    expect(await span(id)).toMatchObject({ started_at: stopped.created_at, ended_at: null });
    expect((await row(id)).active_at).toBeNull();

    await world.change(principal, "restart", [id]);
    await travel(world.db, "1 hour");
    const opened = await span(id);
    await record(id, "ready", 3);
    expect(await span(id)).toEqual(opened);
    expect(Number((await row(id)).active_at)).toBeGreaterThan(Number(opened?.started_at));
  });

  it("of what was active leaves the bill as it was", async () => {
    const { id, principal } = await launched();
    await record(id, "ready");
    await world.change(principal, "stop", [id]);
    await travel(world.db, "1 hour");
    const bill = await span(id);
    await record(id, "halted", 2);
    expect(await span(id)).toEqual(bill);
  });

  it("before it was ever active, and then a failed boot, is billed for what it was stopped", async () => {
    const { id, principal } = await launched();
    await world.change(principal, "stop", [id]);
    await record(id, "halted", 2);
    await world.change(principal, "restart", [id]);
    await travel(world.db, "1 hour");
    await record(id, "launchFailed", 3);
    const { terminating_at } = await row(id);
    expect(await span(id)).toMatchObject({ ended_at: terminating_at });
  });
});

describe("facts that end a rental", () => {
  it.each(["launchFailed", "vanished"] as const)(
    "%s closes the bill, keeps the reason, and is due for removal",
    async (fact) => {
      const { id } = await launched();
      await record(id, fact);
      expect(await row(id)).toMatchObject({
        state: "terminating",
        failure_code: "image-missing",
        failure_message: "There is no such image.",
        next_look_at: expect.any(Date),
        fulfilled_generation: 0,
      });
      expect((await events(id)).map(({ type }) => type)).toEqual([
        "instance.booting",
        "instance.failed",
        "instance.terminating",
      ]);
      expect((await events(id)).at(-1)?.data).toMatchObject({ failure });
      expect(await span(id)).toBeUndefined();
      await auditCapacity(world.db);
    },
  );

  it("vanished from an active one ends the bill then", async () => {
    const { id } = await launched();
    await record(id, "ready");
    await travel(world.db, "1 hour");
    await record(id, "vanished");
    const { terminating_at } = await row(id);
    expect(await span(id)).toMatchObject({ ended_at: terminating_at });
  });

  it("never end a bill before it began, though the transaction that ends it may have begun first", async () => {
    const { id, principal } = await launched();
    const opened = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const terminate = world.tx(async (tx) => {
      await tx.selectFrom("accounts").select("id").execute(); // now() of this transaction is before the span's start
      began.resolve();
      await opened.promise;
      const { change } = await import("./change.ts");
      await change(tx, world.service, principal, "terminate", [id], "ids");
    });
    await began.promise;
    await record(id, "ready");
    opened.resolve();
    await terminate;
    const bill = await span(id);
    expect(bill?.ended_at).toEqual(bill?.started_at);
  });

  it("launchFailed while it is stopping is never billed", async () => {
    const { id, principal } = await launched();
    await world.change(principal, "stop", [id]);
    expect(await record(id, "launchFailed", 2)).toBe(true);
    expect(await span(id)).toBeUndefined();
  });

  it("removed gives back host, GPUs, pool, file systems and quota, once", async () => {
    const { id, principal } = await launched();
    await record(id, "ready");
    await world.change(principal, "terminate", [id]);
    expect([await record(id, "removed", 2), await record(id, "removed", 2)]).toEqual([true, false]);
    expect(await row(id)).toMatchObject({ state: "terminated", health: "ok", next_look_at: null, lease_owner: null });
    const held = await world.db.selectFrom("gpus").selectAll().where("instance_id", "is not", null).execute();
    expect(held).toEqual([]);
    const pool = await world.db.selectFrom("gpu_pools").selectAll().executeTakeFirstOrThrow();
    expect(pool).toMatchObject({ total: 8, free: 8 });
    await auditCapacity(world.db);
  });

  it("removed does not give back a GPU that broke meanwhile", async () => {
    const { id, principal } = await launched();
    const query = world.db.updateTable("gpus").set({ healthy: false }).where("instance_id", "=", id);
    await query.execute();
    await world.change(principal, "terminate", [id]);
    await record(id, "removed", 2);
    const pool = await world.db.selectFrom("gpu_pools").selectAll().executeTakeFirstOrThrow();
    expect(pool).toMatchObject({ total: 8, free: 7 });
    await auditCapacity(world.db);
  });

  it("removed of many on one host at once gives everything back", async () => {
    const principal = await world.account();
    await world.host({ gpus: 8 });
    await world.image();
    const product = await world.product();
    const instances = await world.launch(principal, { instanceType: product.name, quantity: 8 });
    const ids = instances.map((instance) => instance.id);
    await world.change(principal, "terminate", ids);
    expect(await Promise.all(ids.map((id) => record(id, "removed", 2)))).toEqual(ids.map(() => true));
    await auditCapacity(world.db);
  });
});

describe("the fences", () => {
  it("keep out a fact that was seen for an older wish", async () => {
    const { id, principal } = await launched();
    await world.change(principal, "stop", [id]);
    expect(await record(id, "launchFailed", 1)).toBe(false);
    expect((await row(id)).state).toBe("stopping");
  });

  it("keep out who has no lease, or another's", async () => {
    const { id } = await launched();
    const mine = crypto.randomUUID();
    const fence = (leaseOwner: string) => ({ id, generation: 1, leaseOwner });
    const ready = (leaseOwner: string) =>
      world.tx((tx) => recordObservation(tx, fence(leaseOwner), "ready", details.ready));
    expect(await ready(mine)).toBe(false);
    await world.db.updateTable("instances").set({ lease_owner: crypto.randomUUID() }).where("id", "=", id).execute();
    expect(await ready(mine)).toBe(false);
    await world.db.updateTable("instances").set({ lease_owner: mine }).where("id", "=", id).execute();
    expect(await ready(mine)).toBe(true);
    expect(await row(id)).toMatchObject({ lease_owner: null, lease_until: null });
  });
});
