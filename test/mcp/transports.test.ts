// The MCP server by both of its ways: over HTTP, where it is held to the manners of every interface and ends in order, and
// over standard input and output as a command.

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { Agent } from "./agent.ts";

const main = new URL("../../src/main.ts", import.meta.url).pathname;

let server: RunningServer;
let token: string;
beforeAll(async () => {
  server = await startServer();
  token = await server.customerToken("ada");
  const put = (path: string, body: object) =>
    call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  await put("/regions/north", {});
  await put("/images/ubuntu", { number: 1 });
  await put("/instance-types/cpu", { vcpus: 1, memory_gib: 1, storage_gb: 1, price_cents_per_hour: 6 });
  await put("/hosts/host-1", { engine: "simulated", region: "north", vcpus: 64, memory_gib: 64, storage_gb: 64 });
});
afterAll(() => server?.close());

const headers = { accept: "application/json, text/event-stream" };
const ask = (body: unknown, more: object = {}) => call("POST", `${server.url}/mcp`, { token, body, headers, ...more });

describe("over HTTP", () => {
  it("has the manners of every interface: request id, limits, no caching", async () => {
    const answer = await ask({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get("ratelimit")).toMatch(/^"token";r=\d+;t=\d+$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
  });

  it("refuses what is no message, no JSON, too large, or another method, and goes on", async () => {
    expect((await ask({ hello: "there" })).status).toBe(400);
    expect((await ask("{")).status).toBe(400);
    expect((await ask(undefined)).status).toBe(400);
    expect((await ask(`"${"x".repeat(64 * 1024 - 2)}"`)).status).toBe(400);
    expect((await ask(`"${"x".repeat(64 * 1024 - 1)}"`)).status).toBe(413);
    const get = await call("GET", `${server.url}/mcp`, { token, headers });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const unwilling = await ask({ jsonrpc: "2.0", id: 1, method: "tools/list" }, { headers: { accept: "text/html" } });
    expect(unwilling.status).toBe(406);
    expect((await ask({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(200);
  });

  it("takes one message at a time", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { status, text } = await ask([message, message]);
    expect([status, text]).toEqual([400, expect.stringContaining("more than one message")]);
  });

  it("counts the properties and items of a message before anything validates them", async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
    const call = (input: object) => ({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "list_ssh_keys", arguments: input },
    });
    const tooMany = { status: 400, text: expect.stringContaining("more than 1000 properties and items") };
    // Four of the message itself, and two of its parameters.
    expect(await ask(call(many(995)))).toMatchObject(tooMany);
    expect(await ask(call({ list: Array.from({ length: 1000 }, () => 0) }))).toMatchObject(tooMany);
    expect(await ask(call({ deep: { a: many(500), b: many(500) } }))).toMatchObject(tooMany);
    expect((await ask(call(many(994)))).status).toBe(200);
  });

  it("says at once that a call was accepted whose result comes later", async () => {
    const agent = await Agent.overHttp(server.url, token);
    const launched = await agent.need("launch_instance", { instance_type: "cpu", max_price_cents_per_hour: 6 });
    await agent.close();
    const [{ id }] = launched.instances as [{ id: string }];
    const leaving = new AbortController();
    const input = { instance_id: id, until: "terminated", timeout_seconds: 600 };
    const params = { name: "wait_for_instance", arguments: input };
    const began = performance.now();
    const { status } = await fetch(`${server.url}/mcp`, {
      method: "POST",
      signal: leaving.signal,
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    expect(status).toBe(200);
    // The stream itself says something after 15 seconds.
    expect(performance.now() - began).toBeLessThan(10_000);
    leaving.abort();
  });

  it("bounds what one account has open at once, and lets it go on when some have ended", async () => {
    const eve = await server.customerToken("eve");
    const agent = await Agent.overHttp(server.url, eve);
    const launched = await agent.need("launch_instance", { instance_type: "cpu", max_price_cents_per_hour: 6 });
    const [{ id }] = launched.instances as [{ id: string }];
    const leaving = new AbortController();
    const params = {
      name: "wait_for_instance",
      arguments: { instance_id: id, until: "stopped", timeout_seconds: 600 },
    };
    const open = () =>
      fetch(`${server.url}/mcp`, {
        method: "POST",
        signal: leaving.signal,
        headers: { ...headers, authorization: `Bearer ${eve}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
    // As responses: one that nothing refers to is collected, which closes its connection and frees its place.
    const responses = await Promise.all(Array.from({ length: 40 }, open));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(32);
    expect(statuses.filter((status) => status === 503)).toHaveLength(8);
    expect((await ask({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(200);
    leaving.abort();
    await expect.poll(async () => (await agent.call("list_ssh_keys").catch(() => undefined))?.failed).toBe(false);
    await agent.close();
  });

  it("writes what an agent does into the audit log, as done by its token from its address", async () => {
    const agent = await Agent.overHttp(server.url, token);
    const order = { instance_type: "cpu", max_price_cents_per_hour: 6, name: "audited" };
    await agent.need("launch_instance", order);
    await agent.close();
    const { body } = await call("GET", `${server.control}/audit-log`, { token });
    const entries = (body as { data: { operation: string; address: string }[] }).data;
    expect(entries).toContainEqual(expect.objectContaining({ operation: "launchInstances", address: "127.0.0.1" }));
  });

  it("ends the calls that wait when the server stops, and says that they may be made again", async () => {
    const other = await startServer();
    const agent = await Agent.overHttp(other.url, await other.customerToken("ada"));
    await call("PUT", `${other.control}/regions/north`, { token: other.operatorToken, body: {} });
    const size = { vcpus: 1, memory_gib: 1, storage_gb: 1 };
    const put = (path: string, body: object) =>
      call("PUT", `${other.control}${path}`, { token: other.operatorToken, body });
    await put("/images/ubuntu", { number: 1 });
    await put("/instance-types/cpu", { ...size, price_cents_per_hour: 6 });
    await put("/hosts/host-1", { ...size, engine: "simulated", region: "north" });
    const launched = await agent.need("launch_instance", { instance_type: "cpu", max_price_cents_per_hour: 6 });
    const [{ id }] = launched.instances as [{ id: string }];
    const input = { instance_id: id, until: "stopped", timeout_seconds: 600 };
    const begun = Promise.withResolvers<void>();
    const waiting = agent.call("wait_for_instance", input, () => begun.resolve());
    await begun.promise;
    const closed = other.close();
    const { failed, text } = await waiting;
    expect([failed, text]).toEqual([true, "The service is shutting down. Retry in a few seconds."]);
    await closed;
  });
});

describe("the command lessor mcp", () => {
  const agentWith = (env: Record<string, string>) =>
    Agent.over(
      new StdioClientTransport({
        command: process.execPath,
        args: [main, "mcp"],
        env: { PATH: process.env.PATH ?? "", ...env },
        stderr: "pipe",
      }),
    );

  it("has the same tools, and rents on the service of LESSOR_URL with LESSOR_TOKEN", async () => {
    const agent = await agentWith({ LESSOR_URL: server.url, LESSOR_TOKEN: token });
    const overHttp = await Agent.overHttp(server.url, token);
    expect(await agent.client.listTools()).toEqual(await overHttp.client.listTools());
    const order = { instance_type: "cpu", max_price_cents_per_hour: 6, name: "from stdio", idempotency_key: "k-1" };
    const first = await agent.need("launch_instance", order);
    expect((await agent.need("launch_instance", order)).instances).toEqual(first.instances);
    // The same key by the other way is the same launch too.
    expect((await overHttp.need("launch_instance", order)).instances).toEqual(first.instances);
    const refused = await agent.call("launch_instance", { ...order, idempotency_key: "k-2", instance_type: "none" });
    expect(refused.data.error).toMatchObject({ code: "global/object-does-not-exist" });
    await agent.close();
    await overHttp.close();
  });

  it("tells an agent that the service cannot be reached, and goes on", async () => {
    const agent = await agentWith({ LESSOR_URL: "http://127.0.0.1:1", LESSOR_TOKEN: token });
    const { failed, text } = await agent.call("list_products");
    expect([failed, text]).toEqual([true, expect.stringContaining("Can't connect to http://127.0.0.1:1")]);
    expect((await agent.client.listTools()).tools).not.toEqual([]);
    await agent.close();
  });

  it.each([
    [{}, 4, /LESSOR_TOKEN/],
    [{ LESSOR_TOKEN: "t", LESSOR_URL: "nowhere" }, 2, /LESSOR_URL/],
    [{ LESSOR_TOKEN: "t", LESSOR_URL: "http://127.0.0.1:8080/control/v1" }, 1, /without a path/],
  ])("says on standard error what it lacks, and ends: %j with %i", async (env, code, message) => {
    const { execFile } = await import("node:child_process");
    const ended = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [main, "mcp"], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      );
    });
    expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(message) });
  });
});
