// Instances with a lifetime are warned of and ended when it is over, and only then.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { begin } from "../../../test/support/interleave.ts";
import { spansDisagree } from "../../../test/support/lifetimes.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { changeLifetime } from "../instances/change-lifetime.ts";
import type { InstanceType } from "../instances/instance.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";
import { endLifetimes } from "./lifetimes.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 5000, memoryGib: 90_000, storageGb: 900_000 });
  product = await world.product({ gpus: 0 });
});

const launched = async (maxLifetimeSeconds?: number | null, by = principal) =>
  (await world.launchOne(by, { instanceType: product.name, maxLifetimeSeconds })).id;
async function activate(id: string): Promise<void> {
  const fence = { id, generation: (await row(id)).generation };
  expect(await world.tx((tx) => recordObservation(tx, fence, "ready", { ip: "203.0.113.1" }))).toBe(true);
}
async function active(maxLifetimeSeconds?: number): Promise<string> {
  const id = await launched(maxLifetimeSeconds);
  await activate(id);
  return id;
}
/** Stopped before it was ever active. */
async function stoppedAtOnce(maxLifetimeSeconds: number): Promise<string> {
  const id = await launched(maxLifetimeSeconds);
  await world.change(principal, "stop", [id]);
  const fence = { id, generation: (await row(id)).generation };
  expect(await world.tx((tx) => recordObservation(tx, fence, "halted", {}))).toBe(true);
  return id;
}
const span = (id: string) =>
  world.db.selectFrom("billing_spans").selectAll().where("instance_id", "=", id).executeTakeFirstOrThrow();
const row = (id: string) => world.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
const end = () => endLifetimes(world.db);
const extend = (id: string, seconds: number | null) =>
  world.tx((tx) => changeLifetime(tx, world.service, principal, id, seconds));
async function told(id: string): Promise<string[]> {
  const query = world.db.selectFrom("events").select("type").where("subject_id", "=", id).orderBy("position");
  return (await query.execute()).map(({ type }) => type.replace("instance.", ""));
}

describe("a lifetime", () => {
  it("counts from first active on, not from the launch", async () => {
    const id = await launched(3600);
    await travel(world.db, "2 hours");
    expect(await row(id)).toMatchObject({ max_lifetime_seconds: 3600, expires_at: null });
    expect(await end()).toEqual({ ended: 0, warned: 0 });
    await activate(id);
    const { active_at, expires_at } = await row(id);
    expect(Number(expires_at) - Number(active_at)).toBe(3_600_000);
  });

  it("of one that is stopped before it is active counts from stopped on, also where it is started later", async () => {
    const [id, started] = [await stoppedAtOnce(3600), await stoppedAtOnce(3600)];
    const { expires_at } = await row(id);
    const { started_at } = await span(id);
    expect(Number(expires_at) - Number(started_at)).toBe(3_600_000);
    await travel(world.db, "50 minutes");
    await world.change(principal, "restart", [started]);
    await activate(started);
    expect((await end()).warned).toBe(0);
    await travel(world.db, "5 minutes");
    expect((await end()).warned).toBe(2);
    await travel(world.db, "5 minutes");
    expect((await end()).ended).toBe(2);
    expect(await row(id)).toMatchObject({ state: "terminating", ended_by: "lifetime", active_at: null });
    expect((await span(id)).ended_at).not.toBeNull();
    expect(await spansDisagree(world.db)).toEqual([]);
  });

  it("goes on while it is stopped, and through a restart", async () => {
    const id = await active(3600);
    const { expires_at } = await row(id);
    await world.put(id, "stopped");
    await world.change(principal, "restart", [id]);
    await activate(id);
    expect((await row(id)).expires_at).toEqual(expires_at);
    await world.put(id, "stopped");
    await travel(world.db, "1 hour");
    expect((await end()).ended).toBe(1);
  });

  it("that is over ends the instance, and says so", async () => {
    const [id, other] = [await active(3600), await active(7200)];
    await travel(world.db, "1 hour");
    expect(await end()).toEqual({ ended: 1, warned: 0 });
    expect(await row(id)).toMatchObject({ state: "terminating", ended_by: "lifetime" });
    expect((await row(other)).state).toBe("active");
    const event = world.db.selectFrom("events").select("data").where("type", "=", "instance.terminating");
    expect(await event.execute()).toEqual([
      { data: expect.objectContaining({ instance_id: id, ended_by: "lifetime" }) },
    ]);
    const { rows } = await sql`select from billing_spans where ended_at is null`.execute(world.db);
    expect(rows).toHaveLength(1);
    expect(await end()).toEqual({ ended: 0, warned: 0 });
  });

  it("is without end where nobody said", async () => {
    const id = await active();
    await travel(world.db, "3650 days");
    expect(await end()).toEqual({ ended: 0, warned: 0 });
    expect((await row(id)).state).toBe("active");
  });
});

describe("the warning", () => {
  it("comes ten minutes before the end, once", async () => {
    const id = await active(86_400);
    await travel(world.db, "23 hours 45 minutes");
    expect((await end()).warned).toBe(0);
    await travel(world.db, "5 minutes");
    expect((await end()).warned).toBe(1);
    expect((await end()).warned).toBe(0);
    expect(await told(id)).toEqual(["booting", "active", "expiring"]);
    const event = world.db.selectFrom("events").select("data").where("type", "=", "instance.expiring");
    const { data } = await event.executeTakeFirstOrThrow();
    expect(data).toMatchObject({ max_lifetime_seconds: 86_400, expires_at: expect.stringMatching(/Z$/) });
  });

  it("comes a tenth of the lifetime before where that is shorter", async () => {
    await active(1000);
    await travel(world.db, "850 seconds");
    expect((await end()).warned).toBe(0);
    await travel(world.db, "50 seconds");
    expect((await end()).warned).toBe(1);
  });
});

