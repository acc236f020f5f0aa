// "Endpoints": every operation of the three interfaces under its path, with its request, status and envelope.

import { sql } from "kysely";
import { beforeAll, expect } from "vitest";
import { realKeys } from "../support/ssh-key-fixtures.ts";
import { at, codeOf, listAt, textAt } from "./client.ts";
import { claim } from "./rows.ts";
import { type Customer, coupons, sceneOfFile, types } from "./scene.ts";
import { type VariantName, variants } from "./variants.ts";

const scene = sceneOfFile();
let ada: Customer;
const line = realKeys["ssh-ed25519"].line;
const isId = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

beforeAll(async () => {
  ada = await scene.customer();
  await scene.active(ada);
});

/** One call; gives its status and body. */
async function ask(name: VariantName, method: string, path: string, body?: unknown) {
  const { status, body: answer, text } = await scene.client.ask(name, method, path, { token: ada.token, body });
  return { status, body: answer, text };
}

async function stopped(): Promise<string> {
  const id = await scene.active(ada);
  await scene.client.need("marketplace", "POST", "/instance-operations/stop", {
    token: ada.token,
    body: { instance_uuids: [id] },
  });
  await scene.reached(id, "stopped");
  return id;
}

async function newKey(): Promise<string> {
  const answer = await ask("reference", "POST", "/ssh-keys", { name: scene.fresh("key"), public_key: line });
  return textAt(answer.body, "data", 0, "id");
}

const launchBody = () => ({ instance_type_name: types.cpu, region_name: "any", ssh_key_names: [], quantity: 1 });
const keyed = { [types.cpu]: expect.anything(), [types.h100]: expect.anything() };
const shownKey = { id: isId, name: expect.any(String), public_key: expect.any(String) };
const wrapped = (data: unknown) => ({ data });

claim("spec/endpoints-m", {
  "GET /instance-types": async () => {
    expect(await ask("marketplace", "GET", "/instance-types")).toMatchObject({ status: 200, body: { data: keyed } });
  },
  "GET /instances": async () => {
    const { status, body } = await ask("marketplace", "GET", "/instances");
    expect([status, body]).toEqual([200, wrapped(expect.any(Array))]);
  },
  "GET /instances/{uuid}": async () => {
    const id = await scene.active(ada);
    expect(await ask("marketplace", "GET", `/instances/${id}`)).toMatchObject({ status: 200, body: { data: { id } } });
  },
  "POST /instance-operations/launch": async () => {
    const { status, body } = await ask("marketplace", "POST", "/instance-operations/launch", launchBody());
    expect([status, body]).toEqual([200, wrapped({ uuid: isId, uuids: [at(body, "data", "uuid")] })]);
  },
  "POST /instance-operations/terminate": async () => {
    const id = await scene.active(ada);
    const answer = await ask("marketplace", "POST", "/instance-operations/terminate", { instance_ids: [id] });
    expect(answer).toMatchObject({ status: 202, body: { data: { terminated_instances: [{ id }] } } });
  },
  "POST /instance-operations/restart": async () => {
    const id = await stopped();
    const answer = await ask("marketplace", "POST", "/instance-operations/restart", { instance_uuids: [id] });
    expect(answer).toMatchObject({ status: 202, body: { data: { restarted_instances: [{ id }] } } });
  },
  "POST /instance-operations/stop": async () => {
    const id = await scene.active(ada);
    const answer = await ask("marketplace", "POST", "/instance-operations/stop", { instance_uuids: [id] });
    expect(answer).toMatchObject({ status: 202, body: { data: { stopped_instances: [{ id }] } } });
  },
  "GET /ssh-keys": async () => {
    await newKey();
    const { status, body } = await ask("marketplace", "GET", "/ssh-keys");
    expect(status).toBe(200);
    for (const key of listAt(body, "data")) expect(key).toEqual(shownKey);
  },
  "POST /ssh-keys": async () => {
    const name = scene.fresh("key");
    const { status, body } = await ask("marketplace", "POST", "/ssh-keys", { name, public_key: line });
    expect([status, body]).toEqual([200, wrapped({ id: isId, name })]);
  },
  "DELETE /ssh-keys/{uuid}": async () => {
    const answer = await ask("marketplace", "DELETE", `/ssh-keys/${await newKey()}`);
    expect([answer.status, answer.body]).toEqual([200, wrapped({})]);
  },
});

