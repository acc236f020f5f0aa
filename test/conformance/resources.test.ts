// "Resources and their fields": every field of every resource is there, has its type, and means what it says, in each
// interface that shows it.

import { beforeAll, expect } from "vitest";
import { examplePublicKey } from "../support/world.ts";
import { at, listAt } from "./client.ts";
import { claim } from "./rows.ts";
import { type Customer, coupons, images, prices, regions, sceneOfFile, types } from "./scene.ts";
import { direct, marketplace, reference, type VariantFacts, type VariantName, variants } from "./variants.ts";

const scene = sceneOfFile();
let ada: Customer;
let id: string;
let withPassword: string;

beforeAll(async () => {
  ada = await scene.customer();
  const key = { name: "laptop", public_key: examplePublicKey };
  await scene.client.need("marketplace", "POST", "/ssh-keys", { token: ada.token, body: key });
  await scene.control(
    "POST",
    "/file-systems",
    { name: "models", region: regions.north, size_gb: 10 },
    { token: ada.token },
  );
  const order = {
    ...reference.launch.body({ type: types.h100, name: "training", keys: ["laptop"] }),
    file_system_names: ["models"],
  };
  const launched = await need("reference", "POST", "/instance-operations/launch", order);
  id = String(at(launched, "data", "instance_ids", 0));
  await scene.reached(id, "active");
  const deployed = await need("direct", "POST", "/instance/launch", {
    ...direct.launch.body({ type: types.cpu, name: "deployed" }),
    coupon: coupons.ten,
    command: "touch /root/ran",
  });
  withPassword = String(at(deployed, "response"));
  await scene.reached(withPassword, "active");
});

function need(name: VariantName, method: string, path: string, body?: unknown) {
  return scene.client.need(name, method, path, { token: ada.token, body });
}

const inventories = {
  marketplace: () => need("marketplace", "GET", "/instance-types").then((body) => at(body, "data")),
  direct: () => need("direct", "GET", "/gpu-inventory").then((body) => at(body, "gpu_inventory")),
  reference: () => need("reference", "GET", "/instance-types").then((body) => at(body, "data")),
};

/** A field of the entry for the H100 type, in the given interfaces; in the others it is not there. */
async function expectOfType(path: readonly string[], where: readonly (keyof typeof inventories)[], expected: unknown) {
  for (const [name, inventory] of Object.entries(inventories)) {
    const value = at(await inventory(), types.h100, ...path);
    if (where.some((one) => one === name)) expect(value, name).toEqual(expected);
    else expect(value, name).toBeUndefined();
  }
}

const all = ["marketplace", "direct", "reference"] as const;
const mAndD = ["marketplace", "direct"] as const;

claim("spec/instance-type", {
  "instance_type.name": () => expectOfType(["instance_type", "name"], all, types.h100),
  "instance_type.description": () => expectOfType(["instance_type", "description"], all, `The type ${types.h100}`),
  "instance_type.price_cents_per_hour": () =>
    expectOfType(["instance_type", "price_cents_per_hour"], all, prices[types.h100]),
  "instance_type.specs.vcpu_count": () => expectOfType(["instance_type", "specs", "vcpu_count"], mAndD, 26),
  "instance_type.specs.vcpus": () => expectOfType(["instance_type", "specs", "vcpus"], ["reference"], 26),
  "instance_type.specs.memory_gib": () => expectOfType(["instance_type", "specs", "memory_gib"], all, 104),
  "instance_type.specs.storage_gb": () => expectOfType(["instance_type", "specs", "storage_gb"], mAndD, 650),
  "instance_type.specs.storage_gib": () => expectOfType(["instance_type", "specs", "storage_gib"], ["reference"], 605),
  regions_with_capacity_available: () =>
    expectOfType(
      ["regions_with_capacity_available"],
      all,
      expect.arrayContaining([
        { name: "north", description: "The north" },
        { name: "south", description: "The south" },
      ]),
    ),
  // Two hosts with eight H100 each, one of which is rented.
  capacity_available: () => expectOfType(["capacity_available"], mAndD, 15),
});

const names = Object.values(types).toSorted();

claim("spec/instance-type-sentences", {
  "marketplace-envelope": async () => {
    const body = await need("marketplace", "GET", "/instance-types");
    expect(Object.keys(at(body, "data") as object).toSorted()).toEqual(names);
    expect(Object.keys(body as object)).toEqual(["data"]);
  },
  "direct-envelope": async () => {
    const body = await need("direct", "GET", "/gpu-inventory");
    expect(Object.keys(at(body, "gpu_inventory") as object).toSorted()).toEqual(names);
    expect(Object.keys(body as object)).toEqual(["gpu_inventory"]);
  },
  "reference-envelope": async () => {
    const body = await need("reference", "GET", "/instance-types");
    expect(Object.keys(at(body, "data") as object).toSorted()).toEqual(names);
    expect(Object.keys(body as object)).toEqual(["data"]);
  },
});

