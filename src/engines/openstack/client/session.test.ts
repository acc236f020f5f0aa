import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../../test/support/engine-calls.ts";
import { beginCloud, type SmallCloud } from "../../../../test/support/small-cloud.ts";
import type { CloudAccess } from "../settings/clouds-file.ts";
import { ApiError, NoAnswer, UnexpectedAnswer, Unsuitable } from "./api-error.ts";
import type { Client } from "./client.ts";

const network = { service: "network", region: undefined } as const;
const ports = (client: Client) => client.call(network, "/ports", {}, signal());
const tokens = (cloud: SmallCloud) => cloud.seen.map(({ headers }) => headers["x-auth-token"]);

/** A cloud with a clock of the client's that only the test moves. */
async function begin(change: Partial<CloudAccess> = {}) {
  const cloud = await beginCloud();
  for (const method of ["GET", "POST"]) cloud.answer(method, /^\/network\/v2\.0\/ports$/, { body: { ports: [] } });
  const clock = { now: 1000 };
  return { cloud, clock, client: cloud.client(change, () => clock.now) };
}

describe("a token", () => {
  it("is asked for once, however many wait for it, and says what the project is", async () => {
    const { cloud, client } = await begin();
    await Promise.all(Array.from({ length: 10 }, () => ports(client)));
    expect(await client.project(signal())).toEqual({ id: "p1", name: "rent", roles: ["member"] });
    expect(cloud.authentications.length).toBe(1);
    expect(new Set(tokens(cloud))).toEqual(new Set(["secret-token-1"]));
  });

  it("is still asked for when the one who asked first gives up", async () => {
    const { cloud, client } = await begin();
    const impatient = new AbortController();
    const first = failure(client.project(impatient.signal));
    const second = client.project(signal());
    impatient.abort(new Error("too late"));
    expect(await first).toMatchObject({ message: "too late" });
    expect((await second).id).toBe("p1");
    expect(cloud.authentications.length).toBe(1);
  });

  it.each([0, -86_400, 86_400])("is renewed a minute before its end, with a clock %i s off", async (skew) => {
    const { cloud, client, clock } = await begin();
    cloud.clockSkew = skew;
    await ports(client);
    clock.now += 3500_000;
    await ports(client);
    clock.now += 60_000;
    await ports(client);
    expect(tokens(cloud)).toEqual(["secret-token-1", "secret-token-1", "secret-token-2"]);
  });

  it("of a minute or less is used for half of its time", async () => {
    const { cloud, client, clock } = await begin();
    cloud.tokenLifetime = 60;
    for (const ms of [0, 20_000, 12_000]) {
      clock.now += ms;
      await ports(client);
    }
    expect(tokens(cloud)).toEqual(["secret-token-1", "secret-token-1", "secret-token-2"]);
  });
});

describe("a token that a service rejects", () => {
  const rejected = { status: 401, body: { error: { message: "The request you have made requires authentication." } } };

  it.each(["GET", "POST"] as const)("is replaced, and the request sent again: %s", async (method) => {
    const { cloud, client } = await begin();
    cloud.answer(method, /ports$/, rejected, 1);
    await client.call(network, "/ports", { method }, signal());
    expect(tokens(cloud)).toEqual(["secret-token-1", "secret-token-2"]);
  });

  it("is replaced once only", async () => {
    const { cloud, client } = await begin();
    cloud.answer("GET", /ports$/, rejected);
    expect(await failure(ports(client))).toMatchObject({ name: "ApiError", status: 401, service: "network" });
    expect(tokens(cloud)).toEqual(["secret-token-1", "secret-token-2"]);
  });

  it("is replaced for the next request where the body was a stream, which is used up", async () => {
    const { cloud, client } = await begin();
    cloud.answer("POST", /ports$/, rejected, 1);
    const call = { method: "POST", bytes: Readable.from(["part"]) } as const;
    expect(await failure(client.call(network, "/ports", call, signal()))).toMatchObject({ status: 401 });
    await ports(client);
    expect(tokens(cloud)).toEqual(["secret-token-1", "secret-token-2"]);
  });

  it("is replaced once for all requests that it was rejected for", async () => {
    const { cloud, client } = await begin();
    cloud.answer("GET", /ports$/, ({ headers }) =>
      headers["x-auth-token"] === "secret-token-1" ? rejected : { body: { ports: [] } },
    );
    await Promise.all(Array.from({ length: 5 }, () => ports(client)));
    expect(cloud.authentications.length).toBe(2);
  });
});

