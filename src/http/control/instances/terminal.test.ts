// A terminal through the control interface: who gets one, what goes over it, when it ends, and what it may cost. Over real
// WebSockets, in machines that the test plays.

import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Browser, exchange } from "../../../../test/support/console.ts";
import { codeOf } from "../../../../test/support/control.ts";
import { type RunningHttp, startHttp } from "../../../../test/support/http.ts";
import { begin } from "../../../../test/support/interleave.ts";
import { openTerminal, PlayedEngine } from "../../../../test/support/terminals.ts";
import { makeWorld, type World } from "../../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let engine: PlayedEngine;
let customer: Awaited<ReturnType<RunningHttp["customer"]>>;
let instanceId: string;
let url: string;

beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(() => {
  engine = new PlayedEngine();
});
afterEach(() => http?.close());
afterAll(() => world?.close());

/** A server with these settings, and a customer whose one instance is active. */
async function start(
  terminals: NonNullable<Parameters<typeof startHttp>[1]>["terminals"] = {},
  more: Parameters<typeof startHttp>[1] = {},
): Promise<void> {
  http = await startHttp(world, { engines: new Map([["simulated", engine]]), terminals, ...more });
  customer = await http.customer();
  instanceId = await activeInstance(customer.principal);
  url = `${http.control}/instances/${instanceId}/terminal`;
}

async function activeInstance(principal: typeof customer.principal): Promise<string> {
  await world.host({ gpus: 1 });
  await world.image();
  const product = await world.product({ gpus: 1 });
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  await world.put(id, "active");
  return id;
}

const open = (by: Parameters<typeof openTerminal>[1] = customer.token, query = "") => openTerminal(url + query, by);

async function signedIn(): Promise<{ browser: Browser; headers: Record<string, string> }> {
  const browser = new Browser(http.main);
  await browser.signIn(customer.token);
  return { browser, headers: { cookie: browser.cookie ?? "", origin: http.main, "sec-fetch-site": "same-origin" } };
}

const audited = async () => {
  const { body } = await http.call("GET", `${http.control}/audit-log?object=${instanceId}`, { token: customer.token });
  const { data } = body as { data: { operation: string; result: string; status: number }[] };
  return data.map(({ operation, result, status }) => [operation, result, status]).reverse();
};

describe("a terminal", () => {
  it("passes bytes both ways as they are, and tells the machine its size", async () => {
    await start();
    const { socket, shown, status, type } = await open(customer.token, "?kind=console&columns=132&rows=50");
    expect(status).toBe(101);
    expect(engine.last).toMatchObject({ machineId: instanceId, order: { kind: "console", columns: 132, rows: 50 } });
    engine.last.show("login: \u001b[1mü");
    engine.last.show(Uint8Array.of(0, 255));
    await expect.poll(shown).toBe(`login: \u001b[1mü\0${Buffer.of(255).toString()}`);
    type("root\r\u0003");
    socket.send(JSON.stringify({ columns: 80, rows: 24, unknown: true }));
    type("ä");
    await expect.poll(() => engine.last.typed).toBe("root\r\u0003ä");
    expect(engine.last.sizes).toEqual([[80, 24]]);
  });

  it("is a shell of 80 by 24 where nothing else is asked for", async () => {
    await start();
    await open();
    expect(engine.last.order).toEqual({ kind: "shell", columns: 80, rows: 24 });
  });

  it("ends with 1000 when the machine ends it, after all that it showed", async () => {
    await start();
    const { ended, shown } = await open();
    engine.last.show("logout\r\n");
    engine.last.end();
    expect(await ended).toEqual({ code: 1000, reason: "" });
    expect(shown()).toBe("logout\r\n");
    expect(engine.last.isClosed).toBe(true);
  });

  it.each(["closes it", "is cut off"])("ends in the machine when the client %s", async (how) => {
    await start();
    const { socket } = await open();
    if (how === "closes it") socket.close(1000);
    else socket.terminate();
    await expect.poll(() => engine.last.isClosed).toBe(true);
  });

  it("is in the audit log from end to end, and in the log as one request", async () => {
    const lines: string[] = [];
    await start({}, { log: { write: (line) => void lines.push(line) } });
    const { socket, ended, requestId } = await open();
    expect(requestId).toMatch(/^[\w-]{36}$/);
    expect(await audited()).toContainEqual(["openTerminal", "done", 101]);
    socket.close(1000);
    await ended;
    await expect.poll(audited).toContainEqual(["endTerminal", "done", 101]);
    await expect.poll(() => lines.filter((line) => line.includes("/terminal"))).toHaveLength(1);
    expect(JSON.parse(lines.find((line) => line.includes("/terminal")) ?? "")).toMatchObject({
      status: 101,
      request_id: requestId,
      token_id: customer.tokenId,
    });
    for (const operation of ["openTerminal", "endTerminal"]) {
      const found = await http.call("GET", `${http.control}/audit-log?operation=${operation}`, {
        token: customer.token,
      });
      expect(found.status).toBe(200);
    }
  });

  it("is counted while it is open", async () => {
    await start();
    const operator = (await http.customer({ scopes: ["operator"] })).token;
    const count = async () =>
      /^lessor_http_terminals (\d+)$/m.exec(
        (await http.call("GET", `${http.main}/metrics`, { token: operator })).text,
      )?.[1];
    const { socket } = await open();
    expect(await count()).toBe("1");
    socket.close();
    await expect.poll(count).toBe("0");
  });
});