claim("spec/endpoints-d", {
  inventory: async () => {
    expect(await ask("direct", "GET", "/gpu-inventory")).toMatchObject({ status: 200, body: { gpu_inventory: keyed } });
  },
  list: async () => {
    const { status, body } = await ask("direct", "GET", "/instance");
    expect([status, body]).toEqual([200, { runningInstances: expect.any(Array) }]);
  },
  read: async () => {
    const uuid = await scene.active(ada);
    const answer = await ask("direct", "GET", `/instance/${uuid}`);
    expect(answer).toMatchObject({ status: 200, body: { runningInstance: { uuid } } });
  },
  launch: async () => {
    const body = { productName: types.cpu, regionName: "any" };
    const answer = await ask("direct", "POST", "/instance/launch", body);
    expect(answer.body).toEqual({ response: isId });
  },
  restart: async () => {
    const id = await stopped();
    const answer = await ask("direct", "POST", "/instance/restart", { instanceUuids: [id] });
    expect(answer.body).toMatchObject({ response: [{ id }] });
  },
  terminate: async () => {
    const id = await scene.active(ada);
    const answer = await ask("direct", "POST", "/instance/terminate", { instanceUuids: [id] });
    expect(answer.body).toMatchObject({ response: { data: { terminated_instances: [{ id }] } } });
  },
  "retrieve-coupon": async () => {
    const answer = await ask("direct", "POST", "/coupon/information", { coupon: coupons.ten });
    expect(answer).toMatchObject({ status: 200, body: { coupon: { code: coupons.ten } } });
    expect((await ask("direct", "POST", "/coupon/information", {})).status).toBe(200);
  },
  "validate-coupon": async () => {
    const answer = await ask("direct", "POST", "/coupon/accepted-products", { coupon: coupons.ten });
    expect(answer).toMatchObject({
      status: 200,
      body: { couponValidation: { productDetails: [[{}], [{}], [{}, {}]] } },
    });
    expect((await ask("direct", "POST", "/coupon/accepted-products", {})).status).toBe(200);
  },
  "add-ssh-key": async () => {
    const name = scene.fresh("key");
    const { status, body } = await ask("direct", "POST", "/ssh-keys", { name, publicKey: line });
    expect([status, body]).toEqual([200, { sshKey: { id: isId, name } }]);
  },
});

claim("spec/endpoints-r", {
  "GET /instance-types": async () => {
    expect(await ask("reference", "GET", "/instance-types")).toMatchObject({ status: 200, body: { data: keyed } });
  },
  "GET /instances": async () => {
    const { status, body } = await ask("reference", "GET", "/instances");
    expect([status, body]).toEqual([200, wrapped(expect.any(Array))]);
  },
  "GET /instances/{id}": async () => {
    const id = await scene.active(ada);
    expect(await ask("reference", "GET", `/instances/${id}`)).toMatchObject({ status: 200, body: { data: { id } } });
  },
  "POST /instance-operations/launch": async () => {
    const body = { ...launchBody(), quantity: 2 };
    const answer = await ask("reference", "POST", "/instance-operations/launch", body);
    expect([answer.status, answer.body]).toEqual([200, wrapped({ instance_ids: [isId, isId] })]);
  },
  "POST /instance-operations/terminate": async () => {
    const id = await scene.active(ada);
    expect((await ask("reference", "POST", "/instance-operations/terminate", { instance_ids: [id] })).status).toBe(200);
  },
  "POST /instance-operations/restart": async () => {
    const id = await stopped();
    const answer = await ask("reference", "POST", "/instance-operations/restart", { instance_ids: [id] });
    expect(answer).toMatchObject({ status: 200, body: { data: { restarted_instances: [{ id }] } } });
  },
  "GET /ssh-keys": async () => {
    await newKey();
    const { status, body } = await ask("reference", "GET", "/ssh-keys");
    expect(status).toBe(200);
    for (const key of listAt(body, "data")) expect(key).toEqual(shownKey);
  },
  "POST /ssh-keys": async () => {
    const name = scene.fresh("key");
    const { status, body } = await ask("reference", "POST", "/ssh-keys", { name });
    expect(status).toBe(200);
    expect(listAt(body, "data")).toEqual([expect.objectContaining({ ...shownKey, name })]);
  },
  "DELETE /ssh-keys/{id}": async () => {
    const answer = await ask("reference", "DELETE", `/ssh-keys/${await newKey()}`);
    expect([answer.status, answer.text]).toEqual([200, ""]);
  },
});