describe("Keystone", () => {
  it.each<[string, CloudAccess["credential"], object]>([
    [
      "a password and its project",
      {
        kind: "password",
        user: { name: "u", domain: { name: "D" } },
        password: "pw",
        project: { name: "p", domain: { id: "d" } },
      },
      {
        identity: {
          methods: ["password"],
          password: { user: { name: "u", domain: { name: "D" }, password: "pw" } },
        },
        scope: { project: { name: "p", domain: { id: "d" } } },
      },
    ],
    [
      "an application credential by id",
      { kind: "application", id: "i", secret: "s" },
      { identity: { methods: ["application_credential"], application_credential: { id: "i", secret: "s" } } },
    ],
    [
      "an application credential by name",
      { kind: "application-name", name: "n", secret: "s", user: { id: "u" } },
      {
        identity: {
          methods: ["application_credential"],
          application_credential: { name: "n", secret: "s", user: { id: "u" } },
        },
      },
    ],
  ])("is shown %s", async (_, credential, auth) => {
    const { cloud, client } = await begin({ credential });
    await client.project(signal());
    expect(JSON.parse(`${cloud.authentications[0]?.body}`)).toEqual({ auth });
  });

  it("that rejects the credentials is not asked again at once: it locks accounts", async () => {
    const { cloud, client, clock } = await begin();
    cloud.answer("POST", /tokens$/, { status: 401, body: { error: { message: "Wrong: hunter2-password" } } }, 1);
    for (let time = 0; time < 2; time++) {
      const error = await failure(client.project(signal()));
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 401, service: "identity", message: "Wrong: …" });
    }
    clock.now += 5001;
    expect((await client.project(signal())).id).toBe("p1");
    expect(cloud.authentications.length).toBe(2);
  });

  it("that asks to wait gets no request while that is long", async () => {
    const { cloud, client, clock } = await begin();
    cloud.answer("POST", /tokens$/, { status: 429, headers: { "retry-after": "30" }, body: "" }, 1);
    for (let time = 0; time < 2; time++) {
      const error = { name: "ApiError", status: 429, service: "identity", retryAfterSeconds: 30 };
      expect(await failure(client.project(signal()))).toMatchObject(error);
    }
    clock.now += 30_000;
    expect((await client.project(signal())).id).toBe("p1");
    expect(cloud.authentications.length).toBe(2);
  });

  it("that repeats the secret of an application credential is not quoted", async () => {
    const { cloud, client } = await begin({ credential: { kind: "application", id: "i", secret: "hunter2-secret" } });
    cloud.answer("POST", /tokens$/, { status: 400, body: { error: { message: "Bad secret hunter2-secret" } } });
    expect(await failure(client.project(signal()))).toMatchObject({ status: 400, message: "Bad secret …" });
  });

  it("that fails is asked again by the next request", async () => {
    const { cloud, client } = await begin();
    cloud.answer("POST", /tokens$/, { status: 503, body: "" }, 1);
    expect(await failure(client.project(signal()))).toMatchObject({
      status: 503,
      message: expect.stringMatching(/^HTTP 503 from identity at http:\/\/[^/]+$/),
    });
    expect((await client.project(signal())).id).toBe("p1");
  });

  it("that loses its response is asked again at once: a token more does no harm", async () => {
    const { cloud, client } = await begin();
    cloud.answer("POST", /tokens$/, { instead: "drop" }, 1);
    expect((await client.project(signal())).id).toBe("p1");
  });

  it("that is not there is no answer", async () => {
    const { client } = await begin({ authUrl: "http://127.0.0.1:1/v3" });
    const error = await failure(client.project(signal()));
    expect(error).toBeInstanceOf(NoAnswer);
    expect(String(error)).toMatch(/identity at http:\/\/127\.0\.0\.1:1 does not respond/);
  });

  it.each<[string, object, typeof Unsuitable]>([
    [
      "a token for no project",
      { headers: { "x-subject-token": "t" }, body: { token: { expires_at: "x" } } },
      Unsuitable,
    ],
    ["no token", { body: {} }, UnexpectedAnswer],
    ["a redirect", { status: 302, headers: { location: "/" }, body: "" }, UnexpectedAnswer],
    ["another document", { headers: { "x-subject-token": "t" }, body: { token: [] } }, UnexpectedAnswer],
    [
      "a token without an end",
      {
        headers: { "x-subject-token": "t" },
        body: { token: { expires_at: "never", project: { id: "p", name: "p" } } },
      },
      UnexpectedAnswer,
    ],
  ])("that answers with %s is not used", async (_, reply, kind) => {
    const { cloud, client } = await begin();
    cloud.answer("POST", /tokens$/, { status: 201, ...reply });
    expect(await failure(client.project(signal()))).toBeInstanceOf(kind);
  });

  it("is not waited for after the client is closed", async () => {
    const { cloud, client } = await begin();
    cloud.answer("POST", /tokens$/, { instead: "silence" });
    const waiting = failure(client.project(signal()));
    await eventually(() => cloud.authentications.length).toBe(1);
    await client.close();
    expect(await waiting).toBeInstanceOf(NoAnswer);
  });
});