describe("who gets a terminal", () => {
  it("is the account's own token that may write, and a page of the console with its cookie", async () => {
    await start();
    const { headers } = await signedIn();
    expect((await open()).status).toBe(101);
    expect((await open({ headers })).status).toBe(101);
  });

  it("is no token that may only read, or only operate, and no operator in a customer's machine", async () => {
    await start();
    for (const scopes of [["read"], ["operator"]] as const) {
      const { token } = await http.customer({ scopes, principal: customer.principal });
      const { status, body } = await open(token);
      expect([status, body]).toMatchObject([403, { error: { code: "global/forbidden" } }]);
    }
    const everything = await http.customer({ scopes: ["read", "write", "operator"] });
    expect((await open(everything.token)).status).toBe(404);
    expect(engine.terminals).toEqual([]);
    expect(await audited()).toContainEqual(["openTerminal", "refused", 403]);
  });

  it("is nobody in another account's machine, which cannot be told from one that is not there", async () => {
    await start();
    const stranger = await http.customer();
    const theirs = await open(stranger.token);
    const nowhere = await openTerminal(
      `${http.control}/instances/0198c0de-0000-7000-8000-000000000000/terminal`,
      stranger.token,
    );
    expect([theirs.status, nowhere.status]).toEqual([404, 404]);
    const words = (body: unknown) => JSON.stringify((body as { error: { message: string } }).error.message);
    expect(words(theirs.body).replace(instanceId, "")).toBe(
      words(nowhere.body).replace("0198c0de-0000-7000-8000-000000000000", ""),
    );
    expect(engine.terminals).toEqual([]);
  });

  it("is no page of another origin, whatever it sends besides the cookie", async () => {
    await start();
    const { headers } = await signedIn();
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${http.main}.evil.example` },
      { origin: "http://127.0.0.1:1" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example", "x-lessor-console": "1" },
    ];
    for (const one of foreign) {
      const { status } = await open({ headers: { ...headers, ...one } });
      expect(status, JSON.stringify(one)).toBe(401);
    }
    const { origin: _, ...silent } = headers;
    expect((await open({ headers: silent })).status).toBe(401);
    expect((await open({ headers: { ...silent, "x-lessor-console": "1" } })).status).toBe(401);
    expect(engine.terminals).toEqual([]);
  });

  it("is nobody without a token, or with one in the address", async () => {
    await start();
    expect((await open({ headers: {} })).status).toBe(401);
    expect((await open({ headers: {} }, `?token=${customer.token}`)).status).toBe(401);
    expect((await open({ headers: { "sec-websocket-protocol": customer.token } })).status).toBe(401);
  });
});

describe("what is refused", () => {
  it("is a size or kind that there is not", async () => {
    await start();
    for (const query of ["?kind=root", "?columns=0", "?rows=1001", "?columns=80.5", "?columns=wide"]) {
      const { status } = await open(customer.token, query);
      expect(status, query).toBe(400);
    }
  });

  it("is a request that asks for no WebSocket, or wrongly", async () => {
    await start();
    const authorization = `Bearer ${customer.token}`;
    const upgrade = { authorization, connection: "Upgrade", upgrade: "websocket" };
    const wrong = [
      { authorization },
      { ...upgrade },
      { ...upgrade, "sec-websocket-version": "13" },
      { ...upgrade, "sec-websocket-version": "13", "sec-websocket-key": "short" },
      { ...upgrade, "sec-websocket-version": "12", "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" },
    ];
    for (const headers of wrong) {
      const seen = await exchange("GET", url, headers);
      expect([seen.status, seen.body], JSON.stringify(headers)).toMatchObject([
        400,
        { error: { code: "global/invalid-parameters" } },
      ]);
    }
    expect(engine.terminals).toEqual([]);
  });

  it("is a machine that does not run, with the reason of its engine", async () => {
    await start();
    engine.opening = async () => {
      throw Object.assign(new Error("halted"), { code: "not-running", kind: "unavailable" });
    };
    const { status, body } = await open();
    expect([status, body]).toMatchObject([409, { error: { message: expect.stringContaining("is not running") } }]);
    await world.put(instanceId, "terminated");
    expect((await open()).status).toBe(409);
    expect(await audited()).toContainEqual(["openTerminal", "refused", 409]);
  });

  it("is answered on a connection that ends with it, like any other request", async () => {
    await start();
    const asking = httpRequest(`${http.main}/healthz`, {
      headers: { connection: "Upgrade", upgrade: "websocket" },
    }).end();
    const [response] = (await once(asking, "response")) as [import("node:http").IncomingMessage];
    expect([response.statusCode, response.headers.connection]).toEqual([200, "close"]);
    expect(response.headers["x-request-id"]).toBeDefined();
    response.resume();
    await once(response, "end");
    const nowhere = await openTerminal(`${http.main}/nowhere`, customer.token);
    expect([nowhere.status, codeOf({ body: nowhere.body } as never)]).toEqual([404, "global/not-found"]);
  });

  it("is not what only offers HTTP/2: that is a request as ever, with its body", async () => {
    await start();
    const headers = {
      authorization: `Bearer ${customer.token}`,
      connection: "Upgrade, HTTP2-Settings",
      upgrade: "h2c",
      "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA",
    };
    const made = await exchange("POST", `${http.control}/tokens`, headers, { name: "h2c", scopes: ["read"] });
    expect(made.status).toBe(200);
    expect((await exchange("GET", `${http.control}/account`, headers)).status).toBe(200);
  });
});

describe("a terminal ends", () => {
  it("when its token is revoked, on whatever server", async () => {
    await start();
    const { ended } = await open();
    const other = await startHttp(world);
    await other.call("DELETE", `${other.control}/tokens/${customer.tokenId}`, { token: customer.token });
    await other.close();
    expect(await ended).toEqual({ code: 4001, reason: expect.stringContaining("no longer valid") });
    expect(engine.last.isClosed).toBe(true);
  });

  it("when its session is signed out of on another server, and one with the token goes on", async () => {
    await start({ checkMs: 50 });
    const { browser, headers } = await signedIn();
    const byToken = await open();
    const { ended } = await open({ headers });
    const other = await startHttp(world);
    const there = new Browser(other.main);
    there.cookie = browser.cookie;
    await there.signOut();
    await other.close();
    expect(await ended).toMatchObject({ code: 4001 });
    byToken.type("still here");
    await expect.poll(() => engine.terminals[0]?.typed).toBe("still here");
  });

  it.each(["stopped", "terminating"] as const)("when the instance is %s", async (state) => {
    await start();
    const { ended } = await open();
    await world.put(instanceId, state);
    expect(await ended).toMatchObject({ code: 4003, reason: expect.stringContaining("no longer running") });
  });

  it("when the server stops, which waits for no client", async () => {
    await start();
    const [polite, deaf] = [await open(), await open()];
    // One that never answers the goodbye.
    deaf.socket.pause();
    const began = performance.now();
    await http.close();
    expect(performance.now() - began).toBeLessThan(4000);
    expect(await polite.ended).toMatchObject({ code: 4002 });
    expect(engine.terminals.every(({ isClosed }) => isClosed)).toBe(true);
    const { rows } = await sql<{ count: string }>`select count(*) as count from audit_log
      where operation = 'endTerminal' and ${instanceId} = any(objects)`.execute(world.db);
    expect(Number(rows[0]?.count)).toBe(2);
  });

  it("when nobody types for long, whatever the machine shows", async () => {
    await start({ idleMs: 200, beatMs: 20 });
    const [idle, busy] = [await open(), await open()];
    const typing = setInterval(() => busy.type("x"), 30);
    const showing = setInterval(() => engine.terminals[0]?.show("tick"), 30);
    expect(await idle.ended).toMatchObject({ code: 4004 });
    clearInterval(showing);
    expect(busy.socket.readyState).toBe(busy.socket.OPEN);
    clearInterval(typing);
  });

  it("when its client answers no more", async () => {
    await start({ beatMs: 150 });
    const { socket, ended } = await openTerminal(url, customer.token, { autoPong: false });
    const alive = await open();
    expect(await ended).toMatchObject({ code: 1006 });
    socket.terminate();
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
    await expect.poll(() => engine.terminals.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it("when nobody can say for seconds whether its token is good", async () => {
    await start({ checkMs: 30, uncheckedMs: 300 });
    const { ended } = await open();
    await using held = await begin(world.db);
    await sql`lock table tokens in access exclusive mode`.execute(held.tx);
    expect(await ended).toMatchObject({ code: 4008 });
    await held.rollback();
  });

  it.each([
    ["no JSON", "resize"],
    ["no size", "{}"],
    ["a size of nothing", '{"columns":0,"rows":24}'],
    ["a size without end", '{"columns":80,"rows":1e9}'],
    ["half a line", '{"columns":80.5,"rows":24}'],
    ["something else", "null"],
    ["too much of it", `{"columns":80,"rows":24${" ".repeat(500)}}`],
  ])("when a text frame is %s", async (_name, text) => {
    await start();
    const { socket, ended } = await open();
    socket.send(text);
    expect(await ended).toMatchObject({ code: 4007, reason: expect.stringContaining('"columns"') });
    expect(engine.last.sizes).toEqual([]);
  });

  it("when a frame is larger than anybody types, whole or in parts", async () => {
    await start();
    const [whole, parts] = [await open(), await open()];
    whole.socket.send(Buffer.alloc(65_537));
    expect(await whole.ended).toMatchObject({ code: 1009 });
    for (let part = 0; part < 3; part++) parts.socket.send(Buffer.alloc(30_000), { fin: false });
    expect(await parts.ended).toMatchObject({ code: 1009 });
    expect(engine.terminals.map(({ typed }) => typed)).toEqual(["", ""]);
  });
});

describe("what a terminal holds is bounded", () => {
  const chunk = Buffer.alloc(65_536, "x");
  const enough = 1000;

  /** Has the machine show more and more until it is told to stop, or `enough` is enough. Gives how much. */
  async function flood(until: () => boolean): Promise<number> {
    let chunks = 0;
    while (!until() && chunks < enough) {
      engine.last.show(chunk);
      chunks += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return chunks;
  }

  it("for a client that reads slowly: the machine is held back, and nothing is lost", async () => {
    await start();
    const { socket, shown } = await open();
    socket.pause();
    const chunks = await flood(() => engine.last.isHeldBack);
    expect(chunks).toBeLessThan(enough);
    socket.resume();
    await expect.poll(() => shown().length, { timeout: 20_000 }).toBe(chunks * chunk.length);
    await expect.poll(() => engine.last.flows).toEqual([false, true]);
    engine.last.show("end");
    await expect.poll(() => shown().endsWith("end")).toBe(true);
  });

  it("for a client that reads slowly, of an engine that cannot hold back: it is cut off", async () => {
    engine.canHoldBack = false;
    await start();
    const { socket, ended } = await open();
    socket.pause();
    expect(await flood(() => engine.last.isClosed)).toBeLessThan(enough);
    await expect.poll(audited, { timeout: 5_000 }).toContainEqual(["endTerminal", "done", 101]);
    socket.resume();
    await ended;
  });

  it("for a machine that reads slowly: the client is held back, and nothing is lost", async () => {
    await start({ beatMs: 30 });
    const { socket } = await open();
    engine.last.untaken = 1_000_000;
    for (let part = 0; part < 200; part++) socket.send(Buffer.alloc(60_000, "x"));
    await expect.poll(() => engine.last.typed.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(engine.last.typed.length).toBeLessThan(1_000_000);
    engine.last.untaken = 0;
    await expect.poll(() => engine.last.typed.length, { timeout: 20_000 }).toBe(12_000_000);
  });

  it("for a machine that takes nothing at all: it ends", async () => {
    await start({ beatMs: 20, deafMs: 100 });
    const { type, ended } = await open();
    engine.last.untaken = 1_000_000;
    type("is anybody there?");
    expect(await ended).toMatchObject({ code: 4006 });
  });

  it.each(["x", '{"columns":80,"rows":24}'])(
    "for such a machine by one look at a time, however much came: %s",
    async (frame) => {
      await start({ beatMs: 20, deafMs: 200 });
      const { socket, ended } = await open();
      engine.last.untaken = 1_000_000;
      const frames = 2000;
      for (let sent = 0; sent < frames; sent++) socket.send(frame.startsWith("{") ? frame : Buffer.from(frame));
      expect(await ended).toMatchObject({ code: 4006 });
      expect(engine.last.looks).toBeLessThan(100);
    },
  );

  it("in number: of an account, whatever its tokens, until one is closed", async () => {
    await start({ perAccount: 2 });
    const another = await http.customer({ principal: customer.principal });
    const [first] = [await open(), await open(another.token)];
    const { status, body } = await open();
    expect([status, body]).toMatchObject([
      403,
      { error: { code: "global/quota-exceeded", suggestion: "Close an open terminal." } },
    ]);
    first.socket.close();
    await expect.poll(async () => (await open()).status).toBe(101);
  });

  it("in number: of the server", async () => {
    await start({ most: 1 });
    await open();
    expect((await open()).status).toBe(503);
  });

  it("and given back whatever becomes of an opening", async () => {
    await start({ perAccount: 1 });
    engine.opening = async () => {
      throw new Error("the host is away");
    };
    expect((await open()).status).toBe(503);
    const [begun, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    engine.opening = () => {
      begun.resolve();
      return opened.promise;
    };
    const asking = open();
    await begun.promise;
    expect((await open()).status).toBe(403);
    opened.resolve();
    const late = await asking;
    expect(late.status).toBe(101);
    late.socket.terminate();
    engine.opening = async () => {};
    await expect.poll(async () => (await open()).status).toBe(101);
  });
});
