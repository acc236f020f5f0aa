import { describe, expect, it } from "vitest";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { engineHealths, recordResync } from "./engine-health.ts";

const world = worldOfFile();
const healths = (...configured: string[]) => engineHealths(world.db, configured);
const of = async (name: string) => (await healths(name)).find((one) => one.name === name);

describe("the engines there are", () => {
  it("are those that are configured, and those that have hosts, by name", async () => {
    await world.host({ name: "a", engine: "old-cluster" });
    expect((await healths("simulated", "cluster-a")).map(({ name }) => name)).toEqual([
      "cluster-a",
      "old-cluster",
      "simulated",
    ]);
  });

  it("are told with their hosts and instances, and how many of them are away", async () => {
    const { db } = world;
    const principal = await world.account();
    await world.image();
    for (const name of ["a", "b", "c"]) await world.host({ name });
    const { name: instanceType } = await world.product({ gpus: 0 });
    const some = await world.launch(principal, { instanceType, quantity: 3 });
    const [gone, lost] = some.map(({ id }) => id);
    await world.put(gone ?? "", "terminated");
    await db
      .updateTable("instances")
      .set({ health: "unreachable" })
      .where("id", "=", lost ?? "")
      .execute();
    await db.updateTable("hosts").set({ available: false }).where("name", "=", "b").execute();
    await db.updateTable("hosts").set({ mode: "cordoned" }).where("name", "=", "c").execute();
    expect(await of("simulated")).toEqual({
      name: "simulated",
      hosts: 3,
      hostsAvailable: 2,
      hostsCordoned: 1,
      instances: 2,
      instancesUnreachable: 1,
      lastSweepAt: null,
      lastSweepError: null,
      lastGoodSweepAt: null,
    });
  });

  it("come in pages", async () => {
    const names = ["a", "b", "c"];
    const page = await engineHealths(world.db, names, { after: "a", limit: 1 });
    expect(page.map(({ name }) => name)).toEqual(["b"]);
  });
});

describe("a sweep that ended", () => {
  it("is told with its moment, and with why it failed until one goes well", async () => {
    await recordResync(world.db, "metal", null);
    const first = await of("metal");
    expect(first).toMatchObject({ lastSweepError: null, lastSweepAt: expect.any(Date) });
    expect(first?.lastGoodSweepAt).toEqual(first?.lastSweepAt);

    await travel(world.db, "1 minute");
    const good = await of("metal");
    await recordResync(world.db, "metal", "connect ECONNREFUSED");
    const bad = await of("metal");
    expect(bad).toMatchObject({ lastSweepError: "connect ECONNREFUSED", lastGoodSweepAt: good?.lastGoodSweepAt });
    expect(bad?.lastSweepAt?.getTime()).toBeGreaterThan(good?.lastSweepAt?.getTime() ?? Number.POSITIVE_INFINITY);

    await travel(world.db, "1 minute");
    await recordResync(world.db, "metal", null);
    const again = await of("metal");
    expect(again).toMatchObject({ lastSweepError: null });
    expect(again?.lastGoodSweepAt).toEqual(again?.lastSweepAt);
    expect(again?.lastSweepAt?.getTime()).toBeGreaterThan(bad?.lastSweepAt?.getTime() ?? Number.POSITIVE_INFINITY);
  });

  it("that never went well has no such moment", async () => {
    await recordResync(world.db, "metal", "no");
    expect(await of("metal")).toMatchObject({ lastSweepError: "no", lastGoodSweepAt: null });
  });

  it("is of its engine alone, and keeps of a long error the beginning, whatever is in it", async () => {
    await recordResync(world.db, "metal", `\0${"😀".repeat(600)}`);
    expect((await of("metal"))?.lastSweepError).toMatch(/^(😀){499}/u);
    expect(await of("metal-2")).toMatchObject({ lastSweepAt: null });
  });
});