claim("spec/sentences-m", {
  terminate: () => takesOnly("/instance-operations/terminate", { instance_ids: ["x"] }),
  "restart-and-stop": async () => {
    await takesOnly("/instance-operations/restart", { instance_uuids: ["x"] });
    await takesOnly("/instance-operations/stop", { instance_uuids: ["x"] });
  },
  "ssh-key": () => takesOnly("/ssh-keys", { name: "x", public_key: line }),
});

/** Each field of the body is required, and so is its type. */
async function takesOnly(path: string, body: Record<string, unknown>): Promise<void> {
  for (const [field, value] of Object.entries(body)) {
    const { [field]: _left, ...without } = body;
    const wrong = Array.isArray(value) ? "text" : 5;
    for (const bad of [without, { ...body, [field]: wrong }]) {
      const answer = await ask("marketplace", "POST", path, bad);
      expect(answer).toMatchObject({ status: 400, body: { field_errors: { [field]: {} } } });
    }
  }
}

claim("spec/service", {
  "1": async () => {
    const { body } = await ask("marketplace", "GET", "/instance-types");
    const offered = at(body, "data", types.cpu);
    expect(offered).toMatchObject({ instance_type: { price_cents_per_hour: 12, specs: {} } });
    expect(listAt(offered, "regions_with_capacity_available")).toHaveLength(2);
  },
  "2": async () => {
    const answer = await ask("marketplace", "POST", "/instance-operations/launch", { ...launchBody(), quantity: 3 });
    expect(listAt(answer.body, "data", "uuids")).toHaveLength(3);
  },
  "3": async () => {
    const id = await scene.active(ada);
    for (const variant of variants) {
      const list = variant.list.entries((await ask(variant.name, "GET", variant.list.path)).body);
      expect(list.map((entry) => at(entry, variant.list.idField))).toContain(id);
      const read = variant.read.entry((await ask(variant.name, "GET", variant.read.path(id))).body);
      expect(at(read, variant.list.idField)).toBe(id);
    }
  },
  "4": async () => {
    const id = await stopped();
    await ask("marketplace", "POST", "/instance-operations/restart", { instance_uuids: [id] });
    await scene.reached(id, "active");
    await ask("marketplace", "POST", "/instance-operations/terminate", { instance_ids: [id] });
    await scene.reached(id, "terminated");
  },
  "4-stop": async () => {
    const id = await stopped();
    const spans = scene.db.selectFrom("billing_spans").select("ended_at").where("instance_id", "=", id);
    expect(await spans.execute()).toEqual([{ ended_at: null }]);
    expect((await machines(id)).length).toBe(1);
  },
  "4-terminate": async () => {
    const id = await scene.active(ada);
    await ask("marketplace", "POST", "/instance-operations/terminate", { instance_ids: [id] });
    const spans = scene.db.selectFrom("billing_spans").select("ended_at").where("instance_id", "=", id);
    expect(await spans.execute()).toEqual([{ ended_at: expect.any(Date) }]);
    await scene.reached(id, "terminated");
    expect(await machines(id)).toEqual([]);
  },
  "5": async () => {
    const id = await newKey();
    const { body } = await ask("reference", "GET", "/ssh-keys");
    const name = textAt(
      listAt(body, "data").find((key) => at(key, "id") === id),
      "name",
    );
    const launched = await scene.launched(ada, { keys: [name] });
    await ask("reference", "DELETE", `/ssh-keys/${id}`);
    const read = await ask("reference", "GET", `/instances/${launched}`);
    expect(at(read.body, "data", "ssh_key_names")).toEqual([name]);
  },
  "6": async () => {
    const order = { productName: types.cpu, regionName: "any", coupon: coupons.ten };
    const launched = await ask("direct", "POST", "/instance/launch", order);
    const { body } = await ask("direct", "GET", `/instance/${textAt(launched.body, "response")}`);
    expect(at(body, "runningInstance", "product")).toMatchObject({ price_hr: "0.120000", final_price_hr: "0.108000" });
    expect((await ask("direct", "POST", "/coupon/information", { coupon: coupons.ten })).status).toBe(200);
    expect((await ask("direct", "POST", "/coupon/accepted-products", { coupon: coupons.ten })).status).toBe(200);
  },
  "7": async () => {
    for (const { name } of variants) {
      for (const [method, path] of scene.client.operations(name)) {
        expect((await scene.client.ask(name, method, path)).status, `${method} ${path}`).toBe(401);
      }
    }
  },
});

