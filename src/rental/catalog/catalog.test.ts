// The catalogue: instance types, images and regions, put again and again by whoever applies it.

import { describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { imageOf } from "./image-choice.ts";
import { deleteImage, listImages, putImage } from "./image-store.ts";
import { deleteInstanceType, findInstanceType, listInstanceTypes } from "./instance-type-store.ts";
import { deleteRegion, listRegions } from "./region-store.ts";

const world = worldOfFile();

const imageNow = async (asked: Parameters<typeof imageOf>[1]) => imageOf(await listImages(world.db), asked);

describe("an instance type", () => {
  it("is found as it was put, and replaced when it is put again", async () => {
    const product = await world.product();
    expect(await findInstanceType(world.db, product.name)).toEqual(product);
    const dearer = await world.product({ ...product, priceCentsPerHour: 7, gpus: 0, gpuModel: null });
    expect(await findInstanceType(world.db, product.name)).toEqual(dearer);
    expect(await listInstanceTypes(world.db)).toEqual([dearer]);
  });

  it("has a GPU model if and only if it has GPUs", async () => {
    for (const wrong of [
      { gpus: 1, gpuModel: null },
      { gpus: 0, gpuModel: "H100" },
    ]) {
      const { fields } = await changingNothing(world.db, () => refusal("invalid-parameters", world.product(wrong)));
      expect(Object.keys(fields)).toEqual(["gpu_model"]);
    }
  });

  it("is gone when it is deleted", async () => {
    const { name } = await world.product();
    await world.tx((tx) => deleteInstanceType(tx, name));
    expect(await findInstanceType(world.db, name)).toBeUndefined();
    const details = await refusal(
      "unknown-object",
      world.tx((tx) => deleteInstanceType(tx, name)),
    );
    expect(details).toEqual({ what: "instance type", ids: [name] });
  });

  it("is listed by name, page by page", async () => {
    for (const name of ["c", "a", "b"]) await world.product({ name });
    const first = await listInstanceTypes(world.db, { limit: 2 });
    const rest = await listInstanceTypes(world.db, { after: first.at(-1)?.name });
    expect([...first, ...rest].map((product) => product.name)).toEqual(["a", "b", "c"]);
  });
});

describe("an image", () => {
  it("is found by name and by number, as it was put", async () => {
    const image = await world.image({ name: "jammy", number: 22, unsupportedGpuModels: ["B200"] });
    expect(await imageNow({ name: "jammy" })).toEqual(image);
    expect(await imageNow({ number: 22 })).toEqual(image);
    expect(await imageNow({ name: "noble" })).toBeUndefined();
    for (const number of [23, 0, -1, 22.5, 1e12, 1e300]) expect(await imageNow({ number })).toBeUndefined();
  });

  it("has a number of its own; one put again may keep it or take another", async () => {
    const image = await world.image({ name: "jammy", number: 22 });
    const { field } = await changingNothing(world.db, () =>
      refusal("duplicate", world.image({ name: "noble", number: 22 })),
    );
    expect(field).toBe("number");
    await world.image({ ...image, description: "again" });
    await world.image({ ...image, number: 23 });
    expect((await listImages(world.db)).map((one) => [one.name, one.number])).toEqual([["jammy", 23]]);
  });

  it("is gone when it is deleted", async () => {
    const { name } = await world.image();
    await world.tx((tx) => deleteImage(tx, name));
    await refusal(
      "unknown-object",
      world.tx((tx) => deleteImage(tx, name)),
    );
  });

  it("is listed by name, page by page", async () => {
    for (const name of ["c", "a", "b"]) await world.image({ name });
    const first = await listImages(world.db, { limit: 2 });
    const rest = await listImages(world.db, { after: first.at(-1)?.name });
    expect([...first, ...rest].map((image) => image.name)).toEqual(["a", "b", "c"]);
  });
});

describe("the default image", () => {
  const defaultName = async () => (await imageNow(undefined))?.name;

  it("is the one that was put as default last, and there is one only", async () => {
    await world.image({ name: "old" });
    await world.image({ name: "new" });
    expect(await defaultName()).toBe("new");
    expect((await listImages(world.db)).filter((image) => image.isDefault)).toHaveLength(1);
  });

  it("is the one with the lowest number where none was put as default", async () => {
    await world.image({ name: "b", number: 7, isDefault: false });
    await world.image({ name: "a", number: 9, isDefault: false });
    expect(await defaultName()).toBe("b");
  });

  it("is none where there are no images", async () => {
    expect(await defaultName()).toBeUndefined();
  });

  it("stays one when it is put again, and stops being one when it is put as not", async () => {
    const image = await world.image({ name: "only" });
    await world.image({ ...image });
    expect((await imageNow(undefined))?.isDefault).toBe(true);
    await world.image({ ...image, isDefault: false });
    expect((await imageNow(undefined))?.isDefault).toBe(false);
  });

  it("is one of them when several are put as default at once, and nobody is refused", async () => {
    await world.image({ name: "old" });
    const put = (name: string, number: number) =>
      world.tx(async (tx) => {
        await putImage(tx, {
          name,
          number,
          description: "",
          family: "",
          version: "",
          architecture: "x86_64",
          loginUser: "ubuntu",
          unsupportedGpuModels: [],
          driverBranch: null,
          jupyter: false,
          metrics: false,
          isDefault: true,
        });
      });
    await Promise.all([put("a", 101), put("b", 102), put("c", 103)]);
    expect((await listImages(world.db)).filter((image) => image.isDefault)).toHaveLength(1);
    expect(["a", "b", "c"]).toContain(await defaultName());
  });
});

describe("a region", () => {
  const remove = (name: string) => world.tx((tx) => deleteRegion(tx, name));

  it("is listed by name, and put again changes its description", async () => {
    for (const name of ["south", "east", "north"]) await world.region(name);
    const regions = await listRegions(world.db);
    expect(regions.map((region) => region.name)).toEqual(["east", "north", "south"]);
    expect(regions[0]?.description).toBe("The region east");
    expect(await listRegions(world.db, { after: "east", limit: 1 })).toEqual([regions[1]]);
  });

  it('cannot be called "any", which means the best one', async () => {
    expect(Object.keys((await refusal("invalid-parameters", world.region("any"))).fields)).toEqual(["name"]);
  });

  it("can be deleted when nothing is in it", async () => {
    await world.region("empty");
    await remove("empty");
    expect(await listRegions(world.db)).toEqual([]);
    expect(await refusal("unknown-object", remove("empty"))).toEqual({ what: "region", ids: ["empty"] });
  });

  it("stays while hosts are in it", async () => {
    await world.host({ region: "north" });
    expect((await changingNothing(world.db, () => refusal("conflict", remove("north")))).message).toContain("north");
  });

  it("stays while file systems are in it", async () => {
    await world.region("north");
    await world.fileSystem(await world.account());
    await changingNothing(world.db, () => refusal("conflict", remove("north")));
  });
});
