// Everything a launch refuses: with the calling variant's own field names, and with nothing changed by it.

import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { RentalErrorDetails, RentalErrorKind } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import type { LaunchOrder } from "./order.ts";

const world = worldOfFile({ maxQuantity: 4 });
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ gpus: 8 });
  product = await world.product({ gpus: 1 });
});

/** The launch of the product with this besides is refused, and nothing changed. */
function refused<K extends RentalErrorKind>(kind: K, order: Partial<LaunchOrder>): Promise<RentalErrorDetails[K]> {
  return changingNothing(world.db, () =>
    refusal(kind, world.launch(principal, { instanceType: product.name, ...order })),
  );
}

async function fieldsRefused(order: Partial<LaunchOrder>): Promise<string[]> {
  return Object.keys((await refused("invalid-parameters", order)).fields);
}

describe("a name that nothing has", () => {
  const unknown: [string, Partial<LaunchOrder>, string][] = [
    ["instance type", { instanceType: "nothing" }, "field_type"],
    ["region", { region: "nothing" }, "field_region"],
    ["image", { image: { name: "nothing" } }, "field_image"],
    ["image number", { image: { number: 999 } }, "field_image"],
    ["image number beyond what a database number can be", { image: { number: 99_999_999_999 } }, "field_image"],
    ["SSH key", { sshKeyNames: ["nothing"] }, "field_keys"],
    ["file system", { fileSystemNames: ["nothing"] }, "field_file_systems"],
    ["coupon", { coupon: "NOTHING" }, "coupon"],
  ];
  for (const [what, order, field] of unknown) {
    it(`as ${what} is refused, and the field is named as the variant calls it`, async () => {
      const { fields } = await refused("unknown-name", order);
      expect(Object.keys(fields)).toEqual([field]);
      expect(fields[field]?.code).toBe("global/object-does-not-exist");
    });
  }

  it("is repeated in the message in part only, however long it is", async () => {
    const { fields } = await refused("unknown-name", { instanceType: "x".repeat(5000) });
    expect(fields.field_type?.message.length).toBeLessThan(200);
  });

  it("is a refusal also where it is another account's", async () => {
    const other = await world.account();
    await world.sshKey(other, "theirs");
    await refused("unknown-name", { sshKeyNames: ["theirs"] });
  });

  it("is what remains of an image when there is none at all", async () => {
    await world.db.deleteFrom("images").execute();
    expect(Object.keys((await refused("unknown-name", {})).fields)).toEqual(["field_image"]);
  });
});

describe("a value that breaks a rule", () => {
  for (const quantity of [0, -1, 5, 1.5, Number.NaN]) {
    it(`is a quantity of ${quantity} where 1 to 4 may be`, async () => {
      expect(await fieldsRefused({ quantity })).toEqual(["field_quantity"]);
    });
  }

  it("is a name of no or too many characters, or with control characters", async () => {
    for (const name of ["", "x".repeat(65), "a\nb"]) expect(await fieldsRefused({ name })).toEqual(["field_name"]);
    expect(await world.launch(principal, { instanceType: product.name, name: "x".repeat(64) })).toHaveLength(1);
  });

  it("is a command of more than 64 KiB, in bytes", async () => {
    expect(await fieldsRefused({ command: "é".repeat(32_769) })).toEqual(["field_command"]);
    expect(await world.launch(principal, { instanceType: product.name, command: "é".repeat(32_768) })).toHaveLength(1);
  });

  it("is a region without a name", async () => {
    expect(await fieldsRefused({ region: "" })).toEqual(["field_region"]);
  });

  it("is an env var with a bad key or value, each named by its key, and never with its value", async () => {
    const envVars = { "1bad": "secret-one", PATH: "secret-two", GOOD: "fine", NUL: "secret\0three" };
    const { fields } = await refused("invalid-parameters", { envVars });
    expect(Object.keys(fields).sort()).toEqual(["field_env_vars.1bad", "field_env_vars.NUL", "field_env_vars.PATH"]);
    expect(JSON.stringify(fields)).not.toContain("secret");
  });

  it("is too much of env vars together", async () => {
    const envVars = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`KEY_${n}`, "v"]));
    expect(await fieldsRefused({ envVars })).toEqual(["field_env_vars"]);
  });

  it("is told together with all others, so that one answer is enough to repair a request", async () => {
    const order = { quantity: 0, name: "", command: "x".repeat(70_000), region: "", envVars: { PATH: "x" } };
    expect((await fieldsRefused(order)).sort()).toEqual([
      "field_command",
      "field_env_vars.PATH",
      "field_name",
      "field_quantity",
      "field_region",
    ]);
  });
});

