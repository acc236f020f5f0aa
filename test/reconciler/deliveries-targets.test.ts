// What a target may be and may do: no address that is not public, however it is come by, and no answer that harms.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DeliverySettings } from "../../src/reconciler/deliveries/settings.ts";
import type { Resolve } from "../../src/reconciler/deliveries/transport.ts";
import type { Attempt } from "../../src/rental/webhooks/delivery.ts";
import { Hooks } from "../support/hooks.ts";
import { startReceiver } from "../support/receiver.ts";
import { only, worldOfFile } from "../support/world.ts";

const world = worldOfFile();
const hooks = new Hooks(world);

/** Delivers one event to this URL and gives the first attempt. */
async function firstAttempt(
  url: string,
  settings: Partial<DeliverySettings> = {},
  resolve?: Resolve,
): Promise<Attempt> {
  const principal = await world.account();
  // The row is set behind the back of the rule for new webhooks: what matters is where the connection goes.
  const { id } = await hooks.make(principal, { url: "https://example.com/" });
  await world.db.updateTable("webhooks").set({ url }).where("id", "=", id).execute();
  const deliveries = hooks.deliver({ retrySeconds: [1000], ...settings }, resolve);
  await hooks.happen(principal, randomUUID(), 1);
  const attempts = async () => (await hooks.list(principal, id)).map((one) => one.attempts);
  await expect.poll(attempts, { timeout: 20_000 }).toEqual([1]);
  await deliveries.stop();
  const { log } = await hooks.full(principal, id, only(await hooks.list(principal, id)).id);
  return only(log);
}

