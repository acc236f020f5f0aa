import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import type { InstanceType } from "../instances/instance.ts";
import { explain, filterNames } from "./explain.ts";

const world = worldOfFile();

/** Hosts left after each filter, in the order of `filterNames`, of the region. */
async function left(product: InstanceType, region = "north"): Promise<number[] | undefined> {
  const explanations = await explain(world.db, product);
  return explanations.find((one) => one.region === region)?.filters.map((filter) => filter.hostsLeft);
}

describe("the explanation of capacity", () => {
  it("counts, filter by filter, the hosts that are left", async () => {
    const lost = await world.host({ available: false, gpus: 8 });
    await sql`update hosts set mode = 'lost' where name = ${lost}`.execute(world.db);
    await world.host({ available: false, gpus: 8 });
    await world.host({ cordoned: true, gpus: 8 });
    await world.host();
    await world.host({ gpus: 1 });
    await world.host({ gpus: 2, vcpus: 7 });
    await world.host({ gpus: 2, memoryGib: 63 });
    await world.host({ gpus: 2, storageGb: 499 });
    await world.host({ gpus: 2 });
    const product = await world.product({ gpus: 2 });
    expect(filterNames).toHaveLength(8);
    expect(await left(product)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it("asks no GPUs of a host where the product has none", async () => {
    await world.host();
    await world.host({ vcpus: 7 });
    expect(await left(await world.product({ gpus: 0 }))).toEqual([2, 2, 2, 2, 2, 1, 1, 1]);
  });

  it("has every region by name, with how many hosts it has, none included", async () => {
    await world.host({ region: "south", gpus: 1 });
    await world.region("east");
    const product = await world.product();
    const explanations = await explain(world.db, product);
    expect(explanations.map((one) => [one.instanceType, one.region, one.hosts])).toEqual([
      [product.name, "east", 0],
      [product.name, "south", 1],
    ]);
    expect(await left(product, "east")).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it("says of a full host that its GPUs are taken", async () => {
    await world.image();
    await world.host({ gpus: 1 });
    const product = await world.product();
    await world.launch(await world.account(), { instanceType: product.name });
    expect(await left(product)).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });

  it("counts only GPUs that work", async () => {
    await world.host({ gpus: 2, brokenGpus: 1 });
    expect(await left(await world.product({ gpus: 2 }))).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });
});
