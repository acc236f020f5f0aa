// When a terminal through the control interface ends, and what it may hold until then. Over real WebSockets, in machines that
// the test plays.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { Browser } from "../../../../test/support/console.ts";
import { startHttp } from "../../../../test/support/http.ts";
import { begin } from "../../../../test/support/interleave.ts";
import { openTerminal } from "../../../../test/support/terminals.ts";
import { terminalsOfFile } from "../../../../test/support/terminals-fixture.ts";

const fixture = terminalsOfFile();
const { start, open, signedIn, audited } = fixture;

describe("a terminal ends", () => {
  it("when its token is revoked, on whatever server", async () => {
    await start();
    const { ended } = await open();
    const other = await startHttp(fixture.world);
    await other.call("DELETE", `${other.control}/tokens/${fixture.customer.tokenId}`, {
      token: fixture.customer.token,
    });
    await other.close();
    expect(await ended).toEqual({ code: 4001, reason: expect.stringContaining("no longer valid") });
    expect(fixture.engine.last.isClosed).toBe(true);
  });

  it("when its session is signed out of on another server, and one with the token goes on", async () => {
    await start({ checkMs: 50 });
    const { browser, headers } = await signedIn();
    const byToken = await open();
    const { ended } = await open({ headers });
    const other = await startHttp(fixture.world);
    const there = new Browser(other.main);
    there.cookie = browser.cookie;
    await there.signOut();
    await other.close();
    expect(await ended).toMatchObject({ code: 4001 });
    byToken.type("still here");
    await expect.poll(() => fixture.engine.terminals[0]?.typed).toBe("still here");
  });

  it.each(["stopped", "terminating"] as const)("when the instance is %s", async (state) => {
    await start();
    const { ended } = await open();
    await fixture.world.put(fixture.instanceId, state);
    expect(await ended).toMatchObject({ code: 4003, reason: expect.stringContaining("no longer running") });
  });

  it("when the server stops, which waits for no client", async () => {
    await start();
    const [polite, deaf] = [await open(), await open()];
    // One that never answers the goodbye.
    deaf.socket.pause();
    const began = performance.now();
    await fixture.http.close();
    expect(performance.now() - began).toBeLessThan(4000);
    expect(await polite.ended).toMatchObject({ code: 4002 });
    expect(fixture.engine.terminals.every(({ isClosed }) => isClosed)).toBe(true);
    const { rows } = await sql<{ count: string }>`select count(*) as count from audit_log
      where operation = 'endTerminal' and ${fixture.instanceId} = any(objects)`.execute(fixture.world.db);
    expect(Number(rows[0]?.count)).toBe(2);
  });

  it("after a long time without input, whatever the machine shows", async () => {
    await start({ idleMs: 200, beatMs: 20 });
    const [idle, busy] = [await open(), await open()];
    const typing = setInterval(() => busy.type("x"), 30);
    const showing = setInterval(() => fixture.engine.terminals[0]?.show("tick"), 30);
    expect(await idle.ended).toMatchObject({ code: 4004 });
    clearInterval(showing);
    expect(busy.socket.readyState).toBe(busy.socket.OPEN);
    clearInterval(typing);
  });

  it("when its client answers no more", async () => {
    await start({ beatMs: 150 });
    const { socket, ended } = await openTerminal(fixture.url, fixture.customer.token, { autoPong: false });
    const alive = await open();
    expect(await ended).toMatchObject({ code: 1006 });
    socket.terminate();
    expect(alive.socket.readyState).toBe(alive.socket.OPEN);
    await expect.poll(() => fixture.engine.terminals.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it("when its token cannot be verified for seconds", async () => {
    await start({ checkMs: 30, uncheckedMs: 300 });
    const { ended } = await open();
    await using held = await begin(fixture.world.db);
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
    expect(fixture.engine.last.sizes).toEqual([]);
  });

  it("when a frame is larger than anybody types, whole or in parts", async () => {
    await start();
    const [whole, parts] = [await open(), await open()];
    whole.socket.send(Buffer.alloc(65_537));
    expect(await whole.ended).toMatchObject({ code: 1009 });
    for (let part = 0; part < 3; part++) parts.socket.send(Buffer.alloc(30_000), { fin: false });
    expect(await parts.ended).toMatchObject({ code: 1009 });
    expect(fixture.engine.terminals.map(({ typed }) => typed)).toEqual(["", ""]);
  });
});

describe("what a terminal holds is bounded", () => {
  const chunk = Buffer.alloc(65_536, "x");
  const enough = 1000;

  /** Has the machine show more and more until it is told to stop, or `enough` is enough. Gives how much. */
  async function flood(until: () => boolean): Promise<number> {
    let chunks = 0;
    while (!until() && chunks < enough) {
      fixture.engine.last.show(chunk);
      chunks += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return chunks;
  }

  it("for a client that reads slowly: the machine is held back, and nothing is lost", async () => {
    await start();
    const { socket, shown } = await open();
    socket.pause();
    const chunks = await flood(() => fixture.engine.last.isHeldBack);
    expect(chunks).toBeLessThan(enough);
    socket.resume();
    await expect.poll(() => shown().length, { timeout: 20_000 }).toBe(chunks * chunk.length);
    await expect.poll(() => fixture.engine.last.flows).toEqual([false, true]);
    fixture.engine.last.show("end");
    await expect.poll(() => shown().endsWith("end")).toBe(true);
  });

  it("for a client that reads slowly, of an engine that cannot hold back: it is cut off", async () => {
    fixture.engine.canHoldBack = false;
    await start();
    const { socket, ended } = await open();
    socket.pause();
    expect(await flood(() => fixture.engine.last.isClosed)).toBeLessThan(enough);
    await expect.poll(audited, { timeout: 5_000 }).toContainEqual(["endTerminal", "done", 101]);
    socket.resume();
    await ended;
  });

  it("for a machine that reads slowly: the client is held back, and nothing is lost", async () => {
    await start({ beatMs: 30 });
    const { socket } = await open();
    fixture.engine.last.untaken = 1_000_000;
    for (let part = 0; part < 200; part++) socket.send(Buffer.alloc(60_000, "x"));
    await expect.poll(() => fixture.engine.last.typed.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(fixture.engine.last.typed.length).toBeLessThan(1_000_000);
    fixture.engine.last.untaken = 0;
    await expect.poll(() => fixture.engine.last.typed.length, { timeout: 20_000 }).toBe(12_000_000);
  });

  it("for a machine that takes nothing at all: it ends", async () => {
    await start({ beatMs: 20, deafMs: 100 });
    const { type, ended } = await open();
    fixture.engine.last.untaken = 1_000_000;
    type("is anybody there?");
    expect(await ended).toMatchObject({ code: 4006 });
  });

  it.each(["x", '{"columns":80,"rows":24}'])(
    "for such a machine by one look at a time, however much came: %s",
    async (frame) => {
      await start({ beatMs: 20, deafMs: 200 });
      const { socket, ended } = await open();
      fixture.engine.last.untaken = 1_000_000;
      const frames = 2000;
      for (let sent = 0; sent < frames; sent++) socket.send(frame.startsWith("{") ? frame : Buffer.from(frame));
      expect(await ended).toMatchObject({ code: 4006 });
      expect(fixture.engine.last.looks).toBeLessThan(100);
    },
  );

  it("in number: of an account, whatever its tokens, until one is closed", async () => {
    await start({ perAccount: 2 });
    const another = await fixture.http.customer({ principal: fixture.customer.principal });
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
    fixture.engine.opening = async () => {
      throw new Error("the host is away");
    };
    expect((await open()).status).toBe(503);
    const [begun, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    fixture.engine.opening = () => {
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
    fixture.engine.opening = async () => {};
    await expect.poll(async () => (await open()).status).toBe(101);
  });
});
