// More requests than may be worked on at once: refused early and politely; slow clients hold no place.

import { connect, type Socket } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CallResult, type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { begin, type OpenTransaction, untilWaiting } from "../../../test/support/interleave.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";
import { loadConfig } from "../../config.ts";
import { Metrics } from "../../metrics/metrics.ts";
import { createAdmission, lateMs } from "./overload.ts";

const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
const most = 4;
/** A token may take three quarters of it. */
const mostOfOne = 3;

let world: World;
let http: RunningHttp;
let customer: Awaited<ReturnType<RunningHttp["customer"]>>;
beforeEach(async () => {
  world = await makeWorld();
  http = await startHttp(world, { config: { limits: { ...limits, requestsUnderWay: most }, metricsPort: 0 } });
  customer = await http.customer();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await http?.close();
  await world?.close();
});

const sockets: Socket[] = [];

/** As many requests as may be, all waiting for the account's row until the test lets go. */
async function busy(count = mostOfOne): Promise<{ held: OpenTransaction; answers: Promise<CallResult>[] }> {
  const held = await begin(world.db);
  await held.tx
    .selectFrom("accounts")
    .select("id")
    .where("id", "=", customer.principal.accountId)
    .forUpdate()
    .execute();
  const body = { name: "data", region: "north", size_gb: 1 };
  const answers = Array.from({ length: count }, (_, index) =>
    http.call("POST", `${http.control}/file-systems`, {
      token: customer.token,
      body: { ...body, name: `data-${index}` },
    }),
  );
  await untilWaiting(world.db, count);
  return { held, answers };
}

describe("more requests than are worked on at once", () => {
  it("of one token leave room for others", async () => {
    await world.region("north");
    const { held, answers } = await busy();
    const other = await http.customer();
    const asked = [customer, other].map(({ token }) => http.call("GET", `${http.marketplace}/instances`, { token }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 200]);
    await held.rollback();
    await Promise.all(answers);
  });

  it("of one token are one token's, however it is spelled", async () => {
    await world.region("north");
    const { held, answers } = await busy();
    const spelled = ["bearer ", "Bearer  ", "BEARER   "].map((scheme) =>
      http.call("GET", `${http.marketplace}/instances`, { headers: { authorization: `${scheme}${customer.token} ` } }),
    );
    expect((await Promise.all(spelled)).map(({ status }) => status)).toEqual([503, 503, 503]);
    await held.rollback();
    await Promise.all(answers);
  });

  it("are refused with 503 and Retry-After, in the one error body, while those let in have their answers", async () => {
    await world.region("north");
    const { held, answers } = await busy();
    const refused = await http.call("GET", `${http.marketplace}/instances`, { token: customer.token });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-request-id")).toBeTruthy();
    expect(refused.body).toMatchObject({
      error: { code: "global/unavailable", message: expect.stringContaining("overloaded") },
    });
    await held.rollback();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: mostOfOne }, () => 200));
    expect((await http.call("GET", `${http.marketplace}/instances`, { token: customer.token })).status).toBe(200);
  });

  it("do not keep health, readiness and metrics from answering", async () => {
    await world.region("north");
    const { held, answers } = await busy();
    const operator = (await http.customer({ scopes: ["operator"] })).token;
    await http.call("GET", `${http.marketplace}/instances`, { token: customer.token });
    expect((await http.call("GET", `${http.main}/healthz`)).status).toBe(200);
    expect((await http.call("GET", `${http.main}/readyz`)).status).toBe(200);
    const metrics = await http.call("GET", `${http.main}/metrics`, { token: operator });
    expect(metrics.text).toContain(`\nlessor_http_requests_under_way ${mostOfOne}\n`);
    expect(metrics.text).toContain('\nlessor_http_refused_total{reason="requests of one token"} 1\n');
    await held.rollback();
    await Promise.all(answers);
  });
});

