// A token pinned to `vendor-1.0` is answered with the types of the public document from which the vendor's clients are
// generated (NVIDIA Brev's provider in Go among them). Every response of variant D is decoded here as Go's encoding/json
// decodes it into the types of that document: a number where a text is declared fails the whole call, and a client that
// cannot read what it launched leaves it billed. Other tokens see D exactly as the specification has it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTransaction } from "../../src/database/transaction.ts";
import { createAccount } from "../../src/rental/accounts/account-store.ts";
import { createToken } from "../../src/rental/accounts/token-store.ts";
import type { CompatibilityVersion } from "../../src/rules/compatibility-versions.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

type Json = Record<string, unknown>;
/** A type of the vendor's document: a kind, a list of one type, a map of one type, or a structure. */
type VendorType =
  | "string"
  | "int32"
  | "boolean"
  | "object"
  | readonly [VendorType]
  | { readonly [field: string]: VendorType };

const region = { name: "string", description: "string" } as const;
const product = {
  name: "string",
  description: "string",
  gpu_count: "int32",
  vcpu: "int32",
  ram: "int32",
  storage: "int32",
  price_hr: "string",
  final_price_hr: "string",
} as const;
const instance = {
  uuid: "string",
  name: "string",
  ip: "string",
  username: "string",
  password: "string",
  status: "string",
  os_booted: "int32",
  command_startup: "string",
  created: "string",
  active: "int32",
  image: { id: "int32", name: "string", description: "string" },
  product,
} as const;
const operated = {
  id: "string",
  name: "string",
  ip: "string",
  status: "string",
  jupyter_token: "string",
  jupyter_url: "string",
  ssh_key_names: ["string"],
  file_system_names: ["string"],
  region,
} as const;
const instanceType = { name: "string", description: "string", price_cents_per_hour: "int32" } as const;
const coupon = { code: "string", discountPercent: "string", deactivationDate: "string" } as const;
const vendorTypes = {
  inventory: {
    gpu_inventory: {
      "*": {
        instance_type: { ...instanceType, specs: { vcpu_count: "int32", memory_gib: "int32", storage_gb: "int32" } },
        regions_with_capacity_available: [region],
        capacity_available: "int32",
      },
    },
  },
  images: { images: [{ vm_image_id: "int32", vm_image_name: "string", vm_image_description: "string" }] },
  instances: { runningInstances: [instance] },
  read: { runningInstances: [instance], runningInstance: instance },
  launched: { response: "string" },
  restarted: {
    response: [
      {
        ...operated,
        instance_type: { ...instanceType, specs: { vcpus: "int32", memory_gib: "int32", storage_gb: "int32" } },
      },
    ],
  },
  terminated: { response: { data: { terminated_instances: [{ ...operated, instance_type: instanceType }] } } },
  coupon: { coupon },
  validation: {
    couponValidation: {
      coupon,
      productDetails: [
        { name: "string", description: "string", pricePerHour: "string", inventoryAvailable: "boolean" },
      ],
    },
  },
  billing: {
    billingMethod: "string",
    rechargeThresholdCents: "int32",
    rechargeThreshold: "string",
    rechargeAmountCents: "int32",
    rechargeAmount: "string",
  },
  keys: { sshKeys: [{ id: "string", name: "string", public_key: "string" }] },
  addedKey: { sshKey: { id: "string", name: "string" } },
  deletedKey: { result: "object" },
  validToken: { message: "string" },
} as const satisfies Record<string, VendorType>;

/** Why Go could not decode this into that type; null and unknown or missing fields decode. */
function* undecodable(value: unknown, type: VendorType, path = "$"): Iterable<string> {
  if (value === null) return;
  if (type === "int32") {
    if (!Number.isInteger(value) || Math.abs(value as number) >= 2 ** 31) yield `${path}: ${value} as int32`;
  } else if (type === "object" || typeof type === "string") {
    const isObject = typeof value === "object" && !Array.isArray(value);
    if (type === "object" ? !isObject : typeof value !== type) yield `${path}: ${JSON.stringify(value)} as ${type}`;
  } else if (Array.isArray(type)) {
    if (!Array.isArray(value)) yield `${path}: no list`;
    else for (const [at, one] of value.entries()) yield* undecodable(one, type[0] as VendorType, `${path}[${at}]`);
  } else if (typeof value !== "object" || Array.isArray(value)) {
    yield `${path}: no structure`;
  } else {
    const fields = type as Record<string, VendorType>;
    for (const [name, one] of Object.entries(value)) {
      const declared = fields[name] ?? fields["*"];
      if (declared !== undefined) yield* undecodable(one, declared, `${path}.${name}`);
    }
  }
}

let server: RunningServer;
/** Of one account. */
let pinned: string;
let current: string;
let pinnedToReference: string;

