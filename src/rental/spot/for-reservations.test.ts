// Spot instances are evicted for reservations: which ones, when, and what if the reservation changes meanwhile.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { read, reserve, run } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { LaunchOrder } from "../launching/order.ts";
import { cancelReservation } from "../reservations/begin-end.ts";
import type { Principal } from "../service.ts";
import { cancelWait } from "../waiting/waiting-store.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  for (const gpus of [1, 2]) {
    await world.product({ name: `${gpus}`, gpus, vcpus: 8 * gpus, spotPriceCentsPerHour: 30 });
  }
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

async function launched(part: Partial<LaunchOrder> = {}): Promise<string> {
  const { id, generation } = await world.launchOne(bob, { instanceType: "1", ...part });
  await world.tx((tx) => recordObservation(tx, { id, generation }, "ready", { ip: "203.0.113.1" }));
  return id;
}
const spot = (part: Partial<LaunchOrder> = {}) => launched({ spot: true, ...part });
/** In minutes from now. */
const reserved = (from: number, quantity = 1) =>
  reserve(world, ann, { instanceType: "1", quantity, from: from / 60, to: from / 60 + 2 });

/** Ids of instances whose notice runs, and what for. */
async function underNotice(): Promise<Map<string, string | null>> {
  const query = world.db.selectFrom("instances").select(["id", "evicted_for"]).where("evict_at", "is not", null);
  const rows = await query.where("terminating_at", "is", null).execute();
  return new Map(rows.map(({ id, evicted_for }) => [id, evicted_for]));
}
async function told(id: string): Promise<string[]> {
  const query = world.db.selectFrom("events").select("type").where("subject_id", "=", id).orderBy("position");
  return (await query.execute()).map(({ type }) => type.replace("instance.", ""));
}
/** As replicas do, so many minutes later. */
async function minutesLater(minutes: number): Promise<void> {
  await travel(world.db, `${minutes} minutes`);
  await waiting.place();
  await run(world);
  await waiting.evict();
  const query = world.db.selectFrom("instances").select("id").where("state", "=", "terminating");
  for (const { id } of await query.execute()) await waiting.removed(id);
  await run(world);
}

// Hosts need 15 minutes between two customers, a notice takes 2, and it is given up to 2 minutes earlier.
describe("a reservation has spot instances evicted", () => {
  it("in time for its begin and no earlier: the youngest of those that suffice, so that it begins in time", async () => {
    await world.host({ gpus: 3 });
    const [old, two] = [await spot(), await spot({ instanceType: "2" })];
    const reservation = await reserved(60);
    await minutesLater(40);
    expect(await underNotice()).toEqual(new Map());
    await minutesLater(2);
    expect(await underNotice()).toEqual(new Map([[old, reservation.id]]));
    await minutesLater(3);
    expect(await told(old)).toEqual([
      ...["booting", "active", "preemption_notice", "preempted", "terminating", "terminated"],
    ]);
    await minutesLater(15);
    const { state, startedAt, beginsAt } = await read(world, reservation.id);
    expect([state, startedAt]).toEqual(["active", beginsAt]);
    await world.launchOne(ann, { instanceType: "1", reservationId: reservation.id });
    expect(await told(two)).toEqual(["booting", "active"]);
  });

  it("on several hosts", async () => {
    for (const name of ["a", "b"]) await world.host({ name, gpus: 1 });
    const both = [await spot(), await spot()];
    const { id } = await reserved(60, 2);
    await minutesLater(42);
    expect(await underNotice()).toEqual(new Map(both.map((one) => [one, id])));
    await minutesLater(3);
    await minutesLater(15);
    expect((await read(world, id)).state).toBe("active");
  });

  it("only as far as nothing else ends before", async () => {
    await world.host({ gpus: 3 });
    await launched({ maxLifetimeSeconds: 44 * 60 });
    const [old, young] = [await spot(), await spot()];
    const { id } = await reserved(60, 2);
    await minutesLater(42);
    expect(await underNotice()).toEqual(new Map([[young, id]]));
    expect(await told(old)).toEqual(["booting", "active"]);
  });

  it("beside a launch that waits: neither counts on what is evicted for the other", async () => {
    await world.host({ gpus: 2 });
    const [old, young] = [await spot(), await spot()];
    const { id } = await reserved(60);
    const launch = await waiting.waits(bob, { instanceType: "1" });
    await minutesLater(0);
    // What is promised is not its own, so both are evicted: one for it, and one that the reservation needs.
    expect(await underNotice()).toEqual(new Map([old, young].map((one) => [one, launch.id])));
    await minutesLater(3);
    await minutesLater(42);
    expect(await underNotice()).toEqual(new Map());
    await minutesLater(16);
    expect((await read(world, id)).state).toBe("active");
    expect(await waiting.stateOf(launch)).toBe("placed");
  });
});

