// The control interface as decided: every call that its table names, for operators and for accounts.

import { expect } from "vitest";
import { at, codeOf, listAt, textAt } from "./client.ts";
import { claim } from "./rows.ts";
import { hosts, lastDay, sceneOfFile, types } from "./scene.ts";
import { instanceIn } from "./states.ts";

// Boots take long enough to be told of.
const scene = sceneOfFile({ machines: { bootSeconds: [0.05, 0.05], stopSeconds: [0, 0] } });
const quotas = { instances: 5, gpus: 4, vcpus: 300, ssh_keys: 2, file_systems: 1 };

/** The names of a list of the control interface. */
async function names(path: string, field = "name"): Promise<unknown[]> {
  return listAt({ data: await scene.control("GET", path) }, "data").map((one) => at(one, field));
}

async function status(method: string, path: string, token = scene.operator): Promise<number> {
  return (await scene.client.ask("control", method, path, { token })).status;
}

/** PUT makes it, PUT again replaces it, and DELETE takes it away; each shows on the list. */
async function putsAndDeletes(path: string, name: string, body: object, change: object, field = "name"): Promise<void> {
  for (const form of [body, body, { ...body, ...change }]) {
    expect(await scene.control("PUT", `${path}/${name}`, form)).toMatchObject({ [field]: name, ...form });
    expect((await names(path, field)).filter((one) => one === name)).toEqual([name]);
  }
  const first = await scene.client.ask("control", "GET", `${path}?limit=1`, { token: scene.operator });
  expect(listAt(first.body, "data")).toHaveLength(1);
  expect(first.headers.get("link")).toMatch(/; rel="next"$/);
  expect(await scene.control("DELETE", `${path}/${name}`)).toEqual({});
  expect(await names(path, field)).not.toContain(name);
  expect(await status("DELETE", `${path}/${name}`)).toBe(404);
}

