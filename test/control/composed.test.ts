// The control interface in the composed service: the catalogue as `lessor apply` puts it, the simulated engine's world,
// and machines that really come up and go.

import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyCatalog } from "../../src/cli/apply.ts";
import { catalogCalls } from "../../src/cli/catalog-file.ts";
import { controlClient } from "../../src/cli/connection/control-client.ts";
import { setGpuHealth } from "../../src/engines/simulated/database.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { openTerminal } from "../support/terminals.ts";

const demo = readFileSync(new URL("../../examples/demo-catalog.yaml", import.meta.url), "utf8");
const collections = ["regions", "hosts", "instance-types", "images", "coupons"];

let server: RunningServer;
beforeAll(async () => {
  // Its boot takes long enough to be told of.
  server = await startServer({ machines: { bootSeconds: [0.05, 0.05], stopSeconds: [0, 0] } });
});
afterAll(() => server.close());

async function data<T>(method: string, url: string, token = server.operatorToken, body?: unknown): Promise<T> {
  const result = await call(method, url, { token, body });
  expect(result.status, `${method} ${url}: ${result.text}`).toBeLessThan(300);
  return (result.body as { data: T }).data;
}

const control = <T>(method: string, path: string, token?: string, body?: unknown) =>
  data<T>(method, `${server.control}${path}`, token, body);

/** Everything that the control interface lists, and the engine's own world. */
async function everything(): Promise<Record<string, unknown>> {
  const lists = await Promise.all(collections.map(async (name) => [name, await control("GET", `/${name}`)] as const));
  const { rows } = await sql`select * from simulated.hosts order by name`.execute(server.db);
  return { ...Object.fromEntries(lists), world: rows };
}

describe("the demo catalogue", () => {
  it("comes in whole, through the door of any catalogue", async () => {
    const count = await applyCatalog(demo, controlClient(server.control, server.operatorToken));
    expect(count).toBe(catalogCalls(demo).length);
    for (const name of collections) {
      const wanted = catalogCalls(demo).filter((one) => one.path.startsWith(`/${name}/`));
      const found = await control<{ name?: string; code?: string }[]>("GET", `/${name}`);
      expect(found, name).toHaveLength(wanted.length);
      for (const { path, body } of wanted) {
        const key = decodeURIComponent(path.split("/").at(-1) ?? "");
        expect(
          found.find((one) => one.name === key || one.code === key),
          path,
        ).toMatchObject(body);
      }
    }
  });

  it("changes nothing when it is applied again, nor when the engine's hosts are read", async () => {
    const before = await everything();
    await applyCatalog(demo, controlClient(server.control, server.operatorToken));
    expect(await everything()).toEqual(before);
    await server.reconciler.sweepNow();
    expect(await everything()).toEqual(before);
  });
});

describe("a GPU that broke", () => {
  it("is not mended by applying the catalogue again", async () => {
    const host = "us-east-1-a10-01";
    await setGpuHealth(server.db, host, "0000:10:00.0", false);
    await server.reconciler.sweepNow();
    await applyCatalog(demo, controlClient(server.control, server.operatorToken));
    await server.reconciler.sweepNow();
    expect(await control("GET", `/hosts/${host}`)).toMatchObject({
      gpus: [{ address: "0000:10:00.0", healthy: false }, { healthy: true }, { healthy: true }, { healthy: true }],
    });
  });
});