const order = { productName: "gpu_1x_a6000", regionName: "any" };

async function tokensOf(pins: readonly (CompatibilityVersion | null)[]): Promise<string[]> {
  return inTransaction(server.db, async (tx) => {
    const quotas = { instances: 100, gpus: 100, vcpus: 1000, ssh_keys: 10, file_systems: 10 };
    const { id } = await createAccount(tx, { name: "vendor", quotas });
    const tokens: string[] = [];
    for (const compatibilityVersion of pins) {
      const wish = { accountId: id, name: "t", scopes: ["read", "write"] as const, expiresAt: null };
      tokens.push((await createToken(tx, { ...wish, compatibilityVersion })).token);
    }
    return tokens;
  });
}

beforeAll(async () => {
  server = await startServer();
  const put = async (path: string, body: object) => {
    const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
    expect(status, text).toBe(200);
  };
  await put("/regions/us-central-1", { description: "Kansas City, USA" });
  await put("/images/base", { number: 1, default: true });
  const size = { gpu_model: "A6000", gpus: 1, vcpus: 6, memory_gib: 48, storage_gb: 256 };
  await put("/instance-types/gpu_1x_a6000", { ...size, description: "1x RTX A6000", price_cents_per_hour: 79 });
  const gpus = [1, 2, 3, 4].map((at) => ({ address: `0000:0${at}:00.0`, model: "A6000", memory_gib: 48 }));
  const host = { engine: "simulated", region: "us-central-1", vcpus: 400, memory_gib: 4000, storage_gb: 40_000, gpus };
  await put("/hosts/host-1", host);
  await put("/coupons/SUMMER", { discount_percent: 28.57, deactivation_date: "2099-12-31T00:00:00Z" });
  [pinned = "", current = "", pinnedToReference = ""] = await tokensOf(["vendor-1.0", null, "1.0.3"]);
});
afterAll(() => server?.close());

async function ask(method: string, path: string, body?: unknown, token = pinned, headers = {}) {
  const answer = await call(method, `${server.direct}${path}`, { token, body, headers });
  return { ...answer, body: (answer.body ?? {}) as Json };
}