claim("decided/control", {
  accounts: async () => {
    const made = await scene.control("POST", "/accounts", { name: "acme", quotas, spend_limit_cents: 100 });
    expect(made).toMatchObject({ name: "acme", status: "active", quotas, spend_limit_cents: 100 });
    const path = `/accounts/${textAt(made, "id")}`;
    expect(await scene.control("GET", path)).toEqual(made);
    expect(await names("/accounts")).toContain("acme");
    const changed = await scene.control("PATCH", path, { status: "inactive", quotas: { gpus: 9 } });
    expect(changed).toMatchObject({ status: "inactive", quotas: { ...quotas, gpus: 9 }, spend_limit_cents: 100 });
    const taken = await scene.client.ask("control", "POST", "/accounts", {
      token: scene.operator,
      body: { name: "acme" },
    });
    expect([taken.status, codeOf(taken)]).toEqual([409, "global/duplicate"]);
  },
  "account-tokens": async () => {
    const { accountId } = await scene.customer();
    const path = `/accounts/${accountId}/tokens`;
    const made = await scene.control("POST", path, { name: "ci", scopes: ["read"], expires_at: lastDay });
    expect(made).toMatchObject({ name: "ci", scopes: ["read"], expires_at: lastDay });
    const token = textAt(made, "token");
    await scene.client.need("reference", "GET", "/instances", { token });
    expect(JSON.stringify(await scene.control("GET", path))).not.toContain(token);
    expect(await scene.control("DELETE", `${path}/${textAt(made, "id")}`)).toEqual({});
    expect((await scene.client.ask("reference", "GET", "/instances", { token })).status).toBe(401);
  },
  regions: () => putsAndDeletes("/regions", "west", { description: "The west" }, { description: "Wilder" }),
  hosts: async () => {
    const gpus = [{ address: "0000:01:00.0", model: "H100", memory_gib: 80, numa_node: 1 }];
    const host = { engine: "simulated", region: "north", vcpus: 8, memory_gib: 32, storage_gb: 100 };
    const free = { free_vcpus: 8, free_memory_gib: 32, free_storage_gb: 100, cordoned: false, available: true };
    const shownGpus = [{ ...gpus[0], healthy: true, held_by: null, holder_status: null }];
    expect(await scene.control("PUT", "/hosts/extra", { ...host, gpus })).toMatchObject({
      ...host,
      ...free,
      gpus: shownGpus,
    });
    expect(await scene.control("GET", "/hosts/extra")).toMatchObject({ ...host, ...free, gpus: shownGpus });
    expect(await names("/hosts")).toEqual(["extra", "north-1", "south-1"]);
    expect(await scene.control("POST", "/hosts/extra/cordon")).toMatchObject({ name: "extra", cordoned: true });
    const drained = await scene.control("POST", "/hosts/extra/drain", { reason: "PSU 2 is exchanged" });
    expect(drained).toMatchObject({
      state: "draining",
      state_reason: "PSU 2 is exchanged",
      cordoned: true,
      instances: 0,
    });
    expect(await scene.control("POST", "/hosts/extra/uncordon")).toMatchObject({ state: "up", cordoned: false });
    const described = { note: "new fans", labels: { rack: "r12" } };
    expect(await scene.control("PATCH", "/hosts/extra", described)).toMatchObject(described);
    expect(await names("/hosts?selector=rack%3Dr12")).toEqual(["extra"]);
    expect(await scene.control("PATCH", "/hosts/extra", { labels: { rack: null } })).toMatchObject({ labels: {} });
    expect(await scene.control("DELETE", "/hosts/extra")).toEqual({});
    expect(await status("GET", "/hosts/extra")).toBe(404);
    const ada = await scene.customer();
    const id = await scene.active(ada, { type: types.h100, region: "north" });
    const held = await scene.control("GET", `/hosts/${hosts.north}`);
    expect(listAt(held, "gpus").filter((gpu) => at(gpu, "held_by") === id)).toHaveLength(1);
    expect(await status("DELETE", `/hosts/${hosts.north}`)).toBe(409);
    await scene.clear(ada);
  },
  "instance-types": () => {
    const type = { gpu_model: "L4", gpu_description: "L4 (24 GB)", gpus: 1, vcpus: 2, memory_gib: 4, storage_gb: 5 };
    const whole = { ...type, description: "Small", price_cents_per_hour: 7 };
    return putsAndDeletes("/instance-types", "small", whole, { price_cents_per_hour: 8 });
  },
  images: () => {
    const image = { number: 77, description: "Odd", family: "odd", login_user: "odd", unsupported_gpu_models: ["L4"] };
    return putsAndDeletes("/images", "odd", image, { number: 78 });
  },
  coupons: () => {
    const coupon = { discount_percent: 12.5, deactivation_date: lastDay, instance_types: [types.cpu], active: true };
    return putsAndDeletes("/coupons", "ODD", coupon, { active: false }, "code");
  },
  "all-accounts": async () => {
    const [ada, eve] = [await scene.customer(), await scene.customer()];
    const ids = [await instanceIn(scene, ada, "active"), await instanceIn(scene, eve, "active")];
    expect(await names("/instances", "id")).toEqual(expect.arrayContaining(ids));
    for (const id of ids) {
      expect(await scene.control("GET", `/instances/${id}`)).toMatchObject({
        id,
        status: "active",
        host: expect.any(String),
      });
    }
    expect(await names("/usage", "instance_id")).toEqual(expect.arrayContaining(ids));
    const explained = await scene.control("GET", `/capacity?instance_type=${types.h100x8}&region=north`);
    expect(explained).toMatchObject([{ instance_type: types.h100x8, regions: [{ region: "north", hosts: 1 }] }]);
    const filters = listAt(explained, 0, "regions", 0, "filters");
    expect(filters.length).toBeGreaterThan(3);
    for (const one of filters) expect(one).toEqual({ filter: expect.any(String), hosts_left: 1 });
  },
  account: async () => {
    const ada = await scene.customer();
    const own = (method: string, path: string, body?: unknown) =>
      scene.control(method, path, body, { token: ada.token });
    expect(await own("GET", "/account")).toMatchObject({ id: ada.accountId, token: { id: ada.tokenId } });
    const made = await own("POST", "/tokens", { name: "more", scopes: ["read"] });
    expect(listAt({ data: await own("GET", "/tokens") }, "data")).toHaveLength(2);
    expect(await own("DELETE", `/tokens/${textAt(made, "id")}`)).toEqual({});
    expect(await status("GET", "/account", textAt(made, "token"))).toBe(401);
  },
  "file-systems": async () => {
    const ada = await scene.customer();
    const own = (method: string, path: string, body?: unknown) =>
      scene.control(method, path, body, { token: ada.token });
    const made = await own("POST", "/file-systems", { name: "data", region: "north", size_gb: 10 });
    expect(made).toMatchObject({ name: "data", region: "north", size_gb: 10, attached_to: null });
    expect(await own("GET", "/file-systems")).toEqual([made]);
    expect(await own("DELETE", `/file-systems/${textAt(made, "id")}`)).toEqual({});
    expect(await own("GET", "/file-systems")).toEqual([]);
  },
  "own-records": async () => {
    const ada = await scene.customer();
    const id = await instanceIn(scene, ada, "active");
    const own = (path: string) => scene.control("GET", path, undefined, { token: ada.token });
    const record = await own(`/instances/${id}`);
    expect(record).toMatchObject({ id, status: "active", health: "ok", failure: null, cost_cents: expect.any(String) });
    expect(record).not.toHaveProperty("host");
    expect(await own("/usage")).toMatchObject([{ instance_id: id, price_cents_per_hour: 12 }]);
    const types = async () =>
      listAt({ data: await own("/events?types=instance.*") }, "data").map((event) => at(event, "type"));
    // Events show when no older transaction runs any more, of whatever test.
    await expect.poll(types).toEqual(["instance.booting", "instance.progress", "instance.active"]);
  },
});
