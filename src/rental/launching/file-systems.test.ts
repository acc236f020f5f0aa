// File systems at a launch: where they are the instance has to be, and each belongs to one instance at a time.

import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { launch } from "../../../test/support/launch-all.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { attach, listFileSystems } from "../file-systems/file-systems.ts";
import type { InstanceType } from "../instances/instance.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ region: "north", gpus: 8 });
  await world.host({ region: "south", gpus: 1 });
  product = await world.product();
  await world.fileSystem(principal, { name: "data", region: "north" });
});

const order = (fileSystemNames: string[], region = "any") => ({
  instanceType: product.name,
  fileSystemNames,
  region,
});

async function attachedTo(name: string): Promise<string | null> {
  return (await listFileSystems(world.db, principal)).find((one) => one.name === name)?.attachedTo[0] ?? null;
}

describe("a launch through an interface that shares file systems", () => {
  const sharing = (fileSystemNames: string[], quantity = 1) => ({
    ...order(fileSystemNames, "north"),
    quantity,
    fileSystemUse: { shared: true },
  });
  const storage = (set: { multi_attach: boolean; shared_storage?: boolean }) =>
    world.db.updateTable("hosts").set(set).execute();
  const holders = async (name: string) =>
    (await listFileSystems(world.db, principal)).find((one) => one.name === name)?.attachedTo;

  it("attaches one to many instances, of one launch and of several, where the storage allows that", async () => {
    await storage({ multi_attach: true });
    const two = await world.launch(principal, sharing(["data"], 2));
    const third = await world.launchOne(principal, sharing(["data"]));
    expect(await holders("data")).toEqual([...two, third].map(({ id }) => id));
  });

  it("is refused with the reason where the storage allows one instance at a time", async () => {
    await storage({ multi_attach: false });
    await world.launch(principal, sharing(["data"]));
    const again = await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, sharing(["data"]))),
    );
    expect(again.message).toBe(
      "File system data is attached to another instance, and its storage allows one instance at a time.",
    );
    await world.fileSystem(principal, { name: "fresh", region: "north" });
    const both = await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, sharing(["fresh"], 2))),
    );
    expect(both.message).toContain("its storage allows one instance at a time");
  });

  it("shares on the storage of one host what fits there, and says so where more is asked for", async () => {
    await storage({ multi_attach: true, shared_storage: false });
    await world.launch(principal, sharing(["data"], 2));
    await world.fileSystem(principal, { name: "fresh", region: "north" });
    await world.host({ region: "north", gpus: 8 });
    await storage({ multi_attach: true, shared_storage: false });
    const tooMany = await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, sharing(["fresh"], 10))),
    );
    expect(tooMany.message).toBe(
      "File system fresh is on the storage of one host, where not all of the instances fit.",
    );
  });

  it("leaves it to the other instances when one of them is gone", async () => {
    await storage({ multi_attach: true });
    const [gone, stays] = await world.launch(principal, sharing(["data"], 2));
    if (gone === undefined || stays === undefined) throw new Error("BUG: two were launched");
    await world.change(principal, "terminate", [gone.id]);
    await world.tx((tx) => recordObservation(tx, { id: gone.id, generation: 2 }, "removed", {}));
    expect(await holders("data")).toEqual([stays.id]);
  });

  it("shares with nobody who came through an interface that does not", async () => {
    await storage({ multi_attach: true });
    await world.launch(principal, sharing(["data"]));
    const details = await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, order(["data"]))),
    );
    expect(details.message).toBe("File system data is attached to another instance.");
  });
});