describe("what an account's instances may live", () => {
  it("is what its launches get that say nothing, and the most that they can ask for", async () => {
    await world.tx((tx) => changeAccount(tx, principal.accountId, { maxLifetimeSeconds: 7200 }));
    expect((await row(await launched())).max_lifetime_seconds).toBe(7200);
    expect((await row(await launched(7200))).max_lifetime_seconds).toBe(7200);
    expect((await row(await launched(60))).max_lifetime_seconds).toBe(60);
    for (const tooLong of [7201, null]) {
      expect(await refusal("invalid-parameters", launched(tooLong))).toMatchObject({
        fields: { maxLifetimeSeconds: { message: expect.stringContaining("7200 seconds") } },
      });
    }
  });

  it("is frozen at launch", async () => {
    const id = await launched();
    await world.tx((tx) => changeAccount(tx, principal.accountId, { maxLifetimeSeconds: 60 }));
    await activate(id);
    expect(await row(id)).toMatchObject({ max_lifetime_seconds: null, expires_at: null });
  });

  it("bounds a change, too", async () => {
    const id = await active(3600);
    await world.tx((tx) => changeAccount(tx, principal.accountId, { maxLifetimeSeconds: 7200 }));
    for (const tooLong of [7201, null]) await refusal("invalid-parameters", extend(id, tooLong));
    expect((await extend(id, 7200)).maxLifetimeSeconds).toBe(7200);
  });
});

describe("a lifetime that is changed", () => {
  it("still counts from first active on, and is warned of again", async () => {
    const id = await active(3600);
    await travel(world.db, "55 minutes");
    expect((await end()).warned).toBe(1);
    const { expiresAt, activeAt } = await extend(id, 7200);
    expect(Number(expiresAt) - Number(activeAt)).toBe(7_200_000);
    await travel(world.db, "10 minutes");
    expect(await end()).toEqual({ ended: 0, warned: 0 });
    await travel(world.db, "50 minutes");
    expect((await end()).warned).toBe(1);
    expect(await told(id)).toEqual(["booting", "active", "expiring", "lifetime_changed", "expiring"]);
  });

  it("counts from stopped on where it was never active, through being taken away and given again", async () => {
    const id = await stoppedAtOnce(3600);
    await travel(world.db, "30 minutes");
    expect(await extend(id, null)).toMatchObject({ expiresAt: null });
    const { expiresAt } = await extend(id, 7200);
    expect(Number(expiresAt) - Number((await span(id)).started_at)).toBe(7_200_000);
    expect(await refusal("invalid-parameters", extend(id, 1800))).toMatchObject({
      fields: { max_lifetime_seconds: { message: expect.stringContaining("already been billed for longer") } },
    });
  });

  it("may be set before it is active, taken away, and set to what it is", async () => {
    const id = await launched();
    expect(await extend(id, 100)).toMatchObject({ maxLifetimeSeconds: 100, expiresAt: null });
    await activate(id);
    expect((await row(id)).expires_at).not.toBeNull();
    expect(await extend(id, null)).toMatchObject({ maxLifetimeSeconds: null, expiresAt: null });
    await extend(id, null);
    expect(await told(id)).toEqual(["booting", "lifetime_changed", "active", "lifetime_changed"]);
  });

  it("has to end in the future", async () => {
    const id = await active(7200);
    await travel(world.db, "1 hour");
    expect(await refusal("invalid-parameters", extend(id, 3600))).toMatchObject({
      fields: { max_lifetime_seconds: { message: expect.stringContaining("already been billed for longer") } },
    });
    expect((await row(id)).max_lifetime_seconds).toBe(7200);
  });

  it("is not that of a terminated instance, nor of another account's", async () => {
    const id = await active(3600);
    const stranger = await world.account();
    await expect(world.tx((tx) => changeLifetime(tx, world.service, stranger, id, 7200))).rejects.toMatchObject({
      kind: "unknown-object",
    });
    await world.change(principal, "terminate", [id]);
    await refusal("conflict", extend(id, 7200));
  });
});

describe("ending lifetimes on several servers at once", () => {
  it("ends and warns of each once, however many there are", async () => {
    const many = await world.launch(principal, { instanceType: product.name, quantity: 64, maxLifetimeSeconds: 600 });
    const more = await world.launch(principal, { instanceType: product.name, quantity: 64, maxLifetimeSeconds: 1000 });
    for (const { id } of [...many, ...more]) await activate(id);
    await travel(world.db, "15 minutes 30 seconds");
    const done = await Promise.all(Array.from({ length: 4 }, end));
    // Rows that another has locked are left to the next run.
    done.push(await end());
    expect(done.reduce((sum, one) => sum + one.ended, 0)).toBe(64);
    expect(done.reduce((sum, one) => sum + one.warned, 0)).toBe(64);
    await auditCapacity(world.db);
  });

  it("leaves one that somebody works on to the next run", async () => {
    const id = await active(60);
    await travel(world.db, "2 minutes");
    await using open = await begin(world.db);
    await sql`select from instances where id = ${id} for update`.execute(open.tx);
    expect((await end()).ended).toBe(0);
    await open.rollback();
    expect((await end()).ended).toBe(1);
  });
});

describe("looking for what is due", () => {
  it("reads an index of what has an end, not the history", async () => {
    await sql`set enable_seqscan = off`.execute(world.db);
    const { rows } = await sql<{ "QUERY PLAN": string }>`
      explain select * from instances
      where terminating_at is null and expires_at <= now() + interval '600 seconds'`.execute(world.db);
    expect(rows.map((line) => line["QUERY PLAN"]).join("\n")).toContain("instances_expiring");
  });
});
