import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import type { FakeIncus } from "../../../../test/support/fake-incus/fake-incus.ts";
import { beginFake, settingsFor } from "../../../../test/support/fake-incus/stand.ts";
import { temporaryDirectory } from "../../../../test/support/temporary-directory.ts";
import type { IncusEndpoint } from "../settings/connection.ts";
import { ApiError, NoAnswer, UnexpectedAnswer } from "./api-error.ts";
import { Client } from "./client.ts";

const change = { method: "POST", body: { name: "x", config: {}, devices: {}, type: "container" } } as const;
const creates = (fake: FakeIncus) => fake.seen("POST", /^\/1\.0\/instances$/);

/** A cluster that listens on two sockets, as one with two members does, and a client that knows both. */
async function begin() {
  const fake = await beginFake();
  const directory = await temporaryDirectory();
  const [first, second] = [join(directory, "first"), join(directory, "second")];
  await fake.listenUnix(first);
  await fake.listenUnix(second);
  return { fake, first, second, client: clientOf([first, second], "a project&more") };
}

function clientOf(paths: readonly string[], project = "default"): Client {
  const endpoints = paths.map((path): IncusEndpoint => ({ kind: "unix", path }));
  const client = new Client(settingsFor({ endpoints, project }));
  onTestFinished(() => client.close());
  return client;
}

const listeners = (fake: FakeIncus) => fake.requests.map(({ listener }) => listener);

