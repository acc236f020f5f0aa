// Wishes that meet: the database lets one through after the other, and each is judged by what the other left.

import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { InstanceAction } from "../../rules/lifecycle.ts";
import { openSpans } from "../billing/spans.ts";
import type { Principal } from "../service.ts";
import { change } from "./change.ts";
import type { InstanceType } from "./instance.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0 });
});

async function launched(count: number): Promise<string[]> {
  return (await world.launch(principal, { instanceType: product.name, quantity: count })).map((one) => one.id);
}

const statesOf = async (ids: readonly string[]) =>
  (await world.db.selectFrom("instances").select("state").where("id", "in", ids).orderBy("id").execute()).map(
    (row) => row.state,
  );

describe("two wishes for one instance", () => {
  it("are serialised: a stop that waited for a terminate is refused by what that left", async () => {
    const ids = await launched(1);
    await using first = await begin(world.db);
    await change(first.tx, world.service, principal, "terminate", ids, "ids");
    const second = refusal("instance-terminated", world.change(principal, "stop", ids));
    await untilWaiting(world.db);
    await first.commit();
    await second;
    expect(await statesOf(ids)).toEqual(["terminating"]);
  });

  it("are serialised: a stop that waited for a terminate that was undone goes through", async () => {
    const ids = await launched(1);
    await using first = await begin(world.db);
    await change(first.tx, world.service, principal, "terminate", ids, "ids");
    const second = world.change(principal, "stop", ids);
    await untilWaiting(world.db);
    await first.rollback();
    await second;
    expect(await statesOf(ids)).toEqual(["stopping"]);
  });

  it("that are the same count once: one change, one event, one generation", async () => {
    const [id = ""] = await launched(1);
    await world.put(id, "active");
    await world.db.deleteFrom("events").execute();
    await Promise.all(Array.from({ length: 8 }, () => world.change(principal, "stop", [id])));
    const row = await world.db.selectFrom("instances").select(["state", "generation"]).executeTakeFirstOrThrow();
    expect(row).toEqual({ state: "stopping", generation: 2 });
    expect(await world.db.selectFrom("events").select("type").execute()).toEqual([{ type: "instance.stopping" }]);
  });
});

describe("an instance that becomes active while a terminate waits for it", () => {
  it("is billed for no time rather than for less than none", async () => {
    const [id = ""] = await launched(1);
    await using engine = await begin(world.db);
    await engine.tx.updateTable("instances").set({ state: "active" }).where("id", "=", id).execute();
    const terminating = world.change(principal, "terminate", [id]);
    await untilWaiting(world.db);
    await openSpans(engine.tx, [id]);
    await engine.commit();
    await terminating;
    const span = await world.db.selectFrom("billing_spans").selectAll().executeTakeFirstOrThrow();
    expect(span.ended_at?.getTime()).toBeGreaterThanOrEqual(span.started_at.getTime());
  });
});

describe("batches over the same instances in opposite orders", () => {
  it("never wait for each other in a circle", async () => {
    const ids = await launched(12);
    const shuffles = [ids, [...ids].reverse(), [...ids.slice(6), ...ids.slice(0, 6)]];
    const attempts = Array.from({ length: 24 }, (_, index) => {
      const wish: InstanceAction = index % 2 === 0 ? "stop" : "terminate";
      // Not through inTransaction, which would repeat a deadlock's victim.
      return world.db
        .transaction()
        .execute((tx) => change(tx, world.service, principal, wish, shuffles[index % 3] ?? ids, "ids"));
    });
    const outcomes = await Promise.allSettled(attempts);
    const reasons = outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason.kind)] : []));
    expect(reasons.filter((kind) => kind !== "instance-terminated")).toEqual([]);
    expect(new Set(await statesOf(ids))).toEqual(new Set(["terminating"]));
  });
});

describe("events of one instance", () => {
  it("are as many as its changes, and positioned in the order of its generations", async () => {
    const [id = ""] = await launched(1);
    await Promise.allSettled(
      (["stop", "terminate", "stop", "terminate", "restart"] as const).map((wish) =>
        world.change(principal, wish, [id]),
      ),
    );
    const events = await world.db.selectFrom("events").select("data").orderBy("tx").orderBy("position").execute();
    const generations = events.map(({ data }) => (data as { generation: number }).generation);
    expect(generations).toEqual(generations.map((_, index) => index + 1));
  });
});
