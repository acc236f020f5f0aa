import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Control, codeOf, fieldsOf, startControl } from "../../../../test/support/control.ts";

const path = "/instance-types";
const least = { vcpus: 8, memory_gib: 32, storage_gb: 256, price_cents_per_hour: 16 };
const full = {
  description: "2x H100 (80 GB PCIe)",
  gpu_model: "h100_pcie",
  gpu_description: "H100 (80 GB PCIe)",
  gpus: 2,
  vcpus: 52,
  memory_gib: 450,
  storage_gb: 5500,
  price_cents_per_hour: 638,
  spot_price_cents_per_hour: 250,
  architecture: "arm64",
};

let control: Control;
beforeAll(async () => {
  control = await startControl();
});
afterAll(() => control.close());

describe("putting an instance type", () => {
  it("creates it with every field, and a second time changes nothing", async () => {
    for (const _ of [1, 2]) {
      expect(await control.data("PUT", `${path}/gpu_2x`, { body: full })).toEqual({ name: "gpu_2x", ...full });
    }
    expect(await control.data("GET", path)).toEqual([{ name: "gpu_2x", ...full }]);
  });

  it("gives what is left out its default", async () => {
    expect(await control.data("PUT", `${path}/cpu`, { body: least })).toEqual({
      ...least,
      name: "cpu",
      description: "cpu",
      gpu_model: null,
      gpu_description: "N/A",
      gpus: 0,
      spot_price_cents_per_hour: null,
      architecture: "x86_64",
    });
    const withGpu = { ...least, gpus: 1, gpu_model: "NVIDIA A100-SXM4-80GB" };
    expect(await control.data("PUT", `${path}/gpu`, { body: withGpu })).toMatchObject({
      gpu_description: "NVIDIA A100-SXM4-80GB",
    });
  });

  it("replaces all of it, also what is left out now", async () => {
    await control.data("PUT", `${path}/changing`, { body: full });
    expect(await control.data("PUT", `${path}/changing`, { body: least })).toMatchObject({
      ...{ gpus: 0, gpu_model: null, spot_price_cents_per_hour: null },
    });
  });

  it("takes a spot price from 0 to the full price, or null for none", async () => {
    for (const spot_price_cents_per_hour of [0, 1, 16, null]) {
      const body = { ...least, spot_price_cents_per_hour };
      expect(await control.data("PUT", `${path}/spot`, { body })).toMatchObject({ spot_price_cents_per_hour });
    }
  });

  it("is what variant M offers from then on", async () => {
    await control.data("PUT", `${path}/offered`, { body: full });
    const { body } = await control.call("GET", `${control.marketplace}/instance-types`, {
      token: control.operator.token,
    });
    expect(body).toMatchObject({ data: { offered: { instance_type: { price_cents_per_hour: 638 } } } });
  });

  it("leaves instances with the price they were launched with", async () => {
    const { world, data } = control;
    await world.host({ region: "r" });
    await world.image();
    await data("PUT", `${path}/frozen`, { body: least });
    const instance = await world.launchOne(control.operator.principal, { instanceType: "frozen" });
    await data("PUT", `${path}/frozen`, { body: { ...least, price_cents_per_hour: 99 } });
    expect(await data("GET", `/instances/${instance.id}`)).toMatchObject({
      instance_type: { price_cents_per_hour: 16 },
    });
  });

  it.each([
    [{ ...least, vcpus: undefined }, "vcpus"],
    [{ ...least, vcpus: 0 }, "vcpus"],
    [{ ...least, vcpus: "8" }, "vcpus"],
    [{ ...least, vcpus: 8.5 }, "vcpus"],
    [{ ...least, vcpus: 2 ** 31 }, "vcpus"],
    [{ ...least, memory_gib: -1 }, "memory_gib"],
    [{ ...least, memory_gib: null }, "memory_gib"],
    [{ ...least, memory_gib: 1e300 }, "memory_gib"],
    [{ ...least, storage_gb: true }, "storage_gb"],
    [{ ...least, storage_gb: 2_000_001 }, "storage_gb"],
    [{ ...least, price_cents_per_hour: -1 }, "price_cents_per_hour"],
    [{ ...least, price_cents_per_hour: 9.99 }, "price_cents_per_hour"],
    [{ ...least, price_cents_per_hour: 2 ** 53 }, "price_cents_per_hour"],
    [{ ...least, spot_price_cents_per_hour: 17 }, "spot_price_cents_per_hour"],
    [{ ...least, spot_price_cents_per_hour: -1 }, "spot_price_cents_per_hour"],
    [{ ...least, spot_price_cents_per_hour: 0.5 }, "spot_price_cents_per_hour"],
    [{ ...least, spot_price_cents_per_hour: "8" }, "spot_price_cents_per_hour"],
    [{ ...least, gpus: 65, gpu_model: "a10" }, "gpus"],
    [{ ...least, gpus: 1 }, "gpu_model"],
    [{ ...least, gpus: 1, gpu_model: null }, "gpu_model"],
    [{ ...least, gpus: 0, gpu_model: "a10" }, "gpu_model"],
    [{ ...least, gpus: 1, gpu_model: "" }, "gpu_model"],
    [{ ...least, gpus: 1, gpu_model: 10 }, "gpu_model"],
    [{ ...least, gpus: 1, gpu_model: " a10" }, "gpu_model"],
    [{ ...least, description: "x".repeat(501) }, "description"],
    [{ ...least, gpu_description: [] }, "gpu_description"],
  ])("refuses %j", async (body, field) => {
    const result = await control.ask("PUT", `${path}/bad`, { body });
    expect([result.status, codeOf(result)]).toEqual([400, "global/invalid-parameters"]);
    expect(fieldsOf(result)).toEqual([field]);
  });

  it("names every bad field at once", async () => {
    const result = await control.ask("PUT", `${path}/bad`, { body: { vcpus: 0, storage_gb: "x" } });
    expect(fieldsOf(result).sort()).toEqual(["memory_gib", "price_cents_per_hour", "storage_gb", "vcpus"]);
  });

  it("takes the largest of everything, and a launch of it is refused in words", async () => {
    const { world } = control;
    const largest = { vcpus: 100_000, memory_gib: 1_000_000, storage_gb: 2_000_000, price_cents_per_hour: 100_000_000 };
    await control.data("PUT", `${path}/largest`, { body: { ...largest, gpus: 64, gpu_model: "a10" } });
    await world.image();
    const { status, text } = await control.call("POST", `${control.marketplace}/instance-operations/launch`, {
      token: control.operator.token,
      body: { instance_type_name: "largest", region_name: "any", ssh_key_names: [], quantity: 64 },
    });
    expect([status, text]).toEqual([409, expect.stringContaining("not enough capacity")]);
  });
});

describe("listing and deleting instance types", () => {
  it("is by name, page by page", async () => {
    const all = (await control.data("GET", path)) as { name: string }[];
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).sort());
    expect((await control.pages(path, 1)).flat()).toEqual(all);
  });

  it("is gone when deleted, and 404 after that", async () => {
    await control.data("PUT", `${path}/gone`, { body: least });
    expect(await control.data("DELETE", `${path}/gone`)).toEqual({});
    const again = await control.ask("DELETE", `${path}/gone`);
    expect([again.status, codeOf(again)]).toEqual([404, "global/object-does-not-exist"]);
  });
});
