// Where a launch lands, and what can be in its way. Races are in placement-races.test.ts.

import { beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { Instance } from "../instances/instance.ts";
import type { LaunchOrder } from "../launching/order.ts";
import type { Principal } from "../service.ts";

type Order = Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">;

const world = worldOfFile();
let principal: Principal;
beforeEach(async () => {
  await world.image();
  principal = await world.account();
});

const hostsOf = (instances: readonly Instance[]) => instances.map((instance) => instance.host);
const noRoom = (order: Order) => refusal("insufficient-capacity", world.launch(principal, order));

describe("a launch with GPUs", () => {
  it("goes to the host with the fewest free GPUs that suffice, so that a whole host stays whole", async () => {
    await world.host({ name: "eight", gpus: 8, vcpus: 256, memoryGib: 2048, storageGb: 9000 });
    await world.host({ name: "two", gpus: 2 });
    const [small, large] = [await world.product({ gpus: 1 }), await world.product({ gpus: 8 })];
    expect(hostsOf(await world.launch(principal, { instanceType: small.name }))).toEqual(["two"]);
    expect(hostsOf(await world.launch(principal, { instanceType: small.name }))).toEqual(["two"]);
    expect(hostsOf(await world.launch(principal, { instanceType: large.name }))).toEqual(["eight"]);
  });

  it("fills a host that is begun before it begins another", async () => {
    for (const name of ["a", "b", "c"]) await world.host({ name, gpus: 4 });
    const product = await world.product({ gpus: 1 });
    const hosts = [];
    for (let n = 0; n < 8; n++) hosts.push((await world.launchOne(principal, { instanceType: product.name })).host);
    expect(hosts).toEqual(["a", "a", "a", "a", "b", "b", "b", "b"]);
  });

  it("prefers the host with the fewest free of its own model, whatever other GPUs are there", async () => {
    await world.host({ name: "many-h100", gpus: 8 });
    await world.host({ name: "few-h100", gpus: 2 });
    await world.host({ name: "a100", gpus: 1, gpuModel: "A100" });
    const product = await world.product({ gpus: 1 });
    expect(hostsOf(await world.launch(principal, { instanceType: product.name }))).toEqual(["few-h100"]);
  });

  it("gets GPUs of one NUMA node where one has enough", async () => {
    await world.host({ gpus: 8, numaNodes: 2 });
    const [two, four] = [await world.product({ gpus: 2 }), await world.product({ gpus: 4 })];
    const first = await world.launchOne(principal, { instanceType: two.name });
    const second = await world.launchOne(principal, { instanceType: four.name });
    expect(first.gpuAddresses).toEqual(["0000:01:00.0", "0000:02:00.0"]);
    expect(second.gpuAddresses).toEqual(["0000:05:00.0", "0000:06:00.0", "0000:07:00.0", "0000:08:00.0"]);
  });

  it("holds exactly the GPUs it names, and no others become anyone's", async () => {
    await world.host({ gpus: 4 });
    const product = await world.product({ gpus: 3 });
    const instance = await world.launchOne(principal, { instanceType: product.name });
    const held = await world.db.selectFrom("gpus").select(["address", "instance_id"]).orderBy("address").execute();
    expect(held.filter((gpu) => gpu.instance_id === instance.id).map((gpu) => gpu.address)).toEqual(
      [...instance.gpuAddresses].sort(),
    );
    expect(held.filter((gpu) => gpu.instance_id === null)).toHaveLength(1);
  });

  it("never gets a broken GPU", async () => {
    await world.host({ gpus: 4, brokenGpus: 2 });
    const product = await world.product({ gpus: 1 });
    const [first, second] = await world.launch(principal, { instanceType: product.name, quantity: 2 });
    expect([first?.gpuAddresses, second?.gpuAddresses]).toEqual([["0000:03:00.0"], ["0000:04:00.0"]]);
    await noRoom({ instanceType: product.name });
  });
});

describe("a launch without GPUs", () => {
  it("avoids hosts with GPUs as long as others have room", async () => {
    await world.host({ name: "gpu-host", gpus: 8, vcpus: 8, memoryGib: 64, storageGb: 500 });
    await world.host({ name: "plain", vcpus: 16 });
    const product = await world.product({ gpus: 0 });
    const hosts = [];
    for (let n = 0; n < 3; n++) hosts.push((await world.launchOne(principal, { instanceType: product.name })).host);
    expect(hosts).toEqual(["plain", "plain", "gpu-host"]);
  });

  it("prefers among hosts with GPUs the one with the fewest free", async () => {
    await world.host({ name: "eight", gpus: 8 });
    await world.host({ name: "one", gpus: 1 });
    const product = await world.product({ gpus: 0 });
    expect(hostsOf(await world.launch(principal, { instanceType: product.name }))).toEqual(["one"]);
  });

  it("fills the fullest host first", async () => {
    await world.host({ name: "large", vcpus: 64 });
    await world.host({ name: "small", vcpus: 8 });
    const product = await world.product({ gpus: 0 });
    expect(hostsOf(await world.launch(principal, { instanceType: product.name }))).toEqual(["small"]);
  });
});

describe("what can be short", () => {
  // A product with 1 GPU, 8 vCPUs, 64 GiB and 500 GB; the host has room for two of it but for one thing.
  const roomForTwo = { gpus: 2, vcpus: 16, memoryGib: 128, storageGb: 1000 };
  const shortOf = { vcpus: 15, memoryGib: 127, storageGb: 999, gpus: 1 };
  for (const [resource, amount] of Object.entries(shortOf)) {
    it(`is ${resource} alone: then only one of two fits`, async () => {
      await world.host({ ...roomForTwo, [resource]: amount });
      const product = await world.product();
      await noRoom({ instanceType: product.name, quantity: 2 });
      expect(await world.launch(principal, { instanceType: product.name })).toHaveLength(1);
      await noRoom({ instanceType: product.name });
    });
  }

  it("is nothing when there is exactly enough of all four", async () => {
    await world.host(roomForTwo);
    const product = await world.product();
    expect(await world.launch(principal, { instanceType: product.name, quantity: 2 })).toHaveLength(2);
  });

  it("is a GPU of the right model, for another model does not do", async () => {
    await world.host({ gpus: 8, gpuModel: "A100" });
    const product = await world.product({ gpuModel: "H100" });
    await noRoom({ instanceType: product.name });
  });

  for (const closed of [{ cordoned: true }, { available: false }]) {
    it(`is a host that takes launches: ${Object.keys(closed)} says no`, async () => {
      await world.host({ gpus: 8, ...closed });
      const [withGpu, without] = [await world.product(), await world.product({ gpus: 0 })];
      await noRoom({ instanceType: withGpu.name });
      await noRoom({ instanceType: without.name });
    });
  }
});

describe("a quantity", () => {
  it("spreads over the hosts of one region where no host has room for all", async () => {
    for (const name of ["a", "b", "c"]) await world.host({ name, gpus: 2 });
    const product = await world.product();
    const launched = await world.launch(principal, { instanceType: product.name, quantity: 5 });
    expect(hostsOf(launched)).toEqual(["a", "a", "b", "b", "c"]);
    expect(new Set(launched.map((instance) => `${instance.host} ${instance.gpuAddresses}`)).size).toBe(5);
  });

  it("never spreads over regions", async () => {
    await world.host({ region: "north", gpus: 2 });
    await world.host({ region: "south", gpus: 2 });
    const product = await world.product();
    await noRoom({ instanceType: product.name, quantity: 3 });
    expect(await world.launch(principal, { instanceType: product.name, quantity: 2 })).toHaveLength(2);
  });

  it("is all or none: what did fit is given back when the rest does not", async () => {
    await world.host({ gpus: 2 });
    const product = await world.product();
    await noRoom({ instanceType: product.name, quantity: 3 });
    const pool = only(await world.db.selectFrom("gpu_pools").select("free").execute());
    expect(pool.free).toBe(2);
    expect(await world.launch(principal, { instanceType: product.name, quantity: 2 })).toHaveLength(2);
  });
});

describe("the region", () => {
  it("is the one that was asked for, even when another would leave less fragmented", async () => {
    await world.host({ name: "n", region: "north", gpus: 8 });
    await world.host({ name: "s", region: "south", gpus: 1 });
    const product = await world.product();
    const instance = await world.launchOne(principal, { instanceType: product.name, region: "north" });
    expect([instance.host, instance.region.name]).toEqual(["n", "north"]);
  });

  it("is never another than the one asked for, though that one is full", async () => {
    await world.host({ region: "north", gpus: 8 });
    await world.region("south");
    const product = await world.product();
    const details = await noRoom({ instanceType: product.name, region: "south" });
    expect(details).toEqual({
      instanceType: product.name,
      region: "south",
      quantity: 1,
      regionsWithCapacity: [{ region: "north", fits: 1 }],
    });
  });

  it('"any" is the region of the best host', async () => {
    await world.host({ region: "north", gpus: 8 });
    await world.host({ region: "south", gpus: 1 });
    const product = await world.product();
    expect((await world.launchOne(principal, { instanceType: product.name, region: "any" })).region.name).toBe("south");
  });

  it('"any" goes on to the next best region when the best one cannot hold all', async () => {
    await world.host({ region: "best", gpus: 1 });
    await world.host({ region: "better", gpus: 2 });
    await world.host({ region: "enough", gpus: 4 });
    const product = await world.product();
    const launched = await world.launch(principal, { instanceType: product.name, quantity: 3 });
    expect(new Set(launched.map((instance) => instance.region.name))).toEqual(new Set(["enough"]));
  });
});

describe("a launch that finds no room", () => {
  it("names the regions that have room for some, by name, with how many, and what was asked", async () => {
    await world.host({ region: "west", gpus: 1 });
    await world.host({ region: "east", gpus: 1 });
    await world.host({ region: "closed", gpus: 4, cordoned: true });
    await world.host({ region: "plain" });
    const product = await world.product();
    const details = await noRoom({ instanceType: product.name, quantity: 2 });
    expect(details).toEqual({
      instanceType: product.name,
      region: "any",
      quantity: 2,
      regionsWithCapacity: [
        { region: "east", fits: 1 },
        { region: "west", fits: 1 },
      ],
    });
  });
});