describe("a notice for a reservation", () => {
  it("is withdrawn when that is cancelled", async () => {
    await world.host({ gpus: 1 });
    const evicted = await spot();
    const { id } = await reserved(60);
    await minutesLater(42);
    await world.tx((tx) => cancelReservation(tx, ann, id));
    await minutesLater(0);
    expect(await underNotice()).toEqual(new Map());
    expect(await told(evicted)).toEqual(["booting", "active", "preemption_notice", "preemption_withdrawn"]);
  });

  it("is withdrawn when its capacity is promised on another host, or is free", async () => {
    await world.host({ name: "a", gpus: 1 });
    await spot();
    const { id } = await reserved(60);
    await minutesLater(42);
    expect((await underNotice()).size).toBe(1);
    await world.host({ name: "b", gpus: 1 });
    await world.tx((tx) => changeHostMode(tx, "a", { action: "cordon", reason: undefined, by: null }));
    await minutesLater(0);
    expect(await underNotice()).toEqual(new Map());
    expect((await read(world, id)).hosts).toMatchObject([{ host: "b", slots: 1 }]);
  });

  it("is not given to another one while the first is being removed, however long that takes", async () => {
    await world.host({ gpus: 2 });
    const [old, young] = [await spot(), await spot()];
    const { id } = await reserved(60);
    await travel(world.db, "55 minutes");
    await waiting.evict();
    expect(await underNotice()).toEqual(new Map([[young, id]]));
    await travel(world.db, "3 minutes");
    await waiting.evict();
    expect(await told(young)).toContain("preempted");
    for (let minutes = 0; minutes < 4; minutes++) {
      await travel(world.db, "1 minute");
      await run(world);
      await waiting.evict();
    }
    expect(await underNotice()).toEqual(new Map());
    await waiting.removed(young);
    await run(world);
    expect((await read(world, id)).state).toBe("active");
    expect(await told(old)).toEqual(["booting", "active"]);
  });

  it("for a launch passes to a reservation that needs the same, when the launch is cancelled", async () => {
    await world.host({ gpus: 1 });
    const evicted = await spot();
    const launch = await waiting.waits(bob, { instanceType: "1", maxLifetimeSeconds: 60 });
    await waiting.evict();
    expect(await underNotice()).toEqual(new Map([[evicted, launch.id]]));
    await world.tx((tx) => cancelWait(tx, bob, launch.id));
    await waiting.place();
    const { id } = await reserved(25);
    await travel(world.db, "7 minutes");
    await sql`update instances set evict_at = now() + interval '1 minute' where id = ${evicted}`.execute(world.db);
    await waiting.evict();
    expect(await underNotice()).toEqual(new Map([[evicted, id]]));
    expect(await told(evicted)).toEqual(["booting", "active", "preemption_notice"]);
  });

  it("is not given for a reservation that could not begin all the same", async () => {
    for (const name of ["a", "b"]) await world.host({ name, gpus: 1 });
    await spot();
    await spot();
    const { id } = await reserved(60, 2);
    await sql`update gpus set healthy = false where host = 'b'`.execute(world.db);
    await minutesLater(42);
    expect(await underNotice()).toEqual(new Map());
    await minutesLater(20);
    await minutesLater(20);
    expect(await read(world, id)).toMatchObject({ state: "unfulfilled" });
  });

  it("is given late, and it begins late, when no server ran before", async () => {
    await world.host({ gpus: 1 });
    const evicted = await spot();
    const { id } = await reserved(60);
    await minutesLater(65);
    expect(await underNotice()).toEqual(new Map([[evicted, id]]));
    await minutesLater(3);
    expect((await read(world, id)).state).toBe("active");
  });
});
