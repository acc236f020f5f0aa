import { once } from "node:events";
import { createServer } from "node:net";
import { Readable } from "node:stream";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { beginCloud, type CloudReply } from "../../../../test/support/small-cloud.ts";
import { afterTest } from "../../../../test/support/when-over.ts";
import { ApiError, NoAnswer, UnexpectedAnswer, Unsuitable } from "./api-error.ts";

const compute = { service: "compute", region: undefined } as const;
const network = { service: "network", region: undefined } as const;
const change = { method: "POST", body: { server: { name: "x" } } } as const;

/** A cloud whose list of servers answers so. */
async function begin(reply: CloudReply = { body: { servers: [] } }, times = Number.POSITIVE_INFINITY) {
  const cloud = await beginCloud();
  for (const method of ["GET", "POST"]) cloud.answer(method, /^\/compute\/v2\.1\/servers$/, { body: { servers: [] } });
  for (const method of ["GET", "POST"]) cloud.answer(method, /^\/compute\/v2\.1\/servers$/, reply, times);
  return { cloud, client: cloud.client() };
}

describe("a request", () => {
  it("has a token, the query, and its body as JSON", async () => {
    const { cloud, client } = await begin({ status: 202, headers: { location: "/x" }, body: { server: { id: "1" } } });
    const query = { limit: "1", tags: ["a", "ü&b"] };
    const answer = await client.call(compute, "/servers", { ...change, query }, signal());
    expect(answer).toMatchObject({ status: 202, location: "/x", body: { server: { id: "1" } } });
    const [seen] = cloud.seen;
    expect(seen?.headers).toMatchObject({ "x-auth-token": "secret-token-1", "content-type": "application/json" });
    expect(seen?.query.getAll("tags")).toEqual(["a", "ü&b"]);
    expect(JSON.parse(`${seen?.body}`)).toEqual(change.body);
  });

  it("sends bytes as they are, with the headers that were given, and takes an empty response", async () => {
    const { cloud, client } = await begin();
    cloud.answer("PUT", /^\/image\/v2\/images\/1\/file$/, { status: 204 });
    const place = { service: "image", region: undefined } as const;
    const headers = { "content-type": "application/octet-stream" };
    for (const bytes of [Buffer.from([0, 255]), Readable.from([Buffer.from([0]), Buffer.from([255])])]) {
      const answer = await client.call(place, "/images/1/file", { method: "PUT", bytes, headers }, signal());
      expect(answer).toMatchObject({ status: 204, body: undefined });
    }
    expect(cloud.seen.map(({ body }) => body)).toEqual(Array(2).fill(Buffer.from([0, 255])));
    expect(cloud.seen[0]?.headers).toMatchObject(headers);
  });

  it("says what the clock of the service was", async () => {
    const { cloud, client } = await begin();
    cloud.clockSkew = 7200;
    const { date } = await client.call(compute, "/servers", {}, signal());
    expect((date?.getTime() ?? 0) - Date.now()).toBeGreaterThan(7_100_000);
  });

  it("that is rejected is an ApiError with the service and its words", async () => {
    const { client } = await begin({ status: 403, body: { forbidden: { message: "Quota exceeded", code: 403 } } });
    const error = await failure(client.call(compute, "/servers", change, signal()));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 403, service: "compute", message: "Quota exceeded" });
  });

  it("that is answered with no JSON is an UnexpectedAnswer, which repeats nothing of it", async () => {
    const { client } = await begin({ body: "<html>hello" });
    const error = await failure(client.call(compute, "/servers", {}, signal()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(String(error)).toContain("compute /servers");
    expect(String(error)).not.toMatch(/html|hello/);
  });

  it("is not sent where a redirect points", async () => {
    const other = await beginCloud();
    const { client } = await begin({ status: 302, headers: { location: `${other.url}/servers` } });
    expect(String(await failure(client.call(compute, "/servers", {}, signal())))).toContain("redirects");
    expect(other.requests).toEqual([]);
  });

  it("ends with the reason of its signal, before it is sent and while it is waited for", async () => {
    const { cloud, client } = await begin({ instead: "silence" });
    const reason = new Error("too late");
    expect(await failure(client.call(compute, "/servers", {}, AbortSignal.abort(reason)))).toBe(reason);
    expect(cloud.requests).toEqual([]);

    const waiting = new AbortController();
    const call = failure(client.call(compute, "/servers", {}, waiting.signal));
    await eventually(() => cloud.seen.length).toBe(1);
    waiting.abort(reason);
    expect(await call).toBe(reason);
    expect(cloud.seen.length).toBe(1);
  });

  it("for a service that the cloud does not have is not sent", async () => {
    const { cloud, client } = await begin();
    cloud.catalog.length = 0;
    expect(await failure(client.call(compute, "/servers", {}, signal()))).toBeInstanceOf(Unsuitable);
    expect(cloud.seen).toEqual([]);
  });
});

