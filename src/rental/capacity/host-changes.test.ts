import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { RememberedRegistry } from "../../../test/support/control.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { deregisterHost, type HostDeclaration, registerHost } from "./host-changes.ts";
import { listHosts, readHost } from "./host-reading.ts";
import { upsertHost } from "./host-store.ts";
import type { HostFacts } from "./overrides.ts";

let world: World;
let operator: string;
beforeAll(async () => {
  world = await makeWorld();
  ({ accountId: operator } = await world.account());
  await world.region("north");
  await world.region("south");
  await world.image();
});
afterAll(() => world.close());

const cordoning = (name: string) => (tx: Transaction) =>
  changeHostMode(tx, name, { action: "cordon", reason: undefined, by: operator });
const gpu = (address: string, model = "a10") => ({ address, model, memoryGib: 24, numaNode: 0 });

function declaration(change: Partial<HostDeclaration> = {}): HostDeclaration {
  const name = world.fresh("declared");
  return { name, engine: "simulated", region: "north", vcpus: 8, memoryGib: 64, storageGb: 500, gpus: [], ...change };
}

describe("a declaration and its engine's world", () => {
  it("are one transaction: when the world refuses, nothing changed", async () => {
    const simulated = new RememberedRegistry();
    const worlds = new Map([["simulated", simulated]]);
    const host = declaration();
    await world.tx((tx) => registerHost(tx, worlds, host));
    simulated.refusal = new Error("the world says no");
    await changingNothing(world.db, async () => {
      const larger = world.tx((tx) => registerHost(tx, worlds, { ...host, vcpus: 16 }));
      await expect(larger).rejects.toThrow("the world says no");
      const gone = world.tx((tx) => deregisterHost(tx, worlds, host.name));
      await expect(gone).rejects.toThrow("the world says no");
    });
  });

  it("move together to another engine", async () => {
    const [one, two] = [new RememberedRegistry(), new RememberedRegistry()];
    const worlds = new Map([
      ["one", one],
      ["two", two],
    ]);
    const host = declaration({ engine: "one" });
    await world.tx((tx) => registerHost(tx, worlds, host));
    await world.tx(cordoning(host.name));
    const moved = await world.tx((tx) => registerHost(tx, worlds, { ...host, engine: "two" }));
    expect(moved).toMatchObject({ engine: "two", mode: "cordoned" });
    expect([one.hosts.has(host.name), two.hosts.has(host.name)]).toEqual([false, true]);
  });

  it("may be without a world where an engine discovered the host, but not to make a new one", async () => {
    const name = await world.host({ engine: "real" });
    const host = declaration({ name, engine: "real", vcpus: 5 });
    expect(await world.tx((tx) => registerHost(tx, new Map(), host))).toMatchObject({ vcpus: 5, engine: "real" });
    const other = world.tx((tx) => registerHost(tx, new Map(), declaration({ engine: "real" })));
    expect(await refusal("unknown-name", other)).toMatchObject({ fields: { engine: {} } });
    // First what was overridden ends, and the cordon stays; then the host goes.
    await world.tx(cordoning(name));
    await world.tx((tx) => deregisterHost(tx, new Map(), name));
    const ended = (await listHosts(world.db)).find((one) => one.name === name);
    expect(ended).toMatchObject({ mode: "cordoned" });
    expect(ended?.vcpus).not.toBe(5);
    await world.tx((tx) => deregisterHost(tx, new Map(), name));
    expect((await listHosts(world.db)).map((one) => one.name)).not.toContain(name);
  });
});

