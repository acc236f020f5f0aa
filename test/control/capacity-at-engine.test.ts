// Over HTTP: an engine that finds no capacity after a launch was accepted. Without a wait the launch fails, as every interface
// shows it; with one it is active once there is capacity, whether it was placed at once or had waited before.

import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { travel } from "../support/time-travel.ts";

let server: RunningServer;
let token: string;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

async function data<T>(method: string, path: string, body?: unknown, by = token): Promise<T> {
  const result = await call(method, `${server.control}${path}`, { token: by, body });
  expect(result.status, `${method} ${path}: ${result.text}`).toBeLessThan(300);
  return (result.body as { data: T }).data;
}
const operate = <T>(method: string, path: string, body?: unknown) => data<T>(method, path, body, server.operatorToken);

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly progress: string | null;
  readonly active_at: string | null;
  readonly cost_micro_cents: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
}
const shown = (id: string) => data<Shown>("GET", `/instances/${id}`);
/** When all that is due by then is done. */
const later = async (interval: string) => {
  await travel(server.db, interval);
  await server.reconciler.idle();
};

beforeAll(async () => {
  server = await startServer();
  token = await server.customerToken("ann");
  const size = { vcpus: 8, memory_gib: 32, storage_gb: 100 };
  await operate("PUT", "/regions/north", { description: "The north" });
  await operate("PUT", "/images/ubuntu", { number: 1, default: true });
  await operate("PUT", "/instance-types/small", { ...size, gpus: 0, price_cents_per_hour: 100, description: "One" });
  await operate("PUT", "/hosts/host-1", { ...size, engine: "simulated", region: "north" });
});
afterAll(() => server.close());

/** From now on the engine finds no capacity. */
const fill = () =>
  operate("POST", "/simulator/faults", {
    ...{ kind: "refuses", scope: "everything", operation: "start" },
    parameters: { code: "no-capacity" },
  });
/** There is capacity again. */
const forgive = () => operate("DELETE", "/simulator/faults");
const launch = async (more: object = {}) => {
  const [one] = await data<Shown[]>("POST", "/instances", { instance_type: "small", ...more });
  return one?.id ?? "";
};
const terminate = async (id: string) => {
  await data("POST", `/instances/${id}/terminate`);
  await server.reconciler.idle();
};

const failed = {
  ...{ status: "terminated", active_at: null, cost_micro_cents: "0" },
  failure: { code: "no-capacity", message: "There is not enough capacity for small in north." },
};
const waiting = { status: "booting", progress: "waiting for capacity", active_at: null, cost_micro_cents: "0" };

it("fails without a wait, unbilled: terminated in every interface, and with the reason in the control interface", async () => {
  await fill();
  const id = await launch();
  await server.reconciler.idle();
  expect(await shown(id)).toMatchObject(failed);
  const status = async (url: string) => (await call("GET", url, { token })).text;
  expect(await status(`${server.marketplace}/instances/${id}`)).toMatch(/"status":"terminated"/);
  expect(await status(`${server.referenceUrl}/instances/${id}`)).toMatch(/"status":"terminated"/);
  expect(await status(`${server.lambda}/instances/${id}`)).toMatch(/"status":"terminated"/);
  expect(await status(`${server.direct}/instance/${id}`)).toMatch(/terminated/);
  await forgive();
});

it("waits with a wait though it was placed at once, unbilled, and is active once there is capacity", async () => {
  await fill();
  const id = await launch({ wait: { until: inHours(48) } });
  await server.reconciler.idle();
  expect(await shown(id)).toMatchObject(waiting);
  await later("20 hours");
  expect(await shown(id)).toMatchObject(waiting);
  expect((await call("POST", `${server.control}/instances`, { token, body: { instance_type: "small" } })).status).toBe(
    409,
  );
  await forgive();
  await later("2 minutes");
  expect(await shown(id)).toMatchObject({ status: "active", progress: null, failure: null });
  await terminate(id);
});

it("waits for the rest of its wait after it was placed, and fails at its end, unbilled", async () => {
  const first = await launch();
  const body = { instance_type: "small", wait: { until: inHours(2) } };
  const answer = await call("POST", `${server.control}/instances`, { token, body });
  expect(answer.status, answer.text).toBe(202);
  const { id: launchId } = (answer.body as { data: { launch: { id: string } } }).data.launch;
  await fill();
  await terminate(first);
  await server.reconciler.idle();
  const { instance_ids: ids } = await data<{ instance_ids: string[] }>("GET", `/launches/${launchId}`);
  const id = ids[0] ?? "";
  await server.reconciler.idle();
  expect(await shown(id)).toMatchObject(waiting);
  await later("119 minutes");
  expect(await shown(id)).toMatchObject(waiting);
  await later("2 minutes");
  expect(await shown(id)).toMatchObject(failed);
  await forgive();
});
