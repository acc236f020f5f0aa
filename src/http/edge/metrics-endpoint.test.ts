// What Prometheus gets, from where, and who else.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallResult, call, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let operator: string;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, { config: { metricsPort: 0 } });
  operator = (await http.customer({ scopes: ["operator"] })).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const own = () => http.addresses.get("metrics") ?? "";
const value = ({ text }: CallResult, series: string) =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length),
  );

describe("GET /metrics", () => {
  it("on the main port is for operators", async () => {
    const { token } = await http.customer({ scopes: ["read", "write"] });
    const statuses = [undefined, token, operator].map(
      async (one) => (await http.call("GET", `${http.main}/metrics`, { token: one })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 403, 200]);
    const { headers } = await http.call("GET", `${http.main}/metrics`, { token: operator });
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  it("is on no other port but its own, and there without a token", async () => {
    expect((await call("GET", `${http.reference}/metrics`, { token: operator })).status).toBe(404);
    expect((await call("GET", own())).status).toBe(200);
    expect((await call("POST", own())).status).toBe(405);
    expect((await call("GET", own().replace("/metrics", "/"))).status).toBe(404);
  });

  it("counts requests by interface, operation and status, and never by what a client made up", async () => {
    const { token } = await http.customer();
    await http.call("GET", `${http.marketplace}/instances`, { token });
    await http.call("GET", `${http.marketplace}/instances/0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d`, { token });
    await http.call("GET", `${http.main}/made/up/by/a/client`);
    await http.call("GET", `${http.main}/healthz`);
    const metrics = await call("GET", own());
    const counted = (labels: string) => value(metrics, `lessor_http_requests_total{${labels}}`);
    expect(counted('interface="marketplace",operation="listInstances",status="2xx"')).toBe(1);
    expect(counted('interface="marketplace",operation="getInstance",status="4xx"')).toBe(1);
    expect(counted('interface="none",operation="unknown",status="4xx"')).toBeGreaterThanOrEqual(1);
    expect(counted('interface="none",operation="/healthz",status="2xx"')).toBe(1);
    expect(metrics.text).not.toContain("made/up");
    expect(
      value(metrics, 'lessor_http_request_duration_seconds_count{interface="marketplace",operation="listInstances"}'),
    ).toBe(1);
  });

  it("counts answers that were repeated for an Idempotency-Key", async () => {
    const { token } = await http.customer();
    const body = { name: "one", scopes: ["read"] };
    const headers = { "idempotency-key": "key" };
    for (const _ of [1, 2, 3]) await http.call("POST", `${http.control}/tokens`, { token, body, headers });
    expect(value(await call("GET", own()), "lessor_idempotency_replays_total")).toBe(2);
  });

  it("tells of the connection it came by, and of nobody working", async () => {
    const metrics = await call("GET", own());
    expect(value(metrics, "lessor_http_connections")).toBeGreaterThanOrEqual(1);
    expect(value(metrics, "lessor_http_requests_under_way")).toBe(0);
  });
});