describe("a launch with a file system", () => {
  it("attaches it to the instance, and the instance names it", async () => {
    const instance = await world.launchOne(principal, order(["data"]));
    expect(await attachedTo("data")).toBe(instance.id);
    expect(instance.fileSystemNames).toEqual(["data"]);
  });

  it('goes to its region where "any" is asked for, though another would be chosen without', async () => {
    expect((await world.launchOne(principal, order([]))).region.name).toBe("south");
    expect((await world.launchOne(principal, order(["data"]))).region.name).toBe("north");
  });

  it("attaches several, in the order asked for, each once", async () => {
    await world.fileSystem(principal, { name: "more", region: "north" });
    const instance = await world.launchOne(principal, order(["more", "data", "more"], "north"));
    expect(instance.fileSystemNames).toEqual(["more", "data"]);
    expect([await attachedTo("data"), await attachedTo("more")]).toEqual([instance.id, instance.id]);
  });

  it("in another region than the one asked for is refused, and the message says where it is", async () => {
    const told = await changingNothing(world.db, () =>
      refusal("file-system-in-wrong-region", world.launch(principal, order(["data"], "south"))),
    );
    expect(told).toEqual({ field: "field_file_systems", name: "data", region: "north" });
  });

  it("in one region and a second in another is refused", async () => {
    await world.fileSystem(principal, { name: "far", region: "south" });
    await refusal("file-system-in-wrong-region", world.launch(principal, order(["data", "far"])));
  });

  it("is of one instance only: a larger quantity is refused", async () => {
    const { fields } = await refusal(
      "invalid-parameters",
      world.launch(principal, { ...order(["data"]), quantity: 2 }),
    );
    expect(Object.keys(fields)).toEqual(["field_quantity"]);
  });

  it("that is attached already is refused, and nothing is held", async () => {
    await world.launch(principal, order(["data"]));
    const details = await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, order(["data"]))),
    );
    expect(details.message).toContain("data");
  });

  it("of another account is as unknown as one that does not exist", async () => {
    const other = await world.account();
    await refusal("unknown-name", world.launch(other, order(["data"])));
  });
});

