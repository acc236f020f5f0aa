// Which image a launch boots: by name and number, by an id of one region, by family.

import { describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { imageIdIn } from "./image-choice.ts";

const world = worldOfFile();

/** A world with two regions, in which GPUs are H100. */
async function ready() {
  await world.host({ gpus: 8, vcpus: 400, memoryGib: 4000, storageGb: 40_000 });
  await world.region("south");
  const [principal, product] = [await world.account(), await world.product()];
  const launch = (image: object, more: object = {}) =>
    world.launchOne(principal, { instanceType: product.name, image: image as { name: string }, ...more });
  return { principal, product, launch };
}

describe("the id of an image", () => {
  it("is of one image in one region, and the same whenever it is made", () => {
    const ids = ["a", "b"].flatMap((image) => ["north", "south"].map((region) => imageIdIn(image, region)));
    expect(new Set(ids).size).toBe(4);
    expect(imageIdIn("ubuntu-24.04", "us-east-1")).toBe("e55b0ad5-1259-568b-8f7e-ca6bc4c427ee");
    expect(imageIdIn('a","b', "c")).not.toBe(imageIdIn("a", 'b","c'));
  });

  it("launches that image, with or without dashes and in either case, also where the region is left to the service", async () => {
    const { launch } = await ready();
    const { name } = await world.image({ isDefault: false });
    await world.image();
    const id = imageIdIn(name, "north");
    for (const region of ["north", "any"]) expect((await launch({ id }, { region })).image.name).toBe(name);
    for (const written of [id.toUpperCase(), id.replaceAll("-", ""), id.replaceAll("-", "").toUpperCase()])
      expect((await launch({ id: written })).image.name).toBe(name);
    expect((await launch({ id: imageIdIn(name, "south") }, { region: "any" })).image.name).toBe(name);
  });

  it("of another region is refused, and the refusal says which would do", async () => {
    const { launch } = await ready();
    const { name } = await world.image();
    const elsewhere = launch({ id: imageIdIn(name, "south") }, { region: "north" });
    const { fields } = await refusal("invalid-parameters", elsewhere);
    expect(Object.keys(fields)).toEqual(["field_image"]);
    const { message } = only(Object.values(fields));
    for (const word of [name, "south", "north", imageIdIn(name, "north")]) expect(message).toContain(word);
  });

  it.each(["0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d", "", "ubuntu"])("that no image has is refused: %j", async (id) => {
    const { launch } = await ready();
    await world.image();
    expect(Object.keys((await refusal("unknown-name", launch({ id }))).fields)).toEqual(["field_image"]);
  });
});

describe("the family of an image", () => {
  it("launches the newest of it: what came into the catalogue last, put again or not", async () => {
    const { launch } = await ready();
    const old = await world.image({ family: "stack", number: 90 });
    await travel(world.db, "1 minute");
    const { name } = await world.image({ family: "stack", number: 80 });
    await world.image({ family: "other" });
    await world.image({ ...old, description: "as good as new" });
    expect((await launch({ family: "stack" })).image.name).toBe(name);
  });

  it("launches the newest that runs on the type, where newer ones do not", async () => {
    const { launch } = await ready();
    const { name } = await world.image({ family: "stack" });
    await world.image({ family: "stack", unsupportedGpuModels: ["H100"] });
    await world.image({ family: "stack", architecture: "arm64" });
    expect((await launch({ family: "stack" })).image.name).toBe(name);
  });

  it("of which none runs on the type is refused as not supported", async () => {
    const { launch, product } = await ready();
    const { name } = await world.image({ family: "stack", architecture: "arm64" });
    const details = await refusal("image-not-supported", launch({ family: "stack" }));
    expect(details).toEqual({ field: "field_image", product: product.name, image: name });
  });

  it("that there is none of is refused by its name", async () => {
    const { launch } = await ready();
    await world.image();
    expect(Object.keys((await refusal("unknown-name", launch({ family: "stack" }))).fields)).toEqual(["field_image"]);
  });
});

describe("an image and an instance type", () => {
  it("go together only where their architecture is the same", async () => {
    const { principal } = await ready();
    const arm = await world.product({ architecture: "arm64" });
    const [other, same] = [await world.image(), await world.image({ architecture: "arm64", isDefault: false })];
    const launch = (image: string) => world.launchOne(principal, { instanceType: arm.name, image: { name: image } });
    expect((await launch(same.name)).product.architecture).toBe("arm64");
    expect(await refusal("image-not-supported", launch(other.name))).toEqual({
      field: "field_image",
      product: arm.name,
      image: other.name,
    });
  });
});

describe("an image that is put again", () => {
  it("keeps when it came, and was updated only where it is another", async () => {
    const first = await world.image({ description: "one" });
    expect(first.updatedAt).toEqual(first.createdAt);
    await travel(world.db, "1 minute");
    const same = await world.image({ ...first });
    const old = new Date(first.createdAt.getTime() - 60_000);
    expect(same).toEqual({ ...first, createdAt: old, updatedAt: old });
    const other = await world.image({ ...first, version: "2" });
    expect(other.createdAt).toEqual(same.createdAt);
    expect(other.updatedAt.getTime()).toBeGreaterThan(same.updatedAt.getTime());
  });

  it("was not updated because another one became the default", async () => {
    const first = await world.image();
    await world.image();
    expect(await world.image({ ...first, isDefault: false })).toMatchObject({ updatedAt: first.updatedAt });
  });
});
