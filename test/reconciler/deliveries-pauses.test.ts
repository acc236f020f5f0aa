// Pauses: a webhook that fails again and again, and an origin that cannot be reached, are attempted once in each pause, by all
// servers together, however much waits; and what answers again gets everything.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeProbe } from "../../src/reconciler/deliveries/pauses.ts";
import { deliveryDefaults } from "../../src/reconciler/deliveries/settings.ts";
import type { Principal } from "../../src/rental/service.ts";
import { testWebhook } from "../../src/rental/webhooks/delivery.ts";
import { disableFailing } from "../../src/rental/webhooks/disable.ts";
import { changeWebhook } from "../../src/rental/webhooks/webhook-store.ts";
import { Hooks } from "../support/hooks.ts";
import { startReceiver } from "../support/receiver.ts";
import { travel } from "../support/time-travel.ts";
import { only, worldOfFile } from "../support/world.ts";

const world = worldOfFile();
const hooks = new Hooks(world);
const slowly = { timeout: 20_000 };
/** A minute at first: nothing ends by itself in a test, which travels. What failed once is due again at once. */
const pausing = { failuresBeforePause: 5, pauseSeconds: [60, 240], retrySeconds: Array(500).fill(0) } as const;
/** A first pause, and its quarter more. */
const firstPause = "76 seconds";
/** Before a pause begins: those that count, and those that were under way by then (8 of a webhook at once). */
const mostBefore = 5 - 1 + 8;