describe("a file system on a host whose storage is not shared", () => {
  let host: string;
  beforeEach(async () => {
    host = await localHost(2);
    await world.fileSystem(principal, { name: "scratch", region: "local" });
  });
  const localHost = async (gpus: number) => {
    const name = await world.host({ region: "local", gpus });
    await world.db.updateTable("hosts").set({ shared_storage: false }).where("name", "=", name).execute();
    return name;
  };
  /** With fewer GPUs, so that a launch without file systems prefers it. */
  const anotherHost = () => localHost(1);
  const place = async (name: string) =>
    world.db.selectFrom("file_systems").select(["engine", "host"]).where("name", "=", name).executeTakeFirstOrThrow();
  const end = async (id: string) => {
    await world.change(principal, "terminate", [id]);
    await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
  };

  it("stays where its first instance was, and later instances go there, though another host fits better", async () => {
    expect(await place("scratch")).toEqual({ engine: null, host: null });
    const first = await world.launchOne(principal, order(["scratch"]));
    expect(await place("scratch")).toEqual({ engine: "simulated", host });
    await end(first.id);
    const better = await anotherHost();
    const without = await world.launchOne(principal, order([], "local"));
    expect(without.host).toBe(better);
    await end(without.id);
    expect((await world.launchOne(principal, order(["scratch"]))).host).toBe(host);
  });

  it("is refused while that host is full, with its name and no host's, though another has room; then nothing is held", async () => {
    await end((await world.launchOne(principal, order(["scratch"]))).id);
    await world.launch(principal, { ...order([], "local"), quantity: 2 });
    await anotherHost();
    const details = await changingNothing(world.db, () =>
      refusal("insufficient-capacity", world.launch(principal, order(["scratch"]))),
    );
    expect(details.bound).toEqual({ fileSystem: "scratch" });
  });

  it("that an instance has, is refused because of that, and not for want of room, while that host is full", async () => {
    await world.launch(principal, order(["scratch"]));
    await world.launch(principal, order([], "local"));
    await refusal("insufficient-capacity", world.launch(principal, order([], "local")));
    const details = await changingNothing(world.db, () =>
      refusal("conflict", world.launch(principal, order(["scratch"]))),
    );
    expect(details.message).toContain("scratch");
  });

  it("waits for a host that another launch has locked, and does not go elsewhere", async () => {
    await end((await world.launchOne(principal, order(["scratch"]))).id);
    await using first = await begin(world.db);
    await launch(first.tx, world.service, await world.account(), launchOrder(order([], "local")));
    await anotherHost();
    const second = world.launchOne(principal, order(["scratch"]));
    await untilWaiting(world.db);
    await first.commit();
    expect((await second).host).toBe(host);
  });

  it("together with one on another host is refused, and the message names both, and no host", async () => {
    await end((await world.launchOne(principal, order(["scratch"]))).id);
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).where("name", "=", host).execute();
    await anotherHost();
    await world.fileSystem(principal, { name: "other", region: "local" });
    await end((await world.launchOne(principal, order(["other"]))).id);
    const { fields } = await refusal("invalid-parameters", world.launch(principal, order(["scratch", "other"])));
    expect(fields.field_file_systems?.message).toBe(
      "File systems scratch and other are on different hosts: no instance can attach both.",
    );
  });

  it("takes one that was never attached along to its host", async () => {
    await end((await world.launchOne(principal, order(["scratch"]))).id);
    await anotherHost();
    await world.fileSystem(principal, { name: "new", region: "local" });
    await world.launchOne(principal, order(["new", "scratch"]));
    expect(await place("new")).toEqual({ engine: "simulated", host });
  });

  it("that was used elsewhere while a launch looked for room, is refused, and may be tried again", async () => {
    const other = await anotherHost();
    const [scratch] = (await listFileSystems(world.db, principal)).filter(({ name }) => name === "scratch");
    if (scratch === undefined) throw new Error("BUG: it was just made");
    await end((await world.launchOne(principal, order(["scratch"]))).id);
    const here = (await place("scratch")).host;
    const late = await world.launchOne(principal, order([], "local"));
    const elsewhere = here === host ? other : host;
    const attaching = world.tx((tx) =>
      attach(tx, [scratch], { instanceId: late.id, engine: "simulated", host: elsewhere }, false),
    );
    expect((await refusal("conflict", attaching)).suggestion).toBe("Retry the request.");
    expect(await attachedTo("scratch")).toBeNull();
  });
});

describe("a file system on shared storage", () => {
  it("goes with its instances to any host of its engine, and to no other engine's", async () => {
    await world.launchOne(principal, order(["data"])).then(async ({ id }) => {
      await world.change(principal, "terminate", [id]);
      await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
    });
    await world.db.updateTable("hosts").set({ engine: "another" }).execute();
    const details = await refusal("insufficient-capacity", world.launch(principal, order(["data"])));
    expect(details.regionsWithCapacity, "what other engines have is no use").toEqual([]);
    const host = await world.host({ region: "north", gpus: 1 });
    expect((await world.launchOne(principal, order(["data"]))).host).toBe(host);
  });
});

describe("two launches at once with the same file system", () => {
  it("are one success and one refusal", async () => {
    await using first = await begin(world.db);
    await launch(first.tx, world.service, principal, launchOrder({ ...order(["data"]), region: "north" }));
    await world.host({ region: "north", gpus: 8 });
    const second = refusal("conflict", world.launch(principal, order(["data"])));
    await untilWaiting(world.db);
    await first.commit();
    await second;
  });

  it("are a success when the first is undone", async () => {
    await using first = await begin(world.db);
    await launch(first.tx, world.service, principal, launchOrder(order(["data"])));
    await world.host({ region: "north", gpus: 8 });
    const second = world.launchOne(principal, order(["data"]));
    await untilWaiting(world.db);
    await first.rollback();
    const { id } = await second;
    expect(await attachedTo("data")).toBe(id);
  });
});
