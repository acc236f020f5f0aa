// Variant R over HTTP, at the root of its own port and at /reference of the main one; every answer is held against its
// own document.

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
  await world.image();
  type = (await world.product()).name;
  token = (await http.customer()).token;
  document = (await http.call("GET", `${http.reference}/openapi.json`)).body as OpenApiDocument;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

async function call(method: string, path: string, body?: unknown) {
  const result = await http.call(method, http.reference + path, { token, body });
  expectDocumented(document, method, path, result.status, result.body);
  return result;
}

async function launch(more: object = {}): Promise<string[]> {
  const order = { instance_type_name: type, region_name: "any", ...more };
  const { body } = await call("POST", "/instance-operations/launch", order);
  return (body as { data: { instance_ids: string[] } }).data.instance_ids;
}

describe("variant R", () => {
  it("is the same at both places", async () => {
    const [own, main] = await Promise.all(
      [http.reference, `${http.main}/reference`].map((base) => http.call("GET", `${base}/instance-types`, { token })),
    );
    expect(own?.status).toBe(200);
    expect(main?.text).toBe(own?.text);
  });

  it("lists instance types with its own specs, and nothing of the other variants", async () => {
    const { body } = await call("GET", "/instance-types");
    expect((body as { data: Record<string, unknown> }).data[type]).toEqual({
      instance_type: {
        name: type,
        description: "A machine for tests",
        price_cents_per_hour: 100,
        specs: { vcpus: 8, memory_gib: 64, storage_gib: 465 },
      },
      regions_with_capacity_available: [{ name: "north", description: "The region north" }],
    });
  });

  it("launches one by default, reads it, and terminates it", async () => {
    const [id = "", ...others] = await launch({ name: "solo" });
    expect(others).toEqual([]);
    const { body } = await call("GET", `/instances/${id}`);
    expect(Object.keys((body as { data: object }).data).sort()).toEqual([
      "file_system_names",
      "hostname",
      "id",
      "instance_type",
      "ip",
      "name",
      "region",
      "ssh_key_names",
      "status",
    ]);
    const gone = await call("POST", "/instance-operations/terminate", { instance_ids: [id] });
    expect(gone).toMatchObject({
      status: 200,
      body: { data: { terminated_instances: [{ id, status: "terminated" }] } },
    });
    expect((await call("GET", "/instances")).body).toMatchObject({ data: [{ id, status: "terminated" }] });
  });

  it("restarts only what is stopped, else 400", async () => {
    const [id = ""] = await launch();
    const refused = await call("POST", "/instance-operations/restart", { instance_ids: [id] });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: "instance-operations/restart/instance-not-stopped" } },
    });
    await world.put(id, "stopped");
    const restarted = await call("POST", "/instance-operations/restart", { instance_ids: [id] });
    expect(restarted).toMatchObject({ status: 200, body: { data: { restarted_instances: [{ status: "booting" }] } } });
    await call("POST", "/instance-operations/terminate", { instance_ids: [id] });
  });

  it("answers 400 for no capacity, and 404 for unknown instances", async () => {
    const order = { instance_type_name: type, region_name: "any", quantity: 9 };
    expect((await call("POST", "/instance-operations/launch", order)).status).toBe(400);
    expect((await call("POST", "/instance-operations/terminate", { instance_ids: ["x"] })).status).toBe(404);
    expect((await call("POST", "/instance-operations/terminate", { instance_ids: [] })).status).toBe(400);
    expect((await call("GET", "/instances/x")).status).toBe(404);
  });

  it("adds a key, or generates one and shows its private half once", async () => {
    const added = await call("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
    const [key] = (added.body as { data: { id: string }[] }).data;
    expect(Object.keys(key ?? {}).sort()).toEqual(["id", "name", "public_key"]);
    const generated = await call("POST", "/ssh-keys", { name: "made" });
    expect(generated.body).toMatchObject({
      data: [{ name: "made", private_key: expect.stringContaining("OPENSSH PRIVATE KEY") }],
    });
    expect((await call("GET", "/ssh-keys")).text).not.toContain("private_key");
    expect((await call("POST", "/ssh-keys", { name: "made" })).status).toBe(400);
    const deleted = await call("DELETE", `/ssh-keys/${key?.id}`);
    expect([deleted.status, deleted.text, deleted.headers.get("content-length")]).toEqual([200, "", "0"]);
    expect((await call("DELETE", `/ssh-keys/${key?.id}`)).status).toBe(400);
  });
});
