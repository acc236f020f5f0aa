// Variant M over HTTP, from inventory to termination: every answer is held against its own document.

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
  document = (await http.call("GET", `${http.marketplace}/openapi.json`)).body as OpenApiDocument;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

async function call(method: string, path: string, body?: unknown) {
  const result = await http.call(method, `${http.marketplace}${path}`, { token, body });
  expectDocumented(document, method, path, result.status, result.body);
  return result;
}

function order(more: object = {}) {
  return { instance_type_name: type, region_name: "any", ssh_key_names: [], quantity: 1, ...more };
}

async function launchOne(more: object = {}): Promise<string> {
  const { body } = await call("POST", "/instance-operations/launch", order(more));
  return (body as { data: { uuid: string } }).data.uuid;
}

describe("variant M", () => {
  it("lists instance types by name, with specs and the regions that have room", async () => {
    const { status, body } = await call("GET", "/instance-types");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: {
        [type]: {
          instance_type: {
            name: type,
            price_cents_per_hour: 100,
            specs: { vcpu_count: 8, memory_gib: 64, storage_gb: 500 },
          },
          regions_with_capacity_available: [{ name: "north", description: "The region north" }],
        },
      },
    });
  });

  it("launches, and answers with the first and with all", async () => {
    const { status, body } = await call("POST", "/instance-operations/launch", order({ quantity: 2, name: "pair" }));
    expect(status).toBe(200);
    const { data } = body as { data: { uuid: string; uuids: string[] } };
    expect(data.uuids).toHaveLength(2);
    expect(data.uuids[0]).toBe(data.uuid);
    await call("POST", "/instance-operations/terminate", { instance_ids: data.uuids });
  });

  it("shows flat figures in the list, and specs in the single read", async () => {
    const id = await launchOne();
    const list = await call("GET", "/instances");
    const listed = (list.body as { data: { id: string }[] }).data.find((one) => one.id === id);
    expect(listed).toMatchObject({ status: "booting", ip: "", instance_type: { vcpu: 8, ram: 64, storage: 500 } });
    const read = await call("GET", `/instances/${id.replaceAll("-", "").toUpperCase()}`);
    expect(read.body).toMatchObject({ data: { id, instance_type: { specs: { vcpu_count: 8 } }, jupyter_url: "" } });
    await call("POST", "/instance-operations/terminate", { instance_ids: [id] });
  });

  it("answers 202 to stop, restart and terminate, in the words of operations", async () => {
    const id = await launchOne();
    await world.put(id, "active");
    const stopped = await call("POST", "/instance-operations/stop", { instance_uuids: [id] });
    expect(stopped).toMatchObject({ status: 202, body: { data: { stopped_instances: [{ id, status: "stopping" }] } } });
    expect((await call("GET", `/instances/${id}`)).body).toMatchObject({ data: { status: "active" } });
    const refused = await call("POST", "/instance-operations/restart", { instance_uuids: [id] });
    expect(refused.status).toBe(409);
    await world.put(id, "stopped");
    const restarted = await call("POST", "/instance-operations/restart", { instance_uuids: [id] });
    expect(restarted).toMatchObject({ status: 202, body: { data: { restarted_instances: [{ status: "booting" }] } } });
    const gone = await call("POST", "/instance-operations/terminate", { instance_ids: [id, id] });
    expect(gone).toMatchObject({
      status: 202,
      body: { data: { terminated_instances: [{ id, status: "terminated" }] } },
    });
    expect((gone.body as { data: { terminated_instances: unknown[] } }).data.terminated_instances).toHaveLength(1);
  });

  it("names what there is not enough of", async () => {
    const { status, body } = await call("POST", "/instance-operations/launch", order({ quantity: 9 }));
    expect(status).toBe(409);
    expect((body as { error: { message: string } }).error.message).toContain("not enough capacity");
    expect((body as { error: { message: string } }).error.message).toContain(type);
    expect((body as { error: { suggestion: string } }).error.suggestion).toContain("north");
  });

  it.each([
    [{ quantity: 0 }, "quantity"],
    [{ quantity: 1.5 }, "quantity"],
    [{ quantity: "1" }, "quantity"],
    [{ quantity: 1e9 }, "quantity"],
    [{ name: 5 }, "name"],
    [{ ssh_key_names: [5] }, "ssh_key_names.0"],
    [{ env_vars: { GOOD: 1 } }, "env_vars.GOOD"],
    [{ env_vars: { "1BAD": "x" } }, "env_vars.1BAD"],
    [{ instance_type_name: "nothing" }, "instance_type_name"],
    [{ region_name: "nowhere" }, "region_name"],
    [{ ssh_key_names: ["nobody"] }, "ssh_key_names"],
    [{ os_image_name: "none" }, "os_image_name"],
  ])("refuses %j with 400 and names %s", async (bad, field) => {
    const { status, body } = await call("POST", "/instance-operations/launch", order(bad));
    expect(status).toBe(400);
    expect(Object.keys((body as { field_errors: object }).field_errors)).toEqual([field]);
  });

  it("adds, lists and deletes keys", async () => {
    const added = await call("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
    const { id } = (added.body as { data: { id: string } }).data;
    expect(added).toMatchObject({ status: 200, body: { data: { id, name: "laptop" } } });
    const twice = await call("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
    expect(twice.status).toBe(409);
    expect((await call("GET", "/ssh-keys")).body).toMatchObject({ data: [{ id, name: "laptop" }] });
    expect(await call("DELETE", `/ssh-keys/${id}`)).toMatchObject({ status: 200, body: { data: {} } });
    expect((await call("DELETE", `/ssh-keys/${id}`)).status).toBe(404);
    expect((await call("DELETE", "/ssh-keys/no-uuid")).status).toBe(404);
  });
});