describe("a coupon", () => {
  it("that is switched off is refused, never ignored", async () => {
    const { code } = await world.coupon({ active: false });
    expect(await refused("coupon-refused", { coupon: code })).toEqual({ code, reason: "switched-off" });
  });

  it("that has expired is refused", async () => {
    const { code } = await world.coupon({ deactivationDate: new Date(Date.now() - 60_000) });
    expect(await refused("coupon-refused", { coupon: code })).toEqual({ code, reason: "expired" });
  });

  it("that is for other products is refused", async () => {
    const { code } = await world.coupon({ instanceTypes: ["another"] });
    expect(await refused("coupon-refused", { coupon: code })).toEqual({
      code,
      reason: "not-for-product",
      product: product.name,
    });
  });
});

describe("an image", () => {
  it("that the product's GPUs cannot run is refused", async () => {
    const image = await world.image({ unsupportedGpuModels: ["A100", "H100"], isDefault: false });
    expect(await refused("image-not-supported", { image: { name: image.name } })).toEqual({
      field: "field_image",
      product: product.name,
      image: image.name,
    });
  });

  it("that is the default one, and that they cannot run, is a problem of the instance type", async () => {
    await world.db
      .updateTable("images")
      .set({ unsupported_gpu_models: ["H100"] })
      .execute();
    expect(await refused("image-not-supported", {})).toMatchObject({ field: "field_type", product: product.name });
  });

  it("that some GPUs cannot run is no matter to a product without GPUs, or with others", async () => {
    const image = await world.image({ unsupportedGpuModels: ["A100"], isDefault: false });
    const plain = await world.product({ gpus: 0 });
    for (const instanceType of [product.name, plain.name]) {
      expect(await world.launch(principal, { instanceType, image: { name: image.name } })).toHaveLength(1);
    }
  });
});

describe("no room", () => {
  it("refuses the whole quantity, and holds nothing of what did fit", async () => {
    const four = await world.product({ gpus: 4 });
    const details = await refused("insufficient-capacity", { instanceType: four.name, quantity: 3 });
    expect(details).toMatchObject({
      instanceType: four.name,
      quantity: 3,
      regionsWithCapacity: [{ region: "north", fits: 2 }],
    });
  });
});

describe("a quota", () => {
  for (const [what, limit] of [
    ["instances", 2],
    ["gpus", 2],
    ["vcpus", 23],
  ] as const) {
    it(`of ${what} refuses the whole quantity, says what is used and asked, and gives the place back`, async () => {
      principal = await world.account({ quotas: { [what]: limit } });
      const perInstance = what === "vcpus" ? product.vcpus : 1;
      await world.launch(principal, { instanceType: product.name });
      expect(await refused("quota-exceeded", { quantity: 2 })).toEqual({
        what,
        limit,
        used: perInstance,
        requested: 2 * perInstance,
      });
      expect(await world.launch(principal, { instanceType: product.name })).toHaveLength(1);
    });
  }

  it("of GPUs is no matter to a launch without any", async () => {
    principal = await world.account({ quotas: { gpus: 0 } });
    const plain = await world.product({ gpus: 0 });
    expect(await world.launch(principal, { instanceType: plain.name })).toHaveLength(1);
    await refused("quota-exceeded", {});
  });

  it("that was lowered below what is in use refuses only what is new", async () => {
    await world.launch(principal, { instanceType: product.name, quantity: 2 });
    await world.db.updateTable("accounts").set({ quota_instances: 1 }).execute();
    expect(await refused("quota-exceeded", {})).toEqual({ what: "instances", limit: 1, used: 2, requested: 1 });
  });
});