const subjects = (count: number) => Array.from({ length: count }, () => randomUUID());
async function attempts(): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select coalesce(sum(attempts), 0)::integer as sum from webhook_deliveries`.execute(world.db);
  return only(rows).sum;
}
const origins = () => world.db.selectFrom("webhook_origins").selectAll().execute();
/** A port of loopback where nobody listens; `open` starts somebody there, who counts. */
async function deadPort() {
  const server = createServer((_request, response) => {
    taken += 1;
    response.writeHead(204).end();
  });
  let taken = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    taken: () => taken,
    open: async () => {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
}
const happenFor = async (principal: Principal, count: number) => {
  for (const subject of subjects(count)) await hooks.happen(principal, subject, 1);
};

describe("a webhook whose target answers with errors", () => {
  it("is attempted once in each pause, which grows, and gets everything when it answers", async () => {
    const principal = await world.account();
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 500 });
    const { id } = await hooks.make(principal, { url: receiver.url });
    await happenFor(principal, 40);
    hooks.deliver(pausing);
    hooks.deliver(pausing);
    const pause = async () => (await hooks.read(principal, id)).pausedUntil;
    await expect.poll(pause, slowly).not.toBeNull();
    await expect.poll(() => hooks.leases(), slowly).toBe(0);
    expect(receiver.requests.length).toBeLessThanOrEqual(mostBefore);
    expect((await hooks.read(principal, id)).lastFailure).toEqual({ error: "status", statusCode: 500 });

    const seconds: number[] = [];
    for (const after of [firstPause, "151 seconds", "301 seconds"]) {
      const before = receiver.requests.length;
      await travel(world.db, after);
      await expect.poll(pause, slowly).not.toBeNull();
      await expect.poll(() => hooks.leases(), slowly).toBe(0);
      expect(receiver.requests).toHaveLength(before + 1);
      seconds.push((Number(await pause()) - Date.now()) / 1000);
    }
    // 120, 240 and no more than 240, give or take a quarter.
    expect(seconds[0]).toBeGreaterThan(85);
    expect(seconds[1]).toBeGreaterThan(170);
    for (const one of seconds) expect(one).toBeLessThanOrEqual(300);

    receiver.answer = () => ({});
    await travel(world.db, "301 seconds");
    await expect.poll(async () => (await hooks.read(principal, id)).pending, slowly).toBe(0);
    expect(await hooks.read(principal, id)).toMatchObject({ pausedUntil: null, lastFailure: null, failingSince: null });
  });

  it("pauses nobody else's at the same host, for the host is there", async () => {
    const [bad, good] = [await world.account(), await world.account()];
    const receiver = await startReceiver();
    receiver.answer = ({ path }) => (path === "/bad" ? { status: 503 } : {});
    const failing = await hooks.make(bad, { url: `${receiver.url}/bad` });
    const working = await hooks.make(good, { url: `${receiver.url}/good` });
    await happenFor(bad, 20);
    hooks.deliver(pausing);
    await expect.poll(async () => (await hooks.read(bad, failing.id)).pausedUntil, slowly).not.toBeNull();
    expect(await origins()).toEqual([]);
    await happenFor(good, 20);
    await expect.poll(() => receiver.requests.filter(({ path }) => path === "/good").length, slowly).toBe(20);
    expect((await hooks.read(good, working.id)).pausedUntil).toBeNull();
  });

  it("goes on at once when a test arrives, or when it is changed", async () => {
    const principal = await world.account();
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 500 });
    const { id } = await hooks.make(principal, { url: receiver.url });
    const paused = () => expect.poll(async () => (await hooks.read(principal, id)).pausedUntil, slowly).not.toBeNull();
    const allArrive = () => expect.poll(async () => (await hooks.read(principal, id)).pending, slowly).toBe(0);
    await happenFor(principal, 10);
    hooks.deliver(pausing);
    await paused();
    receiver.answer = () => ({});
    await world.tx((tx) => testWebhook(tx, principal, id));
    await allArrive();

    receiver.answer = () => ({ status: 500 });
    await happenFor(principal, 10);
    await paused();
    receiver.answer = () => ({});
    await world.tx((tx) => changeWebhook(tx, hooks.service, principal, id, { url: `${receiver.url}/new` }));
    await allArrive();
  });
});

describe("an origin that cannot be reached", () => {
  it("is attempted once in each pause by all webhooks and servers together, and gets everything when it is back", async () => {
    const host = await deadPort();
    const principals = [await world.account(), await world.account(), await world.account()];
    for (const principal of principals) {
      for (const path of ["a", "b"]) await hooks.make(principal, { url: `${host.url}${path}` });
      await happenFor(principal, 10);
    }
    hooks.deliver(pausing);
    hooks.deliver(pausing);
    const failures = async () => (await origins())[0]?.failures ?? 0;
    await expect.poll(failures, slowly).toBeGreaterThanOrEqual(5);
    await expect.poll(() => hooks.leases(), slowly).toBe(0);
    expect(await origins()).toEqual([expect.objectContaining({ origin: new URL(host.url).origin })]);
    // Each of the six webhooks had 8 under way at most.
    expect(await attempts()).toBeLessThanOrEqual(5 - 1 + 6 * 8);
    for (const after of [firstPause, "151 seconds"]) {
      const [before, count] = [await attempts(), await failures()];
      await travel(world.db, after);
      await expect.poll(failures, slowly).toBe(count + 1);
      await expect.poll(() => hooks.leases(), slowly).toBe(0);
      expect(await attempts()).toBe(before + 1);
    }
    await host.open();
    await travel(world.db, "301 seconds");
    await expect.poll(host.taken, slowly).toBe(60);
    expect(await origins()).toEqual([]);
  });

  it("pauses no webhook at another port of its host", async () => {
    const [bad, good] = [await world.account(), await world.account()];
    const receiver = await startReceiver();
    const { url } = await deadPort();
    for (let n = 0; n < 3; n++) await hooks.make(bad, { url: `${url}${n}` });
    await hooks.make(good, { url: receiver.url });
    await happenFor(bad, 20);
    hooks.deliver(pausing);
    await expect.poll(async () => (await origins())[0]?.failures ?? 0, slowly).toBeGreaterThanOrEqual(5);
    await happenFor(good, 20);
    await expect.poll(() => receiver.requests.length, slowly).toBe(20);
  });

  it("whose pause is over lets one server try, and another one if that dies", async () => {
    const settings = deliveryDefaults({});
    await sql`insert into webhook_origins (origin, failures) values ('https://receiver.invalid', 7)`.execute(world.db);
    const take = () => takeProbe(world.db, "https://receiver.invalid", settings);
    const taken = await Promise.all(Array.from({ length: 8 }, take));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await take()).toBe(false);
    await travel(world.db, `${settings.attemptSeconds + 6} seconds`);
    expect(await take()).toBe(true);
  });
});

describe("the origin of a webhook", () => {
  it.each([
    ["https://Example.COM:8443/a?b", "https://example.com:8443"],
    ["https://example.com.:443/", "https://example.com"],
    ["https://example.com.:444/", "https://example.com:444"],
    ["https://[2001:DB8::1]:444/x", "https://[2001:db8::1]:444"],
    ["http://127.1/", "http://127.0.0.1"],
  ])("of %s is %s", async (url, origin) => {
    const { id } = await hooks.make(await world.account(), { url });
    const row = world.db.selectFrom("webhooks").select("origin").where("id", "=", id);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ origin });
  });
});

describe("a webhook that has failed for a day and has nothing to attempt", () => {
  it("is switched off, with an event that says why; one with something to attempt is left to that", async () => {
    const [principal, other] = [await world.account(), await world.account()];
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 502 });
    const { id } = await hooks.make(principal, { url: receiver.url });
    const pending = await hooks.make(other, { url: receiver.url });
    const deliveries = hooks.deliver({ retrySeconds: [0] });
    await hooks.happen(principal, randomUUID(), 1);
    await hooks.happen(other, randomUUID(), 1);
    await expect.poll(async () => (await hooks.list(principal, id))[0]?.status, slowly).toBe("failed");
    await expect.poll(async () => (await hooks.list(other, pending.id))[0]?.status, slowly).toBe("failed");
    await deliveries.stop();
    await world.tx((tx) => testWebhook(tx, other, pending.id));
    await travel(world.db, "23 hours");
    expect(await disableFailing(world.db, 86_400)).toBe(0);
    await travel(world.db, "1 hour");
    expect(await disableFailing(world.db, 86_400)).toBe(1);
    expect(await hooks.read(principal, id)).toMatchObject({ active: false, disabledReason: "failing" });
    expect((await hooks.read(other, pending.id)).active).toBe(true);
    const events = world.db.selectFrom("events").select("data").where("type", "=", "webhook.disabled");
    expect(only(await events.execute()).data).toMatchObject({
      webhook_id: id,
      reason: "failing",
      error: "status",
      status_code: 502,
      failing_since: expect.stringMatching(/Z$/),
    });
  });
});
