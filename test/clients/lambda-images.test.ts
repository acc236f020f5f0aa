// The lambda edition's images and architectures, as its clients use them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type Json, order, Shop } from "./lambda-shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.open();
});
afterAll(() => shop?.server.close());

describe("images", () => {
  it("are one for each image and region: gpuhunt knows the regions from here alone", async () => {
    const images = await shop.images();
    expect(images).toHaveLength(6);
    expect(new Set(images.map(({ id }) => id)).size).toBe(6);
    const regions = images.map(({ region }) => (region as Json).name);
    expect(regions).toEqual(["us-east-1", "us-west-1", "us-east-1", "us-west-1", "us-east-1", "us-west-1"]);
  });

  it("have exactly these fields, of which none is null", async () => {
    const shown = (await shop.images()).find((one) => one.name === "lambda-stack-24-04");
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      updated_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      name: "lambda-stack-24-04",
      description: "Lambda Stack 24.04",
      family: "lambda-stack",
      version: "24.4.1",
      architecture: "x86_64",
      region: { name: "us-east-1", description: "Virginia, USA" },
    });
  });

  it("keep their ids when the catalogue is applied again, and are updated only where they are others", async () => {
    await shop.put("/images/passing", { number: 9 });
    const find = async () => (await shop.images()).find((one) => one.name === "passing");
    const before = await find();
    await shop.put("/images/passing", { number: 9 });
    expect(await find()).toEqual(before);
    await shop.put("/images/passing", { number: 9, version: "2" });
    const after = await find();
    expect(after).toMatchObject({ id: before?.id, created_time: before?.created_time, version: "2" });
    expect(after?.updated_time).not.toBe(before?.updated_time);
    await call("DELETE", `${shop.server.control}/images/passing`, { token: shop.server.operatorToken });
    expect(await find()).toBeUndefined();
  });

  const imageOf = async (id: string) => {
    const { control, operatorToken: token } = shop.server;
    const { body } = await call("GET", `${control}/instances/${id}`, { token });
    return (body as { data: { image: { name: string } } }).data.image.name;
  };
  const idOf = async (name: string, region: string) =>
    (await shop.images()).find((one) => one.name === name && (one.region as Json).name === region)?.id;

  it("are launched by their id", async () => {
    const id = await shop.launchOne({ image: { id: await idOf("lambda-stack-24-04", "us-east-1") } });
    expect(await imageOf(id)).toBe("lambda-stack-24-04");
    await shop.terminate(id);
  });

  it("of another region are refused, and told which id would do", async () => {
    const image = { id: await idOf("lambda-stack-24-04", "us-west-1") };
    const { status, fields } = await shop.ask("POST", "/instance-operations/launch", { ...order, image });
    expect([status, Object.keys(fields)]).toEqual([400, ["image.id"]]);
    expect(JSON.stringify(fields)).toContain(await idOf("lambda-stack-24-04", "us-east-1"));
  });

  it("are launched by family: the newest that runs on the type", async () => {
    const x86 = await shop.launchOne({ image: { family: "lambda-stack" } });
    expect(await imageOf(x86)).toBe("lambda-stack-24-04");
    const arm = await shop.launchOne({ image: { family: "lambda-stack" }, instance_type_name: "gpu_1x_gh200" });
    expect(await imageOf(arm)).toBe("lambda-stack-24-04-arm");
    await shop.terminate(x86, arm);
  });

  it("are the operator's default one where none is named, also with null", async () => {
    const id = await shop.launchOne({ image: null });
    expect(await imageOf(id)).toBe("lambda-stack-22-04");
    await shop.terminate(id);
  });

  it.each([
    ["an unknown id", { id: "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d" }, "image.id", "global/object-does-not-exist"],
    ["an unknown family", { family: "windows" }, "image.family", "global/object-does-not-exist"],
    ["both ways", { id: "x", family: "lambda-stack" }, "image", "global/invalid-parameters"],
    ["no way", {}, "image", "global/invalid-parameters"],
  ])("named by %s are refused by the name of the field", async (_, image, field, code) => {
    const { status, fields, error } = await shop.ask("POST", "/instance-operations/launch", { ...order, image });
    expect([status, error.code, Object.keys(fields)]).toEqual([400, code, [field]]);
  });

  it("of another architecture than the type are refused", async () => {
    const image = { id: await idOf("lambda-stack-24-04-arm", "us-east-1") };
    const { status, error } = await shop.ask("POST", "/instance-operations/launch", { ...order, image });
    expect([status, error.message]).toEqual([400, "Product does not support the VM Image"]);
  });
});

describe("the architecture of an instance type", () => {
  it("is x86_64 unless the operator says otherwise, in the catalogue and in an instance", async () => {
    const { data } = await shop.ask("GET", "/instance-types");
    expect(data.gpu_1x_a10).toMatchObject({ instance_type: { architecture: "x86_64" } });
    expect(data.gpu_1x_gh200).toMatchObject({ instance_type: { architecture: "arm64" } });
    const id = await shop.launchOne();
    expect((await shop.read(id)).instance_type).toMatchObject({ architecture: "x86_64" });
    await shop.terminate(id);
  });
});