/** The body, decoded as a client of the vendor does. */
async function decoded(type: keyof typeof vendorTypes, method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await ask(method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  expect([...undecodable(answer.body, vendorTypes[type])], `${method} ${path}`).toEqual([]);
  return answer.body;
}

const first = (body: Json) => (body.runningInstances as Json[])[0] ?? {};
const terminate = (uuid: string) => ask("POST", "/instance/terminate", { instanceUuids: [uuid] });
const launched = async (more: object = {}) =>
  String((await ask("POST", "/instance/launch", { ...order, ...more })).body.response);
const isUp = async (uuid: string) =>
  expect.poll(async () => first((await ask("GET", `/instance/${uuid}`)).body).os_booted, { interval: 20 }).toBe(1);

describe("a token pinned to vendor-1.0", () => {
  it("rents with a client generated from the vendor's document: it decodes every response", async () => {
    await decoded("validToken", "POST", "/account/token/validation");
    await decoded("billing", "GET", "/account/billing");
    await decoded("inventory", "GET", "/gpu-inventory");
    await decoded("images", "GET", "/images");
    const { sshKey } = await decoded("addedKey", "POST", "/ssh-keys", { name: "rental", publicKey: examplePublicKey });
    await decoded("keys", "GET", "/ssh-keys");
    await decoded("coupon", "POST", "/coupon/information", { coupon: "SUMMER" });
    await decoded("coupon", "POST", "/coupon/information", {});
    await decoded("validation", "POST", "/coupon/accepted-products", { coupon: "SUMMER" });
    const { response: uuid } = await decoded("launched", "POST", "/instance/launch", { ...order, coupon: "SUMMER" });
    await isUp(String(uuid));
    await decoded("instances", "GET", "/instance");
    await decoded("read", "GET", `/instance/${uuid}`);
    const ids = { instanceUuids: [uuid] };
    await decoded("restarted", "POST", "/instance/restart", ids);
    await decoded("terminated", "POST", "/instance/terminate", ids);
    await decoded("deletedKey", "DELETE", `/ssh-keys/${(sshKey as Json).id}`);
  });

  it("reads the password as a text of its 15 digits, and an empty one where password login is off", async () => {
    const uuid = await launched();
    const { password } = first((await ask("GET", `/instance/${uuid}`)).body);
    expect(password).toMatch(/^[1-9][0-9]{14}$/);
    expect(first((await ask("GET", "/instance")).body).password).toBe(password);
    const asNumber = first((await ask("GET", `/instance/${uuid}`, undefined, current)).body).password;
    expect(asNumber).toBe(Number(password));
    await terminate(uuid);
    const withKey = await launched({ sshKeys: [await keyNamed("with-key")] });
    expect(first((await ask("GET", `/instance/${withKey}`)).body).password).toBe("");
    await terminate(withKey);
  });

  it("reads prices as decimal strings in the list too", async () => {
    const uuid = await launched({ coupon: "SUMMER" });
    const prices = { price_hr: "0.790000", final_price_hr: "0.564297" };
    expect(first((await ask("GET", "/instance")).body).product).toMatchObject(prices);
    expect(first((await ask("GET", `/instance/${uuid}`)).body).product).toMatchObject(prices);
    await terminate(uuid);
  });

  it("reads a discount as a fraction, and the products of a coupon as one list", async () => {
    const { body } = await ask("POST", "/coupon/information", { coupon: "SUMMER" });
    expect(body).toMatchObject({ coupon: { code: "SUMMER", discountPercent: "0.2857" } });
    expect((await ask("POST", "/coupon/accepted-products", { coupon: "SUMMER" })).body).toMatchObject({
      couponValidation: {
        coupon: { discountPercent: "0.2857" },
        productDetails: [{ name: "gpu_1x_a6000", pricePerHour: "0.790000" }],
      },
    });
  });

  it("reads recharge amounts as strings, and those in cents as numbers", async () => {
    const amounts = { rechargeThreshold: "0", rechargeAmount: "0", rechargeThresholdCents: 0, rechargeAmountCents: 0 };
    expect((await ask("GET", "/account/billing")).body).toEqual({ billingMethod: "postpaid", ...amounts });
  });

  it("reboots a running instance with a restart, and bills on", async () => {
    const uuid = await launched();
    await isUp(uuid);
    const restart = await ask("POST", "/instance/restart", { instanceUuids: [uuid] });
    expect(restart).toMatchObject({ status: 202, body: { response: [{ id: uuid, status: "booting" }] } });
    await isUp(uuid);
    await terminate(uuid);
  });

  it("keeps the errors, paths and status labels of everybody", async () => {
    const wrong = await ask("POST", "/instance/launch", { ...order, imageId: "one" });
    expect(wrong.body).toMatchObject({ error: { request_id: expect.any(String) }, field_errors: { imageId: {} } });
  });
});

describe("another token", () => {
  it("is answered exactly as the specification has it", async () => {
    const uuid = await launched();
    for (const token of [current, pinnedToReference]) {
      const listed = first((await ask("GET", "/instance", undefined, token)).body);
      expect(listed).toMatchObject({ password: expect.any(Number), product: { price_hr: 0.79, final_price_hr: 0.79 } });
      const read = first((await ask("GET", `/instance/${uuid}`, undefined, token)).body);
      expect(read).toMatchObject({ password: expect.any(Number), product: { price_hr: "0.790000" } });
      const { body } = await ask("POST", "/coupon/accepted-products", { coupon: "SUMMER" }, token);
      expect(body).toMatchObject({
        couponValidation: { coupon: { discountPercent: 28.57 }, productDetails: [[{ name: "gpu_1x_a6000" }]] },
      });
      expect((await ask("GET", "/account/billing", undefined, token)).body).toMatchObject({ rechargeAmount: 0 });
    }
    await isUp(uuid);
    const restart = await ask("POST", "/instance/restart", { instanceUuids: [uuid] }, current);
    expect(restart).toMatchObject({
      status: 409,
      body: { error: { code: "instance-operations/restart/instance-not-stopped" } },
    });
    await terminate(uuid);
  });

  it.each([
    ["first", () => [current, pinned]],
    ["last", () => [pinned, current]],
  ] as const)("that polls %s never gets what was cached for the other", async (_, tokens) => {
    const uuid = await launched();
    for (let again = 0; again < 3; again++) {
      for (const path of ["/instance", `/instance/${uuid}`]) {
        for (const token of tokens()) {
          const { password } = first((await ask("GET", path, undefined, token)).body);
          expect(typeof password).toBe(token === pinned ? "string" : "number");
        }
      }
    }
    await terminate(uuid);
  });

  it("repeats a request of the other under its Idempotency-Key in its own types", async () => {
    const key = { "idempotency-key": "coupon" };
    const asked = (token: string) => ask("POST", "/coupon/information", { coupon: "SUMMER" }, token, key);
    expect((await asked(current)).body).toMatchObject({ coupon: { discountPercent: 28.57 } });
    const replayed = await asked(pinned);
    expect(replayed.headers.get("idempotency-replayed")).toBe("true");
    expect(replayed.body).toMatchObject({ coupon: { discountPercent: "0.2857" } });
  });
});

/** A registered key of this name. */
async function keyNamed(name: string): Promise<string> {
  expect((await ask("POST", "/ssh-keys", { name, publicKey: examplePublicKey })).status).toBe(200);
  return name;
}