describe("a request", () => {
  it("names the project, whatever it is", async () => {
    const { fake, client } = await begin();
    await client.call("/1.0", {}, signal());
    await client.call("/1.0/instances", { ...change, query: { target: "m1" } }, signal()).catch(() => {});
    await client.readText("/1.0/instances/x/console", signal()).catch(() => {});
    client.socket("/1.0/events", { type: "lifecycle" });
    await eventually(() => fake.requests.length).toBe(4);
    expect(fake.requests.map(({ query }) => query.project)).toEqual(Array(4).fill("a project&more"));
    expect(fake.requests[3]?.query.type).toBe("lifecycle");
  });

  it("carries its body as JSON, or bytes as they are with the headers that were given", async () => {
    const { fake, client } = await begin();
    fake.world.addInstance("x");
    await client.call("/1.0/instances/x", { method: "PATCH", body: { config: { a: "ü" } } }, signal());
    const bytes = Buffer.from([0, 255, 10]);
    const file = { method: "POST", query: { path: "/f" }, bytes, headers: { "X-LXD-mode": "0600" } } as const;
    await client.call("/1.0/instances/x/files", file, signal());
    expect(fake.requests[0]?.headers).toMatchObject({ "content-type": "application/json" });
    expect(fake.world.instances.get("x")?.config).toEqual({ a: "ü" });
    expect(fake.requests[1]).toMatchObject({ body: bytes, headers: { "x-lxd-mode": "0600" } });
    expect(fake.requests[1]?.headers).not.toHaveProperty("content-type");
  });

  it("that is answered with no is an ApiError in the cluster's words", async () => {
    const { client } = await begin();
    const error = await failure(client.call("/1.0/instances/none", {}, signal()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 404, message: "Instance not found" });
  });

  it.each([
    ["no JSON", "<html>"],
    ["no envelope", '{"hello":"world"}'],
  ])("that is answered with %s is an UnexpectedAnswer, which names the path and not what came", async (_what, text) => {
    const { fake, client } = await begin();
    fake.faults.add("GET", /^\/1\.0$/, { answer: text });
    const error = await failure(client.call("/1.0", {}, signal()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(String(error)).toContain("/1.0");
    expect(String(error)).not.toMatch(/html|hello/);
  });

  it("ends with the reason of its signal, before it is sent and while it is waited for", async () => {
    const { fake, client } = await begin();
    const reason = new Error("too late");
    expect(await failure(client.call("/1.0", {}, AbortSignal.abort(reason)))).toBe(reason);
    expect(fake.requests).toEqual([]);

    fake.faults.add("GET", /^\/1\.0$/, { silence: true });
    const waiting = new AbortController();
    const call = failure(client.call("/1.0", {}, waiting.signal));
    await eventually(() => fake.requests.length).toBe(1);
    waiting.abort(reason);
    expect(await call).toBe(reason);
    expect(fake.requests.length).toBe(1);
  });
});

describe("an object that is read", () => {
  const Shape = Compile(Type.Object({ auth: Type.String() }));

  it("is what was asked for", async () => {
    const { client } = await begin();
    expect(await client.read("/1.0", Shape, signal())).toMatchObject({ auth: "trusted" });
  });

  it("and has another shape is an UnexpectedAnswer that says where", async () => {
    const { client } = await begin();
    const error = await failure(client.read("/1.0/instances", Shape, signal()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(String(error)).toContain("/1.0/instances");
  });
});

describe("a text that is read", () => {
  it("comes as it is, and a refusal is an ApiError", async () => {
    const { fake, client } = await begin();
    fake.world.addInstance("x", { console: '{"no": "envelope"}\r\n' });
    expect(await client.readText("/1.0/instances/x/console", signal())).toBe('{"no": "envelope"}\r\n');
    const error = await failure(client.readText("/1.0/instances/none/console", signal()));
    expect(error).toMatchObject({ name: "ApiError", status: 404 });
  });
});

describe("where an endpoint refuses connections", () => {
  it("the next one is asked, for reads and for changes, and is asked first from then on", async () => {
    const { fake, client, first, second } = await begin();
    await fake.endListener(first);
    await client.call("/1.0/instances", change, signal());
    await client.call("/1.0", {}, signal());
    expect(listeners(fake)).toEqual([second, second]);

    await fake.listenUnix(first);
    await client.call("/1.0", {}, signal());
    expect(listeners(fake)).toEqual([second, second, second]);
    expect(creates(fake).length).toBe(1);
  });

  it("and so do all others, nobody answers, and it is said why of each", async () => {
    const { fake, client, first, second } = await begin();
    await fake.endListener(first);
    await fake.endListener(second);
    const error = await failure(client.call("/1.0/instances", change, signal()));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(String(error)).toContain(`${first}: `);
    expect(String(error)).toContain(`${second}: `);
  });

  it("a change whose body was a stream is not sent to another: the stream may be used up", async () => {
    const { fake, client, first } = await begin();
    await fake.endListener(first);
    const streamed = { method: "POST", bytes: Readable.from(["part"]) } as const;
    expect(await failure(client.call("/1.0/images", streamed, signal()))).toBeInstanceOf(NoAnswer);
    expect(fake.requests).toEqual([]);
  });
});

describe("where the answer is lost", () => {
  it.each(["before", "after"] as const)("%s it was carried out, a change is not sent again", async (drop) => {
    const { fake, client } = await begin();
    fake.faults.add("POST", /^\/1\.0\/instances$/, { drop });
    expect(await failure(client.call("/1.0/instances", change, signal()))).toBeInstanceOf(NoAnswer);
    expect(creates(fake).length).toBe(1);
    expect(fake.world.instances.size).toBe(drop === "before" ? 0 : 1);
  });

  it("a read is sent to the next endpoint", async () => {
    const { fake, client, first, second } = await begin();
    fake.faults.add("GET", /^\/1\.0$/, { drop: "before" });
    await client.call("/1.0", {}, signal());
    expect(listeners(fake)).toEqual([first, second]);
  });

  it("of a read at every endpoint, nobody answers", async () => {
    const { fake, client } = await begin();
    fake.faults.add("GET", /^\/1\.0$/, { drop: "before" }, 2);
    expect(await failure(client.call("/1.0", {}, signal()))).toBeInstanceOf(NoAnswer);
    expect(fake.requests.length).toBe(2);
  });

  it("the next request begins with the other endpoint", async () => {
    const { fake, client, first, second } = await begin();
    fake.faults.add("POST", /^\/1\.0\/instances$/, { drop: "before" });
    await client.call("/1.0/instances", change, signal()).catch(() => {});
    await client.call("/1.0/instances", change, signal());
    expect(listeners(fake)).toEqual([first, second]);
  });
});

describe("where an endpoint takes a request and never answers", () => {
  it.each(["GET", "POST"] as const)(
    "a %s ends at its caller's deadline, and the next request begins with the other endpoint",
    async (method) => {
      const { fake, client, first, second } = await begin();
      fake.faults.add(method, /^\/1\.0\/instances$/, { silence: true });
      const deadline = new AbortController();
      const reason = new Error("too late");
      const call = failure(client.call("/1.0/instances", method === "GET" ? {} : change, deadline.signal));
      await eventually(() => fake.requests.length).toBe(1);
      deadline.abort(reason);
      expect(await call).toBe(reason);
      await client.call("/1.0", {}, signal());
      expect(listeners(fake)).toEqual([first, second]);
    },
  );
});

it("what answers and is no such server is no answer", async () => {
  const path = join(await temporaryDirectory(), "socket");
  const server = createServer((socket) => socket.on("error", () => {}).end("220 mail.example.com\r\n")).listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(await failure(clientOf([path]).call("/1.0", {}, signal()))).toBeInstanceOf(NoAnswer);
});