describe("many that ask for metrics at once", () => {
  it("have eight places of their own, so that no more look up a token, and others have all of theirs", async () => {
    const operator = (await http.customer({ scopes: ["operator"] })).token;
    await using held = await begin(world.db);
    await sql`lock table tokens in access exclusive mode`.execute(held.tx);
    const statuses: number[] = [];
    const asked = Array.from({ length: 20 }, async () => {
      const { status } = await http.call("GET", `${http.main}/metrics`, { token: operator });
      statuses.push(status);
    });
    await expect.poll(() => statuses.length).toBe(12);
    expect(new Set(statuses)).toEqual(new Set([503]));
    expect((await http.call("GET", http.addresses.get("metrics") ?? "")).text).toContain(
      "\nlessor_http_requests_under_way 0\n",
    );
    await held.rollback();
    await Promise.all(asked);
    expect(statuses.slice(12)).toEqual(Array.from({ length: 8 }, () => 200));
    expect((await http.call("GET", `${http.main}/metrics`, { token: operator })).status).toBe(200);
  });
});

describe("a place among the requests under way", () => {
  it("is not held by bodies that are slow to come", async () => {
    const { hostname, port } = new URL(http.main);
    for (let index = 0; index < 2 * most; index += 1) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.write(
        `POST /control/v1/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\nContent-Length: 100\r\n\r\n{`,
      );
    }
    const underWay = async () => {
      const { text } = await http.call("GET", http.addresses.get("metrics") ?? "");
      return [/^lessor_http_connections (\d+)$/m, /^lessor_http_requests_under_way (\d+)$/m].map((one) =>
        Number(one.exec(text)?.[1]),
      );
    };
    await expect.poll(underWay).toEqual([2 * most, 0]);
    expect((await http.call("GET", `${http.marketplace}/instances`, { token: customer.token })).status).toBe(200);
  });

  it("is held for a client that has gone away as long as its work lasts, and no longer", async () => {
    await world.region("north");
    const { held, answers } = await busy(mostOfOne - 1);
    const controller = new AbortController();
    const gone = fetch(`${http.control}/file-systems`, {
      method: "POST",
      headers: { authorization: `Bearer ${customer.token}` },
      body: JSON.stringify({ name: "gone", region: "north", size_gb: 1 }),
      signal: controller.signal,
    }).catch(() => "gone");
    await untilWaiting(world.db, mostOfOne);
    controller.abort();
    expect(await gone).toBe("gone");
    expect((await http.call("GET", `${http.marketplace}/instances`, { token: customer.token })).status).toBe(503);
    await held.rollback();
    await Promise.all(answers);
    await expect
      .poll(async () => (await http.call("GET", `${http.marketplace}/instances`, { token: customer.token })).status)
      .toBe(200);
  });
});

describe("an event loop that is late", () => {
  const admitted = (lagMs: number, requests: number) => {
    const hooks: ((request: object) => unknown)[] = [];
    const admission = createAdmission({
      most: 80,
      eventLoop: { lagMs: () => lagMs, close: () => {} },
      metrics: new Metrics(),
      isExcess: () => false,
    });
    const server = {
      decorateRequest: () => {},
      addHook: (name: string, hook: (request: object, reply: object, done: (error?: unknown) => void) => void) => {
        if (name === "onRequest") hooks.push((request) => hook(request, {}, (error) => results.push(error)));
      },
    };
    const results: unknown[] = [];
    admission.guard(server as never); // as much of a server as it uses
    for (let index = 0; index < requests; index += 1)
      hooks[0]?.({
        isUnderWay: false,
        routeOptions: { config: {} },
        headers: { authorization: `${index}` },
        raw: { socket: {} },
      });
    return results.filter((error) => error === undefined).length;
  };

  it("lets in an eighth of what it would, and never nobody", () => {
    expect(admitted(lateMs, 100)).toBe(80);
    expect(admitted(lateMs + 1, 100)).toBe(10);
  });
});