async function listed(variant: VariantFacts, which = id): Promise<unknown> {
  const entries = variant.list.entries(await need(variant.name, "GET", variant.list.path));
  return entries.find((entry) => at(entry, variant.list.idField) === which);
}

async function read(variant: VariantFacts, which = id): Promise<unknown> {
  return variant.read.entry(await need(variant.name, "GET", variant.read.path(which)));
}

/** As the answer to a stop shows an instance; one that is stopped already, so that nothing changes. */
async function changed(): Promise<unknown> {
  const answer = await need("marketplace", "POST", "/instance-operations/stop", { instance_uuids: [await stopped()] });
  return at(answer, "data", "stopped_instances", 0);
}

let stoppedId: string | undefined;
async function stopped(): Promise<string> {
  if (stoppedId !== undefined) return stoppedId;
  stoppedId = await scene.active(ada);
  await need("marketplace", "POST", "/instance-operations/stop", { instance_uuids: [stoppedId] });
  await scene.reached(stoppedId, "stopped");
  return stoppedId;
}

async function inListAndRead(variant: VariantFacts, field: string, expected: unknown): Promise<void> {
  expect(at(await listed(variant), field), "list").toEqual(expected);
  expect(at(await read(variant), field), "read").toEqual(expected);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const address = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/);
const north = { name: "north", description: "The north" };
const sold = { name: types.h100, description: `The type ${types.h100}`, price_cents_per_hour: prices[types.h100] };

claim("spec/instance-m", {
  id: async () => {
    expect(id).toMatch(uuid);
    await inListAndRead(marketplace, "id", id);
  },
  name: () => inListAndRead(marketplace, "name", "training"),
  ip: () => inListAndRead(marketplace, "ip", address),
  status: () => inListAndRead(marketplace, "status", "active"),
  ssh_key_names: async () => {
    await inListAndRead(marketplace, "ssh_key_names", ["laptop"]);
    expect(at(await read(marketplace, withPassword), "ssh_key_names")).toEqual([]);
  },
  file_system_names: async () => {
    await inListAndRead(marketplace, "file_system_names", ["models"]);
    expect(at(await read(marketplace, withPassword), "file_system_names")).toEqual([]);
  },
  region: () => inListAndRead(marketplace, "region", north),
  instance_type: async () => {
    expect(at(await listed(marketplace), "instance_type")).toEqual({ ...sold, vcpu: 26, ram: 104, storage: 650 });
    const detailed = { ...sold, specs: { vcpu_count: 26, memory_gib: 104, storage_gb: 650 } };
    expect(at(await read(marketplace), "instance_type")).toEqual(detailed);
    expect(at(await changed(), "instance_type", "specs")).toEqual({ vcpu_count: 4, memory_gib: 16, storage_gb: 100 });
  },
  jupyter_token: async () => {
    await inListAndRead(marketplace, "jupyter_token", "");
    expect(at(await changed(), "jupyter_token")).toBe("");
  },
  jupyter_url: async () => {
    await inListAndRead(marketplace, "jupyter_url", "");
    expect(at(await changed(), "jupyter_url")).toBe("");
  },
});

claim("spec/instance-m-sentences", {
  "operation-status": async () => {
    const words = ["terminated", "active", "stopping", "booting"];
    expect(words).toContain(at(await changed(), "status"));
  },
});

claim("spec/instance-r", {
  id: () => inListAndRead(reference, "id", id),
  name: () => inListAndRead(reference, "name", "training"),
  ip: () => inListAndRead(reference, "ip", address),
  status: () => inListAndRead(reference, "status", "active"),
  ssh_key_names: () => inListAndRead(reference, "ssh_key_names", ["laptop"]),
  file_system_names: () => inListAndRead(reference, "file_system_names", ["models"]),
  region: () => inListAndRead(reference, "region", north),
  instance_type: () =>
    inListAndRead(reference, "instance_type", {
      ...sold,
      gpu_description: "H100 (80 GB)",
      specs: { vcpus: 26, memory_gib: 104, storage_gib: 605, gpus: 1 },
    }),
  hostname: () => inListAndRead(reference, "hostname", expect.stringMatching(/^training-[0-9a-f]{8}$/)),
});