/** Counts connections, and answers nothing. */
async function doorbell(): Promise<{ port: number; rings: () => number }> {
  let rings = 0;
  const server = createServer((socket) => {
    rings += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, rings: () => rings }; // it listens on a port
}

const strict = { allowPrivateTargets: false };
/** Public as far as its range goes, of a block that is given to nobody, so that no test knocks at a stranger. */
const nobody = "2d00::1";

describe("an address that is not public", () => {
  it.each(["127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "[::ffff:127.0.0.1]", "[::1]", "0"])(
    "is not connected to as a literal: %s",
    async (host) => {
      const { port, rings } = await doorbell();
      expect(await firstAttempt(`http://${host}:${port}/`, strict)).toMatchObject({
        error: "target_refused",
        status_code: null,
      });
      expect(rings()).toBe(0);
    },
  );

  it("is not connected to by a name that means it", async () => {
    const { port, rings } = await doorbell();
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    expect(await firstAttempt(`http://inside.example:${port}/`, strict, resolve)).toMatchObject({
      error: "target_refused",
    });
    expect(rings()).toBe(0);
  });

  it("is not connected to by a name that means a public one as well", async () => {
    const { port, rings } = await doorbell();
    const resolve = async () => [
      { address: "8.8.8.8", family: 4 },
      { address: "::ffff:127.0.0.1", family: 6 },
    ];
    expect(await firstAttempt(`http://both.example:${port}/`, strict, resolve)).toMatchObject({
      error: "target_refused",
    });
    expect(rings()).toBe(0);
  });

  it("is not connected to by a name that meant a public one a moment ago: what was judged is what is connected to", async () => {
    const { port, rings } = await doorbell();
    const asked: string[] = [];
    // First a public address (where nobody answers), and from then on loopback.
    const resolve: Resolve = async (hostname) => {
      asked.push(hostname);
      return asked.length === 1 ? [{ address: nobody, family: 6 }] : [{ address: "127.0.0.1", family: 4 }];
    };
    const first = await firstAttempt(`http://rebinds.example:${port}/`, { ...strict, attemptSeconds: 0.5 }, resolve);
    expect(["timeout", "connection_failed", "connection_refused"]).toContain(first.error);
    expect(asked).toEqual(["rebinds.example"]);
    expect(await firstAttempt(`http://rebinds.example:${port}/`, strict, resolve)).toMatchObject({
      error: "target_refused",
    });
    expect(rings()).toBe(0);
  });

  it("is delivered to where the operator allows it", async () => {
    const receiver = await startReceiver();
    expect(await firstAttempt(receiver.url)).toMatchObject({ error: null, status_code: 204 });
    const { port } = new URL(receiver.url);
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    expect(await firstAttempt(`http://name.example:${port}/`, {}, resolve)).toMatchObject({ error: null });
  });

  it("is not reached through a proxy of the environment either", async () => {
    const { port, rings } = await doorbell();
    for (const name of ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"]) {
      const before = process.env[name];
      process.env[name] = `http://127.0.0.1:${port}`;
      onTestFinished(() => {
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      });
    }
    await firstAttempt(`http://[${nobody}]/`, { ...strict, attemptSeconds: 0.5 });
    expect(rings()).toBe(0);
  });
});

describe("an attempt that is over", () => {
  /** Takes connections, and never says a word of TLS: to who connects they are for ever being made. */
  async function mute() {
    const open = new Set<Socket>();
    let made = 0;
    const server = createServer((socket) => {
      made += 1;
      open.add(socket);
      socket.on("error", () => {}).on("close", () => open.delete(socket));
      socket.resume();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo; // it listens on a port
    return { url: `https://127.0.0.1:${port}/`, open, made: () => made };
  }

  it("leaves no connection behind that was still being made, and each attempt makes its own", async () => {
    const { url, open, made } = await mute();
    expect(await firstAttempt(url, { attemptSeconds: 0.3 })).toMatchObject({ error: "timeout" });
    await expect.poll(() => open.size).toBe(0);
    expect(made()).toBe(1);
    const principal = await world.account();
    const { id } = await hooks.make(principal, { url });
    hooks.deliver({ attemptSeconds: 0.3, retrySeconds: [0.01, 0.01] });
    await hooks.happen(principal, randomUUID(), 1);
    const statuses = async () => (await hooks.list(principal, id)).map((one) => one.status);
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(["failed"]);
    expect(made()).toBe(4);
    await expect.poll(() => open.size).toBe(0);
  });

  it("leaves none behind either where the server gives it up", async () => {
    const { url, open } = await mute();
    const principal = await world.account();
    await hooks.make(principal, { url });
    const deliveries = hooks.deliver();
    await hooks.happen(principal, randomUUID(), 1);
    await expect.poll(() => open.size, { timeout: 20_000 }).toBe(1);
    await deliveries.stop();
    await expect.poll(() => open.size).toBe(0);
  });
});

describe("an answer", () => {
  it.each([200, 201, 202, 204, 299])("of %i is a delivery", async (status) => {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status });
    expect(await firstAttempt(receiver.url)).toMatchObject({ error: null, status_code: status });
  });

  it.each([400, 401, 404, 429, 500, 503])("of %i is none", async (status) => {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status });
    expect(await firstAttempt(receiver.url)).toMatchObject({ error: "status", status_code: status });
  });

  it.each([301, 302, 303, 307, 308])("that leads elsewhere (%i) is not followed", async (status) => {
    const { port, rings } = await doorbell();
    const receiver = await startReceiver();
    receiver.answer = () => ({ status, headers: { location: `http://127.0.0.1:${port}/` } });
    expect(await firstAttempt(receiver.url)).toMatchObject({ error: "redirect", status_code: status });
    expect(rings()).toBe(0);
    expect(receiver.requests).toHaveLength(1);
  });

  it("without end is read to a bound, and counts by its status", async () => {
    const receiver = await startReceiver();
    let sent = 0;
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      const pour = () => {
        for (; !response.destroyed && response.write("x".repeat(65_536)); ) sent += 65_536;
      };
      response.on("drain", pour);
      pour();
      return undefined;
    };
    const attempt = await firstAttempt(receiver.url);
    expect(attempt).toMatchObject({ error: null, status_code: 200, answer: "x".repeat(1024) });
    expect(sent).toBeLessThan(50_000_000);
  });

  it("that drips is left after a while, and counts by its status", async () => {
    const receiver = await startReceiver();
    receiver.answer = (_request, response) => {
      response.writeHead(200);
      response.write("some");
      return undefined;
    };
    const attempt = await firstAttempt(receiver.url);
    expect(attempt).toMatchObject({ error: null, status_code: 200, answer: "some" });
    expect(attempt.milliseconds).toBeLessThan(4500);
  });

  it("that never comes is a failure when the time is over", async () => {
    const receiver = await startReceiver();
    receiver.answer = () => undefined;
    const attempt = await firstAttempt(receiver.url, { attemptSeconds: 0.3 });
    expect(attempt).toMatchObject({ error: "timeout", status_code: null, answer: "" });
  });

  it.each([
    ["no HTTP", "invalid_answer", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["endless headers", "invalid_answer", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n`],
  ])("that is %s is a failure", async (_what, error, bytes) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(bytes));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // it listens on a port
    expect(await firstAttempt(`http://127.0.0.1:${port}/`)).toMatchObject({ error, status_code: null });
  });

  it("may not come at all: nobody listens, the connection is cut, the name is unknown, the certificate is", async () => {
    const { port } = await doorbell();
    expect(await firstAttempt(`http://127.0.0.1:${port}/`)).toMatchObject({ error: "connection_failed" });
    expect(await firstAttempt("http://127.0.0.1:1/")).toMatchObject({ error: "connection_refused" });
    const unknown: Resolve = async () => {
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    };
    expect(await firstAttempt("https://nowhere.example/", strict, unknown)).toMatchObject({ error: "name_not_found" });
    const certificates = join(import.meta.dirname, "../support/fake-incus/certificates");
    const [key, cert] = ["server.key", "server.crt"].map((file) => readFileSync(join(certificates, file)));
    const tls = createTlsServer({ key, cert }).listen(0, "127.0.0.1");
    await once(tls, "listening");
    onTestFinished(() => void tls.close());
    const { port: tlsPort } = tls.address() as AddressInfo; // it listens on a port
    expect(await firstAttempt(`https://127.0.0.1:${tlsPort}/`)).toMatchObject({ error: "tls" });
  });
});