describe("a response without an end", () => {
  it("is cut off at 64 MiB", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).write("HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n");
      const part = Buffer.alloc(2 ** 20, " ");
      const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", more);
      more();
    }).listen(0, "127.0.0.1");
    afterTest(() => server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { cloud } = await begin();
    const client = cloud.client({ authUrl: `http://127.0.0.1:${port}/v3` });
    const error = await failure(client.project(signal()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(String(error)).toContain("larger than 64 MiB");
  });
});

describe("an object that is read", () => {
  const Shape = Compile(Type.Object({ servers: Type.Array(Type.Object({ id: Type.String() })) }));

  it("is what was asked for", async () => {
    const { client } = await begin({ body: { servers: [{ id: "1" }] } });
    expect(await client.read(compute, "/servers", Shape, signal())).toEqual({ servers: [{ id: "1" }] });
  });

  it("and has another shape is an UnexpectedAnswer that says where, and not what came", async () => {
    const { client } = await begin({ body: { servers: [{ id: 4711 }] } });
    const error = await failure(client.read(compute, "/servers", Shape, signal()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
    expect(String(error)).toContain("compute /servers: /servers/0/id");
    expect(String(error)).not.toContain("4711");
  });

  it("says of keys only their letters", async () => {
    const Keyed = Compile(Type.Record(Type.String(), Type.String()));
    const { client } = await begin({ body: { [`odd\u001b[2J${"x".repeat(1000)}`]: 1 } });
    const { message } = (await failure(client.read(compute, "/servers", Keyed, signal()))) as Error;
    expect(message).toMatch(/^Unexpected response from compute \/servers: \/odd\?\?2Jx+ must be string\.$/);
    expect(message.length).toBeLessThan(300);
  });
});

describe("a list that is read", () => {
  const Item = Compile(Type.Object({ id: Type.String() }));

  it.each([
    [
      "linked beside it",
      (next: string) => ({
        servers_links: [
          { rel: "previous", href: "?marker=0" },
          { rel: "next", href: next },
        ],
      }),
    ],
    ["a path of its own", (next: string) => ({ next })],
  ])("has all pages, where the next is %s; the host in a link is no matter", async (_, linked) => {
    const { cloud, client } = await begin();
    cloud.answer("GET", /\/servers$/, ({ query }) => {
      const marker = Number(query.get("marker") ?? 0);
      const items = [1, 2].map((n) => ({ id: `${marker + n}` }));
      const last = marker === 4 ? {} : linked(`http://elsewhere.invalid/servers?limit=2&marker=${marker + 2}`);
      return { body: { servers: items, ...last } };
    });
    const items = await client.readAll(compute, "/servers", "servers", Item, signal(), { limit: "2", name: "x" });
    expect(items.map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(cloud.seen.map(({ query }) => query.get("name"))).toEqual(["x", "x", "x"]);
  });

  it("that repeats itself is an UnexpectedAnswer", async () => {
    const { cloud, client } = await begin({
      body: { servers: [], servers_links: [{ rel: "next", href: "?marker=1" }] },
    });
    const error = await failure(client.readAll(compute, "/servers", "servers", Item, signal()));
    expect(error).toMatchObject({ name: "UnexpectedAnswer", message: "The list compute /servers has no end." });
    expect(cloud.seen.length).toBe(2);
  });

  it.each([
    { body: {} },
    { body: { servers: {} } },
    { body: { servers: [{}] } },
    { body: { servers: [], servers_links: [{}] } },
    { body: { servers: [], next: "/servers?limit=2" } },
    { body: "" },
  ])("is an UnexpectedAnswer where it is none, or its next page cannot be found: %j", async (reply) => {
    const { client } = await begin(reply);
    const error = await failure(client.readAll(compute, "/servers", "servers", Item, signal()));
    expect(error).toBeInstanceOf(UnexpectedAnswer);
  });
});

describe("where the response is lost", () => {
  it("a change is not sent again", async () => {
    const { cloud, client } = await begin({ instead: "drop" }, 1);
    expect(await failure(client.call(compute, "/servers", change, signal()))).toBeInstanceOf(NoAnswer);
    expect(cloud.seen.length).toBe(1);
  });

  it("a read is sent once more", async () => {
    const { cloud, client } = await begin({ instead: "drop" }, 1);
    await client.call(compute, "/servers", {}, signal());
    expect(cloud.seen.length).toBe(2);
  });

  it("of a read again, it is said which service does not respond", async () => {
    const { cloud, client } = await begin({ instead: "drop" });
    const error = await failure(client.call(compute, "/servers", {}, signal()));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(String(error)).toContain(`compute at ${cloud.url} does not respond`);
    expect(cloud.seen.length).toBe(2);
  });
});

describe("a service that asks to wait", () => {
  const busy = (seconds: string): CloudReply => ({ status: 429, headers: { "retry-after": seconds }, body: "busy" });

  it("says how long in the error, and gets no request while that is long", async () => {
    const { cloud, client } = await begin(busy("60"), 1);
    const error = await failure(client.call(compute, "/servers", change, signal()));
    expect(error).toMatchObject({ name: "ApiError", status: 429, message: "busy", retryAfterSeconds: 60 });
    const next = await failure(client.call(compute, "/servers", {}, signal()));
    expect(next).toMatchObject({ name: "ApiError", status: 429, service: "compute", retryAfterSeconds: 60 });
    expect(cloud.seen.length).toBe(1);
  });

  it("keeps no other service of the same server waiting", async () => {
    const { cloud, client } = await begin(busy("60"));
    cloud.answer("GET", /^\/network\/v2\.0\/ports$/, { body: { ports: [] } });
    await failure(client.call(compute, "/servers", {}, signal()));
    expect((await client.call(network, "/ports", {}, signal())).status).toBe(200);
  });
});

describe("what a service repeats of a request", () => {
  it.each([
    ["the token", "bad X-Auth-Token: secret-token-1"],
    ["the password", "hunter2-password is wrong"],
    ["a rejected value", "Invalid input for field/attribute 0. Value: c2VjcmV0LW9mLWEtY3VzdG9tZXI=. Too long"],
    ["a value elsewhere", "'c2VjcmV0LW9mLWEtY3VzdG9tZXI=' is too long"],
    ["a value as JSON", String.raw`{\"0\": \"line one\nline two\"}`],
  ])("is in no error: %s", async (_, message) => {
    const { client } = await begin({ status: 400, body: { badRequest: { message } } });
    const metadata = { "0": "c2VjcmV0LW9mLWEtY3VzdG9tZXI=", "1": "line one\nline two" };
    const error = await failure(client.call(compute, "/servers", { method: "POST", body: { metadata } }, signal()));
    expect(error).toBeInstanceOf(ApiError);
    expect(`${error} ${JSON.stringify(error)}`).not.toMatch(/secret-token|hunter2|c2VjcmV0|line/);
  });

  it("stays where it is an id, and is one line of limited length", async () => {
    const id = "01234567-89ab-cdef-0123-456789abcdef";
    const { client } = await begin({
      status: 400,
      body: { badRequest: { message: `No\nimage ${id}${" x".repeat(999)}` } },
    });
    const call = client.call(compute, "/servers", { method: "POST", body: { imageRef: id } }, signal());
    const error = await failure(call);
    expect(error).toMatchObject({ message: expect.stringMatching(new RegExp(`^No image ${id} x[x ]{1,460}…$`)) });
  });
});

it("no secret is in what a client is printed as", async () => {
  const { client } = await begin();
  await client.call(compute, "/servers", {}, signal());
  const { inspect } = await import("node:util");
  expect(inspect(client, { depth: 9 }) + JSON.stringify(client)).not.toMatch(/secret-token|hunter2/);
});
