// Everybody at once: 600 launches over HTTP on room for 200, through all interfaces and from several accounts.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditCapacity } from "../support/audit.ts";
import { rounds } from "../support/extent.ts";
import { type CallResult, call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const hosts = 25;
const gpusPerHost = 8;
const room = hosts * gpusPerHost;
const launches = 3 * room;
const type = "gpu-1";

let server: RunningServer;
let tokens: string[];

beforeAll(async () => {
  server = await startServer();
  await put("/regions/north", { description: "The north" });
  await put("/regions/south", { description: "The south" });
  await put("/images/ubuntu", { number: 1 });
  const size = { gpu_model: "H100", gpus: 1, vcpus: 8, memory_gib: 64, storage_gb: 100, price_cents_per_hour: 100 };
  await put(`/instance-types/${type}`, size);
  for (let index = 0; index < hosts; index++) {
    const gpus = Array.from({ length: gpusPerHost }, (_, gpu) => ({
      address: `gpu-${gpu}`,
      model: "H100",
      memory_gib: 80,
    }));
    const region = index % 2 === 0 ? "north" : "south";
    const host = { engine: "simulated", region, vcpus: 128, memory_gib: 1024, storage_gb: 10_000, gpus };
    await put(`/hosts/host-${index}`, host);
  }
  tokens = await Promise.all(["ada", "bob", "eve", "kim"].map((name) => server.customerToken(name)));
});
afterAll(() => server?.close());

async function put(path: string, body: object): Promise<void> {
  const result = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  expect(result.status, result.text).toBe(200);
}

/** The launch of one, through one interface after the other: M, D, R and control. */
function launch(index: number): Promise<CallResult> {
  const token = tokens[index % tokens.length];
  const named = { instance_type_name: type, region_name: "any", ssh_key_names: [], quantity: 1 };
  const ways = [
    () => call("POST", `${server.marketplace}/instance-operations/launch`, { token, body: named }),
    () => call("POST", `${server.direct}/instance/launch`, { token, body: { productName: type, regionName: "any" } }),
    () => call("POST", `${server.referenceUrl}/instance-operations/launch`, { token, body: named }),
    () => call("POST", `${server.control}/instances`, { token, body: { instance_type: type } }),
  ];
  // Each account through each of them.
  const way = ways[(index + Math.floor(index / tokens.length)) % ways.length];
  if (way === undefined) throw new Error("there are four of them");
  return way();
}

async function terminateEverything(): Promise<void> {
  for (const token of tokens) {
    const list = await call("GET", `${server.direct}/instance`, { token });
    const { runningInstances } = list.body as { runningInstances: { uuid: string }[] };
    const body = { instanceUuids: runningInstances.map(({ uuid }) => uuid) };
    const { status } = await call("POST", `${server.direct}/instance/terminate`, { token, body });
    expect(status).toBe(202);
  }
  const left = () => server.db.selectFrom("instances").select("id").where("state", "<>", "terminated").execute();
  while ((await left()).length > 0) await server.reconciler.idle();
}

describe(`${launches} launches at once on room for ${room}`, () => {
  it.each(rounds(2, 10))("are exactly as many successes as there is room for (run %i)", async () => {
    const answers = await Promise.all(Array.from({ length: launches }, (_, index) => launch(index)));
    const good = answers.filter(({ status }) => status === 200 || status === 202);
    const refused = answers.filter(({ text }) => text.includes("not enough capacity"));
    expect({ good: good.length, refused: refused.length }).toEqual({ good: room, refused: launches - room });
    expect([...new Set(refused.map(({ status }) => status))].sort()).toEqual([400, 409]);
    await auditCapacity(server.db);
    await terminateEverything();
    await auditCapacity(server.db);
    const free = await server.db.selectFrom("gpu_pools").select(["free", "total"]).execute();
    expect(free.every((pool) => pool.free === pool.total)).toBe(true);
  });
});