describe("a rental, seen through the control interface", () => {
  it("comes up on a host, is told in events, is paid for, and gives everything back", async () => {
    const token = await server.customerToken("acme");
    const body = { instance_type_name: "gpu_2x_a6000", region_name: "us-west-1", ssh_key_names: [], quantity: 1 };
    const launch = `${server.marketplace}/instance-operations/launch`;
    const { uuid } = await data<{ uuid: string }>("POST", launch, token, body);
    await comesTo(uuid, "active");
    const own = await control<Record<string, unknown>>("GET", `/instances/${uuid}`, token);
    expect(own).toMatchObject({ status: "active", health: "ok", failure: null, ip: expect.any(String) });
    expect(Object.keys(own)).not.toEqual(expect.arrayContaining(["host"]));
    const seen = await control<{ host: string; gpu_addresses: string[] }>("GET", `/instances/${uuid}`);
    expect(seen).toMatchObject({ engine: "simulated", generation: 1, gpu_addresses: { length: 2 } });

    const host = `/hosts/${seen.host}`;
    const held = await control<{ gpus: { address: string; held_by: string | null }[] }>("GET", host);
    const addresses = held.gpus.filter((gpu) => gpu.held_by === uuid).map((gpu) => gpu.address);
    expect(addresses.sort()).toEqual([...seen.gpu_addresses].sort());
    expect((await call("DELETE", `${server.control}${host}`, { token: server.operatorToken })).status).toBe(409);
    // A catalogue may be applied at any time, also while its hosts are in use.
    await applyCatalog(demo, controlClient(server.control, server.operatorToken));
    expect(await control("GET", host)).toEqual(held);

    const terminate = `${server.marketplace}/instance-operations/terminate`;
    await data("POST", terminate, token, { instance_ids: [uuid] });
    await comesTo(uuid, "terminated");
    expect(await control("GET", `/instances/${uuid}`, token)).toMatchObject({ terminated_at: expect.any(String) });
    expect(await control("GET", "/usage", token)).toMatchObject([{ instance_id: uuid, ended_at: expect.any(String) }]);
    expect(await control("GET", host)).toMatchObject({ free_vcpus: 120, gpus: Array(8).fill({ held_by: null }) });
    const types = await eventsUntil(token, "instance.terminated");
    const words = ["booting", "progress", "active", "terminating", "terminated"];
    expect(types).toEqual(words.map((word) => `instance.${word}`));
    expect(await control("DELETE", host)).toEqual({});
  });
});

describe("a terminal in a machine of the simulated engine", () => {
  it("says what it is, takes commands, and ends when the machine is stopped", async () => {
    const token = await server.customerToken("acme");
    const body = { instance_type_name: "gpu_2x_a6000", region_name: "us-west-1", ssh_key_names: [], quantity: 1 };
    const launch = `${server.marketplace}/instance-operations/launch`;
    const { uuid } = await data<{ uuid: string }>("POST", launch, token, body);
    const url = `${server.control}/instances/${uuid}/terminal`;
    await comesTo(uuid, "active");
    const left = await openTerminal(url, token);
    left.type("nvidia-smi\r");
    await expect.poll(left.shown).toContain("No running processes found");
    expect(left.shown()).toContain("This is a simulated machine");
    expect(left.shown().match(/0 *a6000|1 *a6000/g)).toHaveLength(2);
    left.type("exit\r");
    expect(await left.ended).toEqual({ code: 1000, reason: "" });
    const cut = await openTerminal(url, token);
    await control("POST", `/instances/${uuid}/stop`, token, {});
    expect(await cut.ended).toMatchObject({ code: 4003 });
    await comesTo(uuid, "stopped");
    expect((await openTerminal(url, token)).status).toBe(409);
    await control("POST", `/instances/${uuid}/terminate`, token, {});
    await comesTo(uuid, "terminated");
  });
});

async function comesTo(id: string, status: string): Promise<void> {
  for (;;) {
    const instance = await control<{ status: string }>("GET", `/instances/${id}`);
    if (instance.status === status) return;
  }
}

/** The types of the account's events up to this one, polled as an integrator would. */
async function eventsUntil(token: string, last: string): Promise<string[]> {
  const types: string[] = [];
  let cursor = "";
  while (types.at(-1) !== last) {
    const { body } = await call("GET", `${server.control}/events?limit=1&types=instance.*${cursor}`, { token });
    const page = body as { data: { type: string }[]; next_cursor: string };
    types.push(...page.data.map(({ type }) => type));
    cursor = `&cursor=${page.next_cursor}`;
  }
  return types;
}
