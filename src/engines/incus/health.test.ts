import { expect, it } from "vitest";
import { signal } from "../../../test/support/engine-calls.ts";
import { beginStand } from "../../../test/support/fake-incus/stand.ts";

type Stand = Awaited<ReturnType<typeof beginStand>>;

async function healthOf({ engine }: Stand, name = "m1") {
  const host = (await engine.hosts(signal())).find((one) => one.name === name);
  return host?.health;
}

it("is nothing on members that are well", async () => {
  const stand = await beginStand();
  expect([await healthOf(stand), await healthOf(stand, "m2")]).toEqual([[], []]);
});

it("knows a pool that is nearly full, or has another status, of the member that has it", async () => {
  const stand = await beginStand();
  stand.fake.world.addMember("m2", { usedBytes: 3700 * 1000 ** 3, poolStatus: "Unavailable" });
  expect(await healthOf(stand, "m2")).toEqual([
    { code: "storage-pool-error", severity: "critical", message: "The status of the pool local is Unavailable." },
    { code: "disk-space-low", severity: "warning", message: "The pool local has 7 % free of 4000 GB." },
  ]);
  expect(await healthOf(stand)).toEqual([]);
});

it("knows the clock of the member that responds, and what the cluster warns of the others", async () => {
  const stand = await beginStand();
  const { world } = stand.fake;
  world.clockAheadMs = 60_000;
  world.extensions = ["warnings"];
  const type = "Time skew detected between leader and local";
  world.warnings = [
    { type, status: "new", location: "m2" },
    { type, status: "resolved", location: "m1" },
    { type: "Failed autostarting instance", status: "new", location: "m1" },
  ];
  expect(await healthOf(stand)).toEqual([
    { code: "clock-skew", severity: "critical", message: expect.stringMatching(/^Its clock is (59|60) s ahead of/) },
  ]);
  expect(await healthOf(stand, "m2")).toMatchObject([{ code: "clock-skew", severity: "warning" }]);
});

it("goes without warnings that it may not read", async () => {
  const stand = await beginStand();
  stand.fake.world.extensions = ["warnings"];
  stand.fake.world.warnings = null;
  expect(await healthOf(stand)).toEqual([]);
});

it("tells the run of each member's daemon", async () => {
  const stand = await beginStand();
  stand.fake.world.addMember("m2", { pid: 99 });
  const hosts = await stand.engine.hosts(signal());
  expect(hosts.map(({ daemon }) => daemon)).toEqual([{ run: "4711" }, { run: "99" }]);
});

it("stands as it was where a member stops responding in between", async () => {
  const stand = await beginStand();
  stand.fake.faults.add("GET", /storage-pools\/local$/, { fail: { status: 500, error: "database is locked" } });
  // The first request is for the cluster.
  stand.fake.faults.add("GET", /storage-pools\/local$/, {});
  const [host] = await stand.engine.hosts(signal());
  expect(host?.available).toBe(true);
  expect(host?.health).toBeUndefined();
});
