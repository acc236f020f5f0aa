// While the database is out of space nothing is created, and everything can still be ended.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
const storage = { isFull: false };
beforeAll(async () => {
  world = await makeWorld();
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  http = await startHttp(world, { storage });
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const noSpace = {
  error: {
    code: "global/unavailable",
    message: "The service is out of storage space and cannot create anything.",
    suggestion: "Retry later. You can still stop and terminate instances.",
  },
};

describe("while the database is out of space", () => {
  it("launches and other creations are 503 with the reason, instances are terminated, and readiness tells", async () => {
    const product = await world.product({ gpus: 0 });
    const { principal, token } = await http.customer();
    const { id } = await world.launchOne(principal, { instanceType: product.name });
    const control = (method: string, path: string, body?: unknown) =>
      call(method, `${http.control}${path}`, { token, ...(body !== undefined && { body }) });
    const launch = { instance_type: product.name };
    const key = { name: "laptop", public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPtest" };

    storage.isFull = true;
    for (const [path, body] of [
      ["/instances", launch],
      ["/ssh-keys", key],
      ["/tokens", { name: "more", scopes: ["read"] }],
    ] as const) {
      const refused = await control("POST", path, body);
      expect([path, refused.status]).toEqual([path, 503]);
      expect(refused.body).toMatchObject(noSpace);
      expect(refused.headers.get("retry-after")).not.toBeNull();
    }
    const ready = await call("GET", `${http.main}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject(noSpace);
    expect((await call("GET", `${http.main}/healthz`)).status).toBe(200);
    expect((await control("GET", `/instances/${id}`)).status).toBe(200);
    const ended = await call("POST", `${http.marketplace}/instance-operations/terminate`, {
      token,
      body: { instance_ids: [id] },
    });
    expect(ended.status).toBeLessThan(300);
    expect((await control("GET", `/instances/${id}`)).body).toMatchObject({ data: { ended_by: "customer" } });

    storage.isFull = false;
    expect((await call("GET", `${http.main}/readyz`)).status).toBe(200);
    expect((await control("POST", "/instances", launch)).status).toBeLessThan(300);
  });
});
