// What is on offer now: what every listing of instance types is made from.

import { describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { offers } from "./offers.ts";

const world = worldOfFile();
const now = async () =>
  (await offers(world.db, world.service)).map((offer) => ({
    name: offer.product.name,
    capacity: offer.capacityAvailable,
    regions: offer.regions.map((region) => [region.name, region.capacityAvailable]),
  }));

describe("the offers", () => {
  it("are all instance types by name, each with its capacity and the regions that have some, by name", async () => {
    await world.host({ region: "west", gpus: 8 });
    await world.host({ region: "east", gpus: 2 });
    await world.region("empty");
    await world.product({ name: "b-one", gpus: 1 });
    await world.product({ name: "a-eight", gpus: 8, vcpus: 64, memoryGib: 512 });
    await world.product({ name: "c-never", gpus: 16 });
    expect(await now()).toEqual([
      { name: "a-eight", capacity: 1, regions: [["west", 1]] },
      {
        name: "b-one",
        capacity: 10,
        regions: [
          ["east", 2],
          ["west", 8],
        ],
      },
      { name: "c-never", capacity: 0, regions: [] },
    ]);
  });

  it("carry the whole product and the region's description", async () => {
    await world.host({ gpus: 1 });
    const product = await world.product();
    const [offer] = await offers(world.db, world.service);
    expect(offer?.product).toEqual(product);
    expect(offer?.regions).toEqual([{ name: "north", description: "The region north", capacityAvailable: 1 }]);
  });

  it("follow what is launched, cordoned, and changed in the catalogue", async () => {
    await world.image();
    const host = await world.host({ gpus: 8 });
    const product = await world.product({ name: "one" });
    const capacity = async () => (await now()).map((offer) => offer.capacity);
    await world.launch(await world.account(), { instanceType: "one", quantity: 3 });
    expect(await capacity()).toEqual([5]);
    await world.product({ ...product, gpus: 2 });
    expect(await capacity()).toEqual([2]);
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).where("name", "=", host).execute();
    expect(await capacity()).toEqual([0]);
  });

  it("are none where there is no catalogue", async () => {
    await world.host({ gpus: 8 });
    expect(await now()).toEqual([]);
  });
});
