// What holds for every request of every interface: leniency in form, strictness in content, one error body, no 5xx.

import { connect as connectSocket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { fc } from "../../../test/support/properties.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let token: string;
const lines: string[] = [];

beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, { log: { write: (line) => void lines.push(line) } });
  token = (await http.customer()).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

const errorBody = {
  error: {
    code: expect.any(String),
    message: expect.any(String),
    suggestion: expect.any(String),
    request_id: expect.any(String),
  },
};

/** Sends text as it is, and gives everything that comes back until the other side ends. */
function raw(text: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(http.main);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (data) => {
      answer += data;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
    socket.write(text);
  });
}

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return http.call("POST", `${http.marketplace}${path}`, { token, body, headers });
}

describe("paths", () => {
  it.each(["//api//vm_marketplace///ssh-keys", "/api/vm_marketplace/ssh-keys/"])("%s is understood", async (path) => {
    expect((await http.call("GET", http.main + path, { token })).status).toBe(200);
  });

  it("a path that is not there is 404 in the error body, without a token", async () => {
    const { status, body } = await http.call("GET", `${http.marketplace}/nothing`);
    expect(status).toBe(404);
    expect(body).toEqual(errorBody);
    expect(body).toMatchObject({ error: { code: "global/not-found" } });
  });

  it("is 404 whatever its body is", async () => {
    expect((await post("/nothing", "{")).status).toBe(404);
    expect((await http.call("POST", `${http.main}/nothing`, { body: "x".repeat(3_000_000) })).status).toBe(404);
  });

  it.each(["PUT", "PATCH", "DELETE", "PROPFIND"])("%s of a known path is 405 with Allow", async (method) => {
    const { status, body, headers } = await http.call(method, `${http.marketplace}/ssh-keys`, { token });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("GET, HEAD, POST");
    expect(body).toEqual(errorBody);
  });

  it("OPTIONS of a known path is 204 with Allow", async () => {
    const { status, headers } = await http.call("OPTIONS", `${http.marketplace}/instances/x`);
    expect([status, headers.get("allow")]).toEqual([204, "GET, HEAD"]);
  });

  it("HEAD is GET without the body", async () => {
    const { status, text, headers } = await http.call("HEAD", `${http.marketplace}/ssh-keys`, { token });
    expect([status, text]).toEqual([200, ""]);
    expect(headers.get("etag")).toMatch(/^"/);
  });

  it.each([
    "/%zz",
    "/%c3%28",
    "/ssh-keys/%",
    "/instances/%00",
    "/instances/%ed%a0%80",
    "/instances?status=%",
    "/instances?%00=1",
  ])("%s is a client's error", async (path) => {
    const { status, body } = await http.call("GET", http.marketplace + path, { token });
    expect([400, 404]).toContain(status);
    expect(body).toMatchObject(errorBody);
  });

  it("with percent-encoded letters are those with the letters, whatever the method and however often", async () => {
    const spelled = `${http.main}/%61pi/vm_market%70lace/inst%61nce%2Dtypes`;
    const plain = await http.call("GET", `${http.marketplace}/instance-types`, { token });
    // The second and third are read from memory.
    for (let time = 0; time < 3; time += 1) {
      const { status, text } = await http.call("GET", spelled, { token });
      expect([status, text]).toEqual([200, plain.text]);
    }
    const { status, headers } = await http.call("DELETE", spelled, { token });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await http.call("GET", `${http.main}/api%2Fvm_marketplace/instance-types`, { token })).status).toBe(404);
  });

  it("takes the absolute form, and any Host header", async () => {
    const head = "GET http://whatever.example/healthz HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n";
    expect(await raw(head)).toMatch(/^HTTP\/1.1 200 /);
    expect(await raw("GET /nothing HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 404 /);
    expect(await raw("GET /api/v1/docs HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1.1 (200|301) /,
    );
  });
});

describe("headers", () => {
  const path = "/api/vm_marketplace/instance-types";
  const ask = (...lines: readonly string[]) => raw([...lines, "Connection: close", "", ""].join("\r\n"));
  const authorized = () => `Authorization: Bearer ${token}`;
  const problem = (what: string) => new RegExp(`^HTTP/1.1 400 [\\s\\S]*"The request cannot be read: it has ${what}`);

  it("without Host are a 400 in HTTP/1.1, also of a read that was answered before, and fine in HTTP/1.0", async () => {
    expect(await ask("GET /healthz HTTP/1.1")).toMatch(problem("no Host header"));
    for (let time = 0; time < 2; time += 1)
      expect(await ask(`GET ${path} HTTP/1.0`, authorized())).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask(`GET ${path} HTTP/1.1`, authorized())).toMatch(problem("no Host header"));
  });

  it("with two different tokens or hosts are a 400, also of a read that was answered before", async () => {
    const head = [`GET ${path} HTTP/1.1`, "Host: x"];
    for (let time = 0; time < 2; time += 1) expect(await ask(...head, authorized())).toMatch(/^HTTP\/1.1 200 /);
    const twoTokens = await ask(...head, authorized(), "authorization: Bearer other");
    expect(twoTokens).toMatch(problem("two different Authorization headers"));
    expect(await ask(...head, "HOST: y", authorized())).toMatch(problem("two different Host headers"));
  });

  it("may say the same twice", async () => {
    const head = [`GET ${path} HTTP/1.1`, "Host: x", "Host: x"];
    expect(await ask(...head, authorized(), authorized())).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("bodies", () => {
  it.each([
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "/;;",
    "a/b/c",
  ])("are JSON when the Content-Type is %s", async (type) => {
    const { status, body } = await post(
      "/ssh-keys",
      new TextEncoder().encode('{"name":5}'),
      type === undefined ? {} : { "content-type": type },
    );
    expect(status).toBe(400);
    expect(body).toMatchObject({ field_errors: { name: { message: "Must be a string." }, public_key: {} } });
  });

  it("that are absent are refused where one is needed", async () => {
    for (const body of [undefined, "", " \n"]) {
      const result = await post("/ssh-keys", body);
      expect(result.status).toBe(400);
      expect(result.body).toMatchObject({ field_errors: { body: { message: "Must be a JSON object." } } });
    }
  });

  it("of GET and DELETE mean nothing", async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: 5\r\n\r\n{"a":`;
    expect(await raw(`GET /api/vm_marketplace/ssh-keys HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 200 /);
    expect(await raw(`DELETE /api/vm_marketplace/ssh-keys/x HTTP/1.1\r\n${head}`)).toMatch(/^HTTP\/1.1 404 /);
  });

  it.each([
    ["malformed", '{"name":'],
    ["no JSON", "name=x"],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["nested too deeply", "[".repeat(100_000) + "]".repeat(100_000)],
    ["nested too deeply, and broken", "[".repeat(100_000)],
  ])("that are %s are refused", async (_what, bytes) => {
    const { status, body } = await post("/ssh-keys", bytes);
    expect(status).toBe(400);
    expect(body).toEqual(errorBody);
  });

  it.each([
    ['{"name":"a\\u0000b","public_key":"x"}', "name"],
    ['{"name":"x","extra":{"deep":["ok","\\ud800"]}}', "extra.deep.1"],
    ['{"name":"x","extra":{"bad\\u0000key":1}}', "extra"],
    ['{"\\udfff":1}', "body"],
  ])("with text that cannot be stored are refused: %s", async (text, field) => {
    const { status, body } = await post("/ssh-keys", text);
    expect(status).toBe(400);
    expect(Object.keys((body as { field_errors: object }).field_errors)).toEqual([field]);
  });

  it("may hold __proto__ and unknown fields, and the last of a key given twice counts", async () => {
    const text = '{"__proto__":{"public_key":"x"},"constructor":1,"name":"first","name":7,"unknown":{"a":[1]}}';
    const { body } = await post("/ssh-keys", text);
    expect(Object.keys((body as { field_errors: object }).field_errors).sort()).toEqual(["name", "public_key"]);
  });

  it("of a byte too much are 413, with and without Content-Length, and the connection goes on", async () => {
    const limit = 1024 * 1024;
    const fits = await post("/ssh-keys", `"${"x".repeat(limit - 2)}"`);
    expect(fits.status).toBe(400);
    const over = await post("/ssh-keys", `"${"x".repeat(limit - 1)}"`);
    expect([over.status, over.body]).toEqual([413, errorBody]);
    const chunk = `${limit.toString(16)}\r\n${"x".repeat(limit)}\r\n1\r\nx\r\n0\r\n\r\n`;
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
    const chunked = `POST /api/vm_marketplace/ssh-keys HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`;
    const answer = await raw(`${chunked}GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*HTTP\/1.1 200 /);
  });

  it("never repeat a value in the answer", async () => {
    const secret = "s3cr3t-value";
    const body = { instance_type_name: [secret], region_name: {}, env_vars: { TOKEN: [secret] }, quantity: secret };
    expect((await post("/instance-operations/launch", body)).text).not.toContain(secret);
  });
});

describe("connections that are no HTTP", () => {
  it("get the error body too", async () => {
    expect(await raw("NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"global\/invalid-parameters"/);
    expect(await raw(`GET /${"x".repeat(20_000)} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 [\s\S]*headers-too-large/);
    expect(await raw("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1.1 405 /);
    const odd = "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n";
    expect(await raw(odd)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("tokens", () => {
  it.each([
    ["none", {}],
    ["another scheme", { authorization: "Basic eDo=" }],
    ["no token", { authorization: "Bearer" }],
    ["two tokens", { authorization: "Bearer a b" }],
    ["an unknown token", { authorization: "Bearer lessor_unknown" }],
  ])("%s is 401 with WWW-Authenticate, in every variant and before the body is looked at", async (_what, headers) => {
    for (const base of [http.marketplace, http.direct, http.reference, `${http.main}/reference`]) {
      const { status, body, headers: got } = await http.call("POST", `${base}/ssh-keys`, { headers, body: "{" });
      expect([status, got.get("www-authenticate")]).toEqual([401, "Bearer"]);
      expect(body).toMatchObject({ error: { code: "global/invalid-api-key" } });
    }
  });

  it("are taken whatever the case of the scheme", async () => {
    const headers = { authorization: `bEARER  ${token}` };
    expect((await http.call("GET", `${http.direct}/ssh-keys`, { headers })).status).toBe(200);
  });

  it("may do what their scopes say", async () => {
    const reader = (await http.customer({ scopes: ["read"] })).token;
    const writer = (await http.customer({ scopes: ["write"] })).token;
    expect((await http.call("GET", `${http.reference}/ssh-keys`, { token: reader })).status).toBe(200);
    const write = await http.call("POST", `${http.reference}/ssh-keys`, { token: reader, body: "{" });
    expect(write).toMatchObject({ status: 403, body: { error: { code: "global/forbidden" } } });
    expect((await http.call("GET", `${http.reference}/ssh-keys`, { token: writer })).status).toBe(403);
    const valid = await http.call("POST", `${http.direct}/account/token/validation`, { token: writer });
    expect(valid).toMatchObject({ status: 200, body: { message: "Valid Token" } });
  });

  it("stop working at once when they are revoked, expired, or their account is inactive", async () => {
    const customer = await http.customer();
    const status = async () =>
      (await http.call("GET", `${http.marketplace}/ssh-keys`, { token: customer.token })).status;
    expect(await status()).toBe(200);
    const account = world.db.updateTable("accounts").where("id", "=", customer.principal.accountId);
    await account.set({ status: "inactive" }).execute();
    expect(await status()).toBe(403);
    await account.set({ status: "active" }).execute();
    const row = world.db.updateTable("tokens").where("id", "=", customer.tokenId);
    await row.set({ expires_at: new Date(0) }).execute();
    expect(await status()).toBe(401);
    await row.set({ expires_at: null, revoked_at: new Date() }).execute();
    expect(await status()).toBe(401);
  });

  it("show what is left of their minute", async () => {
    const { headers } = await http.call("GET", `${http.marketplace}/ssh-keys`, { token });
    expect(headers.get("ratelimit")).toMatch(/^"token";r=\d+;t=\d+$/);
    expect(headers.get("ratelimit-policy")).toBe('"token";q=60000;w=60');
  });
});

describe("the log", () => {
  it("has one line for each request, under the id that the client sees, and no secrets", async () => {
    lines.length = 0;
    const mine = await http.call("GET", `${http.marketplace}/instances/zyzzyva?cursor=hidden`, {
      token,
      headers: { "x-request-id": "my.id-1" },
    });
    expect(mine.headers.get("x-request-id")).toBe("my.id-1");
    const other = await http.call("GET", `${http.marketplace}/instances/zyzzyva`, {
      token,
      headers: { "x-request-id": "no good" },
    });
    expect(other.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged).toHaveLength(2);
    expect(logged[0]).toMatchObject({
      request_id: "my.id-1",
      method: "GET",
      route: "/api/vm_marketplace/instances/:uuid",
      status: 404,
      account_id: expect.any(String),
      token_id: expect.any(String),
    });
    expect(lines.join("")).not.toMatch(/hidden|zyzzyva|Bearer|lessor_/);
  });
});

describe("no input", () => {
  const json = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });
  const launchLike = fc.record(
    {
      instance_type_name: json,
      region_name: json,
      ssh_key_names: fc.oneof(fc.array(fc.string()), json),
      quantity: fc.oneof(fc.integer(), fc.double(), json),
      file_system_names: fc.oneof(fc.array(fc.string()), json),
      name: json,
      os_image_name: json,
      env_vars: fc.oneof(fc.dictionary(fc.string(), fc.string()), json),
    },
    { requiredKeys: [] },
  );

  it("makes a 5xx, whatever the body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(json, launchLike), async (body) => {
        const { status } = await post("/instance-operations/launch", JSON.stringify(body));
        expect(status).toBe(400);
      }),
      { numRuns: sample(100, 2000) },
    );
  });

  it("makes a 5xx, whatever the path and query", async () => {
    const odd = fc.string({
      unit: fc.constantFrom(
        ...'/%0aA?&=+:;.~[]{}"<>^`|\\é€😀 '.split(""),
        "%00",
        "%ff",
        "%2f",
        "status=",
        "limit=",
        "cursor=",
      ),
    });
    await fc.assert(
      fc.asyncProperty(odd, async (text) => {
        const path = `/api/vm_marketplace/instances${text}`.replace(/[ \r\n]/g, "+");
        const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
        const answer = await raw(`GET ${path} HTTP/1.1\r\n${head}`);
        expect(answer).toMatch(/^HTTP\/1.1 (200|400|404) /);
      }),
      { numRuns: sample(100, 2000) },
    );
  });
});
