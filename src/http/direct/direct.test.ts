// Variant D over HTTP; every answer is held against its own document.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { expectDocumented, type OpenApiDocument } from "../../../test/support/openapi.ts";
import { examplePublicKey, makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let token: string;
let type: string;
let document: OpenApiDocument;

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  await world.host({ gpus: 8 });
  await world.image({ name: "base", number: 7 });
  await world.image({ name: "no-h100", number: 8, unsupportedGpuModels: ["H100"], isDefault: false });
  type = (await world.product({ name: "gpu_1x", priceCentsPerHour: 249 })).name;
  await world.product({ name: "gpu_1x_dear", priceCentsPerHour: 400 });
  await world.product({ name: "gpu_1x_a100", gpuModel: "A100", priceCentsPerHour: 300 });
  await world.product({ name: "cpu", gpus: 0, priceCentsPerHour: 10 });
  await world.coupon({ code: "TEN", discountBasisPoints: 1250 });
  await world.coupon({ code: "OVER", deactivationDate: new Date("2020-01-01T00:00:00Z") });
  token = (await http.customer()).token;
  document = (await http.call("GET", `${http.direct}/openapi.json`)).body as OpenApiDocument;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

async function call(method: string, path: string, body?: unknown) {
  const result = await http.call(method, http.direct + path, { token, body });
  expectDocumented(document, method, path, result.status, result.body);
  return result;
}

async function launch(more: object = {}): Promise<string> {
  const { status, body } = await call("POST", "/instance/launch", { productName: type, regionName: "any", ...more });
  expect(status).toBe(202);
  return (body as { response: string }).response;
}

describe("variant D", () => {
  it("shows its inventory by name", async () => {
    expect((await call("GET", "/gpu-inventory")).body).toMatchObject({
      gpu_inventory: { [type]: { instance_type: { name: type, specs: { vcpu_count: 8 } }, capacity_available: 8 } },
    });
  });

  it("launches without keys behind a password of 15 digits, and with keys without one", async () => {
    await call("POST", "/ssh-keys", { name: "laptop", publicKey: examplePublicKey });
    const [open, closed, aliased] = [
      await launch(),
      await launch({ sshKeys: ["laptop"] }),
      await launch({ sshKey: "laptop" }),
    ];
    const { body } = await call("GET", "/instance");
    const passwords = new Map(
      (body as { runningInstances: { uuid: string; password: number }[] }).runningInstances.map((one) => [
        one.uuid,
        one.password,
      ]),
    );
    expect(String(passwords.get(open))).toMatch(/^[1-9][0-9]{14}$/);
    expect([passwords.get(closed), passwords.get(aliased)]).toEqual([0, 0]);
    await call("POST", "/instance/terminate", { instanceUuids: [open, closed, aliased] });
  });

  it("shows prices as numbers in the list and as six digits in the read, after the coupon", async () => {
    const id = await launch({ coupon: "TEN", command: "echo hi", instanceName: "priced", imageId: 7 });
    const list = await call("GET", "/instance");
    expect(list.body).toMatchObject({
      runningInstances: [{ uuid: id, product: { price_hr: 2.49, final_price_hr: 2.17875 } }],
    });
    const { body } = await call("GET", `/instance/${id}`);
    const shown = (body as { runningInstance: object }).runningInstance;
    expect(body).toEqual({ runningInstance: shown, runningInstances: [shown] });
    expect(shown).toMatchObject({
      uuid: id,
      name: "priced",
      username: "ubuntu",
      status: "rented",
      active: 1,
      os_booted: 0,
      command_startup: "echo hi",
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      image: { id: 7, name: "base" },
      product: { gpu_count: 1, vcpu: 8, ram: 64, storage: 500, price_hr: "2.490000", final_price_hr: "2.178750" },
      region: { name: "north" },
    });
    await call("POST", "/instance/terminate", { instanceUuids: [id] });
  });

  it("restarts in the shape of M with its own specs, and terminates with name and description only", async () => {
    const id = await launch();
    expect((await call("POST", "/instance/restart", { instanceUuids: [id] })).status).toBe(409);
    await world.put(id, "stopped");
    expect((await call("GET", `/instance/${id}`)).body).toMatchObject({
      runningInstance: { active: 0, status: "rented" },
    });
    const restarted = await call("POST", "/instance/restart", { instanceUuids: [id] });
    expect(restarted).toMatchObject({
      status: 202,
      body: {
        response: [{ id, status: "booting", instance_type: { specs: { vcpus: 8, memory_gib: 64, storage_gb: 500 } } }],
      },
    });
    const gone = await call("POST", "/instance/terminate", { instanceUuids: [id] });
    const shape = { name: type, description: "A machine for tests" };
    expect(gone.status).toBe(202);
    expect(gone.body).toMatchObject({ response: { data: { terminated_instances: [{ id, status: "terminated" }] } } });
    const { response } = gone.body as { response: { data: { terminated_instances: { instance_type: object }[] } } };
    expect(response.data.terminated_instances[0]?.instance_type).toEqual(shape);
    expect((await call("GET", "/instance")).body).toEqual({ runningInstances: [] });
    expect((await call("GET", `/instance/${id}`)).body).toMatchObject({
      runningInstance: { status: "terminated", active: 0 },
    });
  });

  it("names the field of an image that the product does not support", async () => {
    const { status, body } = await call("POST", "/instance/launch", {
      productName: type,
      regionName: "any",
      imageId: 8,
    });
    const problem = { code: "global/invalid-parameters", message: "Product does not support the VM Image" };
    expect([status, body]).toMatchObject([400, { field_errors: { imageId: problem } }]);
  });

  it.each([
    [{ imageId: 8 }, "Product does not support the VM Image"],
    [{ imageId: 99 }, "imageId"],
    [{ imageId: 3_000_000_000 }, "imageId"],
    [{ imageId: "7" }, "imageId"],
    [{ coupon: "OVER" }, "expired"],
    [{ coupon: "NONE" }, "coupon"],
    [{ sshKey: ["laptop", "none"] }, "sshKey"],
    [{ sshKeys: ["laptop"], sshKey: "none" }, "sshKeys"],
    [{ sshKey: 5 }, "sshKey"],
    [{ productName: "none" }, "productName"],
    [{ regionName: "none" }, "regionName"],
    [{ instanceName: "" }, "instanceName"],
  ])("refuses a launch with %j", async (bad, words) => {
    const result = await call("POST", "/instance/launch", { productName: type, regionName: "any", ...bad });
    expect(result.status).toBe(400);
    expect(result.text).toContain(words);
  });

  it("reads coupons, also expired ones, and validates them against products", async () => {
    const coupon = { code: "TEN", discountPercent: 12.5, deactivationDate: expect.stringMatching(/Z$/) };
    expect((await call("POST", "/coupon/information", { coupon: "TEN" })).body).toEqual({ coupon });
    expect((await call("POST", "/coupon/information", { coupon: "OVER" })).status).toBe(200);
    expect((await call("POST", "/coupon/information")).body).toEqual({ coupon: null });
    expect((await call("POST", "/coupon/information", { coupon: "NONE" })).status).toBe(400);
    expect((await call("POST", "/coupon/accepted-products", { coupon: "OVER" })).status).toBe(400);
    const { body } = await call("POST", "/coupon/accepted-products", { coupon: "TEN" });
    const { couponValidation } = body as { couponValidation: { productDetails: { name: string }[][] } };
    expect(couponValidation).toMatchObject({ coupon });
    expect(couponValidation.productDetails.map((group) => group.map(({ name }) => name))).toEqual([
      ["cpu"],
      ["gpu_1x", "gpu_1x_dear"],
      ["gpu_1x_a100"],
    ]);
    expect(couponValidation.productDetails[1]?.[0]).toMatchObject({
      pricePerHour: "2.490000",
      finalPricePerHour: "2.178750",
      inventoryAvailable: true,
    });
    expect(couponValidation.productDetails[2]?.[0]).toMatchObject({ inventoryAvailable: false });
    const all = await call("POST", "/coupon/accepted-products", {});
    expect(all.body).toMatchObject({ couponValidation: { coupon: null } });
  });

  it("adds, lists and deletes keys, and knows images, tokens and billing", async () => {
    const added = await call("POST", "/ssh-keys", { name: "second", publicKey: examplePublicKey });
    const { id } = (added.body as { sshKey: { id: string } }).sshKey;
    expect(added).toMatchObject({ status: 200, body: { sshKey: { id, name: "second" } } });
    expect((await call("GET", "/ssh-keys")).text).toContain('"public_key"');
    expect((await call("DELETE", `/ssh-keys/${id}`)).body).toEqual({ result: {} });
    expect((await call("GET", "/images")).body).toMatchObject({
      images: [{ vm_image_id: 7, vm_image_name: "base" }, {}],
    });
    expect((await call("POST", "/account/token/validation")).body).toEqual({ message: "Valid Token" });
    expect((await call("GET", "/account/billing")).body).toMatchObject({ billingMethod: "postpaid" });
    await world.db.updateTable("accounts").set({ payment_terms: "prepaid" }).execute();
    expect((await call("GET", "/account/billing")).body).toMatchObject({ billingMethod: "prepaid" });
    await world.db.updateTable("accounts").set({ payment_terms: "postpaid" }).execute();
  });
});