claim("spec/instance-d", {
  uuid: () => inListAndRead(direct, "uuid", id),
  name: () => inListAndRead(direct, "name", "training"),
  ip: () => inListAndRead(direct, "ip", address),
  username: () => inListAndRead(direct, "username", "ubuntu"),
  password: async () => {
    await inListAndRead(direct, "password", 0);
    const password = at(await read(direct, withPassword), "password");
    expect(password).toBeTypeOf("number");
    expect(at(await listed(direct, withPassword), "password")).toBe(password);
  },
  status: () => inListAndRead(direct, "status", "rented"),
  os_booted: () => inListAndRead(direct, "os_booted", 1),
  command_startup: async () => {
    await inListAndRead(direct, "command_startup", "");
    expect(at(await read(direct, withPassword), "command_startup")).toBe("touch /root/ran");
  },
  created: () => inListAndRead(direct, "created", expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  active: () => inListAndRead(direct, "active", 1),
  image: () => inListAndRead(direct, "image", { id: 1, name: images.usual, description: images.usual }),
  product: async () => {
    const product = {
      name: types.cpu,
      description: `The type ${types.cpu}`,
      gpu_count: 0,
      vcpu: 4,
      ram: 16,
      storage: 100,
    };
    const inList = at(await listed(direct, withPassword), "product");
    expect(inList).toEqual({ ...product, price_hr: 0.12, final_price_hr: 0.108 });
    const inRead = at(await read(direct, withPassword), "product");
    expect(inRead).toEqual({ ...product, price_hr: "0.120000", final_price_hr: "0.108000" });
  },
});

claim("spec/instance-d-sentences", {
  "list-field": async () => {
    const body = await need("direct", "GET", "/instance");
    expect(listAt(body, "runningInstances").length).toBeGreaterThan(1);
  },
  "read-field": async () => {
    expect(at(await need("direct", "GET", `/instance/${id}`), "runningInstance", "uuid")).toBe(id);
  },
  restart: async () => {
    const body = await need("direct", "POST", "/instance/restart", { instanceUuids: [await stopped()] });
    const restarted = at(body, "response", 0);
    const seen = await read(marketplace, stoppedId);
    expect(Object.keys(restarted as object).toSorted()).toEqual(Object.keys(seen as object).toSorted());
    expect(restarted).toMatchObject({
      id: stoppedId,
      instance_type: { specs: { vcpus: 4, memory_gib: 16, storage_gb: 100 } },
    });
    expect(Object.keys(at(restarted, "instance_type", "specs") as object)).toEqual([
      "vcpus",
      "memory_gib",
      "storage_gb",
    ]);
  },
  terminate: async () => {
    const one = await scene.active(ada);
    const body = await need("direct", "POST", "/instance/terminate", { instanceUuids: [one] });
    expect(at(body, "response", "data", "terminated_instances", 0)).toMatchObject({ id: one });
    const type = at(body, "response", "data", "terminated_instances", 0, "instance_type");
    expect(type).toEqual({ name: types.cpu, description: `The type ${types.cpu}` });
  },
});

async function keyIn(variant: VariantFacts): Promise<unknown> {
  return listAt(await need(variant.name, "GET", "/ssh-keys"), variant === direct ? "sshKeys" : "data")[0];
}

claim("spec/ssh-key", {
  id: async () => {
    const ids = await Promise.all(variants.map(async (variant) => at(await keyIn(variant), "id")));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(uuid);
  },
  name: async () => {
    for (const variant of variants) expect(at(await keyIn(variant), "name")).toBe("laptop");
  },
  public_key: async () => {
    for (const variant of variants) expect(at(await keyIn(variant), "public_key")).toBe(examplePublicKey);
  },
});

claim("spec/ssh-key-sentences", {
  direct: async () => {
    const body = await need("direct", "POST", "/ssh-keys", { name: "of D", publicKey: examplePublicKey });
    expect(body).toEqual({ sshKey: { id: expect.stringMatching(uuid), name: "of D" } });
  },
  "private-key": async () => {
    const added = await need("reference", "POST", "/ssh-keys", { name: "generated" });
    expect(at(added, "data", 0, "private_key")).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    for (const variant of variants) {
      expect(JSON.stringify(await need(variant.name, "GET", "/ssh-keys"))).not.toMatch(/private/i);
    }
  },
});

const retrieved = (code: string) => need("direct", "POST", "/coupon/information", { coupon: code });

claim("spec/coupon", {
  code: async () => expect(at(await retrieved(coupons.ten), "coupon", "code")).toBe(coupons.ten),
  discountPercent: async () => expect(at(await retrieved(coupons.ten), "coupon", "discountPercent")).toBe(10),
  deactivationDate: async () =>
    expect(at(await retrieved(coupons.ten), "coupon", "deactivationDate")).toBe("2099-12-31T23:59:59.000Z"),
});

claim("spec/coupon-sentences", {
  validation: async () => {
    const { couponValidation } = (await need("direct", "POST", "/coupon/accepted-products", {
      coupon: coupons.cpuOnly,
    })) as {
      couponValidation: unknown;
    };
    expect(at(couponValidation, "coupon")).toMatchObject({ code: coupons.cpuOnly, discountPercent: 10 });
    const product = {
      name: types.cpu,
      description: `The type ${types.cpu}`,
      pricePerHour: "0.120000",
      inventoryAvailable: true,
    };
    expect(at(couponValidation, "productDetails")).toEqual([[{ ...product, finalPricePerHour: "0.108000" }]]);
  },
});
