// File systems at a launch: where they are the instance has to be, and each belongs to one instance at a time.

import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { listFileSystems } from "../file-systems/index.ts";
import type { Tenant } from "../service.ts";
import { launch, type Product } from "./index.ts";

const world = worldOfFile();
let tenant: Tenant;
let product: Product;
beforeEach(async () => {
  tenant = await world.account();
  await world.image();
  await world.host({ region: "north", gpus: 8 });
  await world.host({ region: "south", gpus: 1 });
  product = await world.product();
  await world.fileSystem(tenant, { name: "data", region: "north" });
});

const order = (fileSystemNames: string[], region = "any") => ({
  instanceType: product.name,
  fileSystemNames,
  region,
});

async function attachedTo(name: string): Promise<string | null | undefined> {
  return (await listFileSystems(world.db, tenant)).find((one) => one.name === name)?.attachedTo;
}

describe("a launch with a file system", () => {
  it("attaches it to the instance, and the instance names it", async () => {
    const instance = await world.launchOne(tenant, order(["data"]));
    expect(await attachedTo("data")).toBe(instance.id);
    expect(instance.fileSystemNames).toEqual(["data"]);
  });

  it('goes to its region where "any" is asked for, though another would be chosen without', async () => {
    expect((await world.launchOne(tenant, order([]))).region.name).toBe("south");
    expect((await world.launchOne(tenant, order(["data"]))).region.name).toBe("north");
  });

  it("attaches several, in the order asked for, each once", async () => {
    await world.fileSystem(tenant, { name: "more", region: "north" });
    const instance = await world.launchOne(tenant, order(["more", "data", "more"], "north"));
    expect(instance.fileSystemNames).toEqual(["more", "data"]);
    expect([await attachedTo("data"), await attachedTo("more")]).toEqual([instance.id, instance.id]);
  });

  it("in another region than the one asked for is refused, and the message says where it is", async () => {
    const { fields } = await changingNothing(world.db, () =>
      refusal("invalid-parameters", world.launch(tenant, order(["data"], "south"))),
    );
    expect(fields.field_file_systems?.message).toBe("File system data is in region north.");
  });

  it("in one region and a second in another is refused", async () => {
    await world.fileSystem(tenant, { name: "far", region: "south" });
    await refusal("invalid-parameters", world.launch(tenant, order(["data", "far"])));
  });

  it("is of one instance only: a larger quantity is refused", async () => {
    const { fields } = await refusal("invalid-parameters", world.launch(tenant, { ...order(["data"]), quantity: 2 }));
    expect(Object.keys(fields)).toEqual(["field_quantity"]);
  });

  it("that is attached already is refused, and nothing is held", async () => {
    await world.launch(tenant, order(["data"]));
    const details = await changingNothing(world.db, () => refusal("conflict", world.launch(tenant, order(["data"]))));
    expect(details.message).toContain("data");
  });

  it("of another account is as unknown as one that does not exist", async () => {
    const other = await world.account();
    await refusal("unknown-name", world.launch(other, order(["data"])));
  });
});

describe("two launches at once with the same file system", () => {
  it("are one success and one refusal", async () => {
    await using first = await begin(world.db);
    await launch(first.tx, world.service, tenant, launchOrder({ ...order(["data"]), region: "north" }));
    await world.host({ region: "north", gpus: 8 });
    const second = refusal("conflict", world.launch(tenant, order(["data"])));
    await untilWaiting(world.db);
    await first.commit();
    await second;
  });

  it("are a success when the first is undone", async () => {
    await using first = await begin(world.db);
    await launch(first.tx, world.service, tenant, launchOrder(order(["data"])));
    await world.host({ region: "north", gpus: 8 });
    const second = world.launchOne(tenant, order(["data"]));
    await untilWaiting(world.db);
    await first.rollback();
    const { id } = await second;
    expect(await attachedTo("data")).toBe(id);
  });
});