describe("a declaration", () => {
  const worlds = new Map([["simulated", new RememberedRegistry()]]);

  it("leaves availability and the health of a GPU as they are, and takes another GPU for a whole one", async () => {
    const host = declaration({ gpus: [gpu("a"), gpu("b")] });
    await world.tx((tx) => registerHost(tx, worlds, host));
    await world.db.updateTable("gpus").set({ healthy: false }).where("host", "=", host.name).execute();
    await world.db.updateTable("hosts").set({ available: false }).where("name", "=", host.name).execute();
    const after = await world.tx((tx) => registerHost(tx, worlds, { ...host, gpus: [gpu("a"), gpu("b", "h100")] }));
    expect(after.available).toBe(false);
    expect(after.gpus.map(({ model, healthy }) => [model, healthy])).toEqual([
      ["a10", false],
      ["h100", true],
    ]);
    const pools = await world.db
      .selectFrom("gpu_pools")
      .selectAll()
      .where("host", "=", host.name)
      .orderBy("model")
      .execute();
    expect(pools.map(({ model, total, free }) => [model, total, free])).toEqual([
      ["a10", 1, 0],
      ["h100", 1, 1],
    ]);
  });

  it("of a new host by two at once: the second is judged by what the first left", async () => {
    const host = declaration({ region: "north" });
    await using first = await begin(world.db);
    await registerHost(first.tx, worlds, host);
    const second = world.tx((tx) => registerHost(tx, worlds, { ...host, region: "south" }));
    await untilWaiting(world.db);
    await first.commit();
    expect(await second).toMatchObject({ region: "south" });
    expect(await readHost(world.db, host.name)).toMatchObject({ region: "south", freeVcpus: 8 });
  });

  it("of a host that is just being withdrawn makes it anew", async () => {
    const host = declaration();
    await world.tx((tx) => registerHost(tx, worlds, host));
    await world.tx(cordoning(host.name));
    await using withdrawing = await begin(world.db);
    await deregisterHost(withdrawing.tx, worlds, host.name);
    const declared = world.tx((tx) => registerHost(tx, worlds, host));
    await untilWaiting(world.db);
    await withdrawing.commit();
    expect(await declared).toMatchObject({ name: host.name, mode: "up", freeVcpus: 8 });
  });

  // Both wait for a version of the row that the commit replaces, so PostgreSQL promises no order between the two.
  it("that shrinks a host just as a launch takes the room: exactly one of the two is refused", async () => {
    const host = declaration({ region: (await world.region(world.fresh("alone"))).name });
    await world.tx((tx) => registerHost(tx, worlds, host));
    const product = await world.product({ gpus: 0, vcpus: 8, memoryGib: 1, storageGb: 1 });
    const principal = await world.account();
    await using first = await begin(world.db);
    await registerHost(first.tx, worlds, host);
    const both = Promise.allSettled([
      world.launchOne(principal, { instanceType: product.name, region: host.region }),
      world.tx((tx) => registerHost(tx, worlds, { ...host, vcpus: 4 })),
    ]);
    await untilWaiting(world.db, 2);
    await first.commit();
    const refusals = (await both).flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refusals).toEqual([expect.any(RentalError)]);
    expect(["conflict", "insufficient-capacity"]).toContain(refusals[0].kind);
  });

  it("of a region that is just being deleted is refused for it", async () => {
    const region = (await world.region(world.fresh("leaving"))).name;
    await using deleting = await begin(world.db);
    await deleting.tx.deleteFrom("regions").where("name", "=", region).execute();
    const declared = refusal(
      "unknown-name",
      world.tx((tx) => registerHost(tx, worlds, declaration({ region }))),
    );
    await untilWaiting(world.db);
    await deleting.commit();
    expect(await declared).toMatchObject({ fields: { region: {} } });
  });

  it("brings a host back that was withdrawn, into the listings too", async () => {
    const host = declaration({ region: (await world.region(world.fresh("back"))).name });
    const product = await world.product({ gpus: 0, vcpus: 8, memoryGib: 1, storageGb: 1 });
    const room = async () => (await world.service.capacity.view([product])).get(product.name)?.get(host.region) ?? 0;
    await world.tx((tx) => registerHost(tx, worlds, host));
    expect(await room()).toBe(1);
    await world.tx((tx) => deregisterHost(tx, worlds, host.name));
    expect(await room()).toBe(0);
    await world.tx((tx) => registerHost(tx, worlds, host));
    expect(await room()).toBe(1);
    const removed = await world.db.selectFrom("removed_hosts").select("name").where("name", "=", host.name).execute();
    expect(removed).toEqual([]);
  });
});

describe("overrides of a discovered host that holds instances", () => {
  const none = new Map();
  const found = (name: string, part: Partial<HostFacts> = {}): HostFacts => ({
    engine: "real",
    name,
    region: name,
    vcpus: 64,
    memoryGib: 512,
    storageGb: 4000,
    available: true,
    sharedStorage: false,
    multiAttach: false,
    gpus: [
      { ...gpu("a"), healthy: true },
      { ...gpu("b"), healthy: true },
    ],
    ...part,
  });
  /** A discovered host, alone in its region, with an instance on it that has one of its two GPUs. */
  async function held() {
    const name = (await world.region(world.fresh("found"))).name;
    await world.tx((tx) => upsertHost(tx, found(name)));
    const product = await world.product({ gpuModel: "a10", gpus: 1, vcpus: 8, memoryGib: 64, storageGb: 500 });
    const instance = await world.launchOne(await world.account(), { instanceType: product.name, region: name });
    const [address = ""] = instance.gpuAddresses;
    const sizes = { vcpus: 8, memoryGib: 64, storageGb: 500 };
    return { name, address, exactly: declaration({ name, engine: "real", region: name, ...sizes }) };
  }
  const declare = (host: HostDeclaration) => world.tx((tx) => registerHost(tx, none, host));

  it("may take all that is free, and nothing that is held", async () => {
    const { name, exactly } = await held();
    expect(await declare(exactly)).toMatchObject({ vcpus: 8, freeVcpus: 0, freeMemoryGib: 0, freeStorageGb: 0 });
    for (const less of [{ vcpus: 7 }, { memoryGib: 63 }, { storageGb: 499 }]) {
      await changingNothing(world.db, () => refusal("conflict", declare({ ...exactly, ...less })));
    }
    await auditCapacity(world.db);
    expect(await readHost(world.db, name)).toMatchObject({ overrides: { vcpus: 8 }, sharedStorage: false });
  });

  it("may name the GPU that is free, and not the one that is held", async () => {
    const { exactly, address } = await held();
    const free = address === "a" ? "b" : "a";
    await changingNothing(world.db, () =>
      refusal("conflict", declare({ ...exactly, gpus: [gpu(free, "h100"), gpu(address, "h100")] })),
    );
    const { gpus } = await declare({ ...exactly, gpus: [gpu(free, "h100"), gpu(address)] });
    expect(gpus.find((one) => one.address === free)?.model).toBe("h100");
    await auditCapacity(world.db);
  });

  it("are accepted although the engine itself has taken away what is held; the host takes nothing new", async () => {
    const { name, exactly, address } = await held();
    await world.tx((tx) => upsertHost(tx, found(name, { vcpus: 4, gpus: [] })));
    const after = await declare({ ...exactly, memoryGib: 100 });
    expect(after).toMatchObject({ vcpus: 8, freeVcpus: 0, memoryGib: 100, available: false });
    expect(after.gpus).toMatchObject([{ address, healthy: false }]);
    await auditCapacity(world.db);
  });
});