async function machines(id: string): Promise<unknown[]> {
  const { rows } = await sql`select id from simulated.machines where id = ${id}`.execute(scene.db);
  return rows;
}

claim("spec/variants", {
  "direct-apart": async () => {
    for (const [method, path] of scene.client
      .operations("direct")
      .filter(([, path]) => !path.startsWith("/ssh-keys"))) {
      const options = { token: ada.token, base: scene.server.marketplace };
      const answer = await scene.client.stray("direct", method, path.replace("{uuid}", "x"), options);
      expect([answer.status, codeOf(answer)], path).toEqual([404, "global/not-found"]);
    }
  },
  marketplace: async () => {
    expect(scene.server.marketplace).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/vm_marketplace$/);
    expect(Object.keys((await ask("marketplace", "GET", "/instances")).body as object)).toEqual(["data"]);
  },
  direct: async () => {
    expect(scene.server.direct).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    const answer = await ask("direct", "POST", "/instance/launch", { productName: types.cpu, regionName: "any" });
    expect(Object.keys(answer.body as object)).toEqual(["response"]);
  },
  reference: async () => {
    expect(scene.server.referenceUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await scene.settled();
    const here = await ask("reference", "GET", "/instances");
    const base = `${scene.server.url}/reference`;
    const there = await scene.client.ask("reference", "GET", "/instances", { token: ada.token, base });
    expect(there.body).toEqual(here.body);
    expect(Object.keys(here.body as object)).toEqual(["data"]);
  },
});

claim("spec/versioning", {
  "marketplace-schemas": () => {
    // Its document names no schema as yet; one that it names has the suffix.
    const schemas = Object.keys(
      (at(scene.client.documents.marketplace, "components", "schemas") as object | undefined) ?? {},
    );
    expect(schemas.filter((name) => !name.endsWith("V1"))).toEqual([]);
  },
  marketplace: () => expect(scene.client.documents.marketplace).toMatchObject({ info: { version: "1.0.0" } }),
  direct: () =>
    expect(scene.client.documents.direct).toMatchObject({ info: { version: "1" }, servers: [{ url: "/api/v1" }] }),
  reference: () => expect(scene.client.documents.reference).toMatchObject({ info: { version: "1.0.3" } }),
});
