// The server as a whole: ports, prefixes and host names; health; draining; documents and their pages.

import { connect as connectSocket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type RunningHttp, startHttp, variants } from "../../test/support/http.ts";
import type { OpenApiDocument } from "../../test/support/openapi.ts";
import { makeWorld, type World } from "../../test/support/world.ts";
import type { Listener } from "../config/interfaces.ts";
import { loadConfig } from "../config.ts";
import { connect } from "../database/connect.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

/** A request with a Host header of its own, which fetch would not send. Gives the status. */
function statusFor(base: string, path: string, host: string): Promise<number> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(port), hostname);
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("close", () => resolve(Number(answer.split(" ")[1])));
    socket.on("error", reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

describe("the host name localhost", () => {
  it("is one address of one server, which knows that idle connections end with it", async () => {
    const http = await startHttp(world, { config: { host: "localhost" } });
    const { hostname, port } = new URL(http.main);
    expect((await call("GET", `${http.main}/healthz`)).status).toBe(200);
    // A second server, on the other family's address, would answer here.
    const other = hostname === "127.0.0.1" ? "::1" : "127.0.0.1";
    const refused = connectSocket(Number(port), other);
    await new Promise((resolve) => refused.once("error", resolve));
    const idle = connectSocket(Number(port), hostname.replace(/^\[|\]$/g, ""));
    await new Promise((resolve) => idle.once("connect", resolve));
    const ended = new Promise((resolve) => idle.once("close", resolve));
    await http.close();
    await ended;
  });
});

describe("interfaces", () => {
  const listeners: readonly Listener[] = [
    {
      name: "main",
      port: 0,
      mounts: [
        { interface: "marketplace", prefix: "/moved", hostName: undefined },
        { interface: "direct", prefix: "/same", hostName: "direct.example" },
        { interface: "reference", prefix: "/same", hostName: "reference.example" },
      ],
    },
    { name: "direct", port: 0, mounts: [{ interface: "direct", prefix: "", hostName: undefined }] },
  ];
  let http: RunningHttp;
  beforeAll(async () => {
    http = await startHttp(world, { config: { listeners } });
  });
  afterAll(() => http?.close());

  it("are where they were moved to, and nowhere else", async () => {
    expect((await call("GET", `${http.main}/moved/ssh-keys`)).status).toBe(401);
    expect((await call("GET", `${http.main}/api/vm_marketplace/ssh-keys`)).status).toBe(404);
    expect((await call("GET", `${http.main}/control/v1/accounts`)).status).toBe(404);
    expect((await call("GET", `${http.addresses.get("direct")}/gpu-inventory`)).status).toBe(401);
  });

  it("answer for their host name only, whatever its case and port", async () => {
    expect(await statusFor(http.main, "/same/gpu-inventory", "Direct.Example:8080")).toBe(401);
    expect(await statusFor(http.main, "/same/instance-types", "reference.example")).toBe(401);
    expect(await statusFor(http.main, "/same/instance-types", "direct.example")).toBe(404);
    expect(await statusFor(http.main, "/same/gpu-inventory", "other.example")).toBe(404);
    expect(await statusFor(http.main, "/moved/ssh-keys", "other.example")).toBe(401);
  });

  it("have a document that names their prefix", async () => {
    const { body } = await call("GET", `${http.main}/moved/openapi.json`);
    expect(body).toMatchObject({ openapi: "3.1.0", servers: [{ url: "/moved" }], paths: { "/instances": {} } });
  });
});

describe("health", () => {
  it("is on every port, without a token", async () => {
    const http = await startHttp(world);
    for (const address of http.addresses.values()) {
      expect((await call("GET", `${address}/healthz`)).body).toEqual({ status: "ok" });
      expect((await call("GET", `${address}/readyz`)).body).toEqual({ status: "ready" });
    }
    http.readiness.state = "starting";
    const unready = await call("GET", `${http.main}/readyz`);
    expect([unready.status, unready.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await call("GET", `${http.main}/healthz`)).status).toBe(200);
    await http.close();
  });

  it("that is asked for while the server starts or stops is logged as that, and as no trouble", async () => {
    const lines: string[] = [];
    const http = await startHttp(world, { log: { write: (line) => void lines.push(line) } });
    for (const state of ["starting", "stopping"] as const) {
      http.readiness.state = state;
      expect((await call("GET", `${http.main}/readyz`)).status).toBe(503);
    }
    await http.close();
    const told = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "unavailable");
    expect(told).toMatchObject([
      { level: 30, reason: "starting" },
      { level: 30, reason: "stopping" },
    ]);
  });

  it("tells a database that does not answer, and so does every operation", async () => {
    const db = connect({ url: "postgresql://nobody@127.0.0.1:1/nothing" });
    const lines: string[] = [];
    const http = await startHttp(world, { db, log: { write: (line) => void lines.push(line) } });
    expect((await call("GET", `${http.main}/readyz`)).status).toBe(503);
    for (const base of [http.marketplace, http.direct, http.reference]) {
      const { status, body, headers } = await call("GET", `${base}/ssh-keys`, { token: "lessor_any" });
      expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
      expect(body).toMatchObject({ error: { code: "global/unavailable" } });
    }
    expect((await call("GET", `${http.main}/healthz`)).status).toBe(200);
    await http.close();
    await db.destroy();
    // Told each time, and as what it is: no defect of this program.
    const warnings = lines.filter((line) => line.includes('"unavailable"'));
    expect(warnings).toHaveLength(4);
    for (const line of warnings)
      expect(JSON.parse(line)).toMatchObject({ level: 40, reason: expect.any(String), request_id: expect.any(String) });
    expect(warnings[0]).toContain("the database does not respond");
    expect(lines.join("")).not.toMatch(/"level":"?(50|error)|"stack"/);
  });
});

describe("closing", () => {
  it("lets requests in progress finish, and ends connections that are idle without waiting for them", async () => {
    const http = await startHttp(world, { drainSeconds: 600 });
    const { token } = await http.customer();
    const { hostname, port } = new URL(http.main);
    const idle = connectSocket(Number(port), hostname);
    const idleEnded = new Promise((resolve) => idle.on("close", resolve));
    idle.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => idle.once("data", resolve));
    const slow = connectSocket(Number(port), hostname);
    let answer = "";
    slow.on("data", (data) => {
      answer += data;
    });
    const slowEnded = new Promise((resolve) => slow.on("close", resolve));
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 15\r\n\r\n`;
    slow.write(`POST /reference/ssh-keys HTTP/1.1\r\n${head}{"name":`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const silent = [connectSocket(Number(port), hostname), connectSocket(Number(port), hostname)];
    const silentEnded = Promise.all(silent.map((socket) => new Promise((resolve) => socket.on("close", resolve))));
    silent[1]?.write("GET /healthz HTTP/1.1\r\n");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const closed = http.close();
    await Promise.all([idleEnded, silentEnded]);
    slow.write('"drain"');
    await slowEnded;
    await closed;
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer.toLowerCase()).toContain("connection: close");
    await expect(call("GET", `${http.main}/healthz`)).rejects.toThrow();
  });

  it("tells nobody that its connection ends while another one would still be taken", async () => {
    const http = await startHttp(world, { idleGraceSeconds: 5 });
    const { hostname, port } = new URL(http.main);
    /** Whether a connection is taken now. */
    const tryOnce = () =>
      new Promise<string>((resolve) => {
        const socket = connectSocket(Number(port), hostname);
        socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        socket.once("connect", () => {
          resolve("taken");
          socket.destroy();
        });
      });
    const kept = connectSocket(Number(port), hostname);
    const ask = () => kept.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    const told = Promise.withResolvers<string>();
    kept.on("data", (data) => {
      if (String(data).toLowerCase().includes("connection: close")) told.resolve(tryOnce());
      else ask();
    });
    ask();
    await tryOnce();
    const closed = http.close();
    // Connections that come in every turn: the server goes on to take them in for a while.
    const others: Promise<string>[] = [];
    while (others.length < 30) {
      others.push(tryOnce());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await told.promise).toBe("ECONNREFUSED");
    await Promise.all([...others, closed]);
  });
});

describe("the rate limit", () => {
  it("refuses what is too much for one token, says when to come back, and leaves others alone", async () => {
    const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
    const http = await startHttp(world, { config: { limits: { ...limits, requestsPerMinutePerToken: 2 } } });
    const [one, other] = [(await http.customer()).token, (await http.customer()).token];
    const get = (token: string, base: string) => call("GET", `${base}/ssh-keys`, { token });
    expect((await get(one, http.marketplace)).headers.get("ratelimit")).toMatch(/^"token";r=1;t=/);
    expect((await get(one, http.reference)).status).toBe(200);
    const refused = await get(one, http.direct);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: "global/rate-limited" } } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused.headers.get("ratelimit")).toMatch(/^"token";r=0;t=/);
    expect((await get(other, http.direct)).status).toBe(200);
    await http.close();
  });
});

describe("documentation", () => {
  let http: RunningHttp;
  beforeAll(async () => {
    http = await startHttp(world);
  });
  afterAll(() => http?.close());

  const operations = { marketplace: 10, direct: 14, reference: 9 } as const;

  it.each(Object.entries(operations))("of %s has all %i operations, each whole", async (name, count) => {
    const { body } = await call("GET", `${http[name as keyof typeof operations]}/openapi.json`);
    const document = body as OpenApiDocument & { info: object };
    expect(document.info).toMatchObject({ version: variants[name as keyof typeof operations].version });
    const all = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(all).toHaveLength(count);
    expect(new Set(all.map((operation) => (operation as { operationId?: string }).operationId)).size).toBe(count);
    for (const operation of all) {
      expect(operation).toMatchObject({ summary: /./, description: /./, tags: [expect.any(String)] });
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["401", "403", "429", "500", "503"]));
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))?.[1];
      for (const media of Object.values(success?.content ?? {})) expect(media).toHaveProperty("examples");
    }
  });
});
