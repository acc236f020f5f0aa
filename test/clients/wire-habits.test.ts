// Habits of clients of the lambda family that no one operation shows: how they decode, what they take for success, how they
// wait and when they come back. One test for one habit, with its reason; those of single operations are in
// lambda-edition.test.ts: Content-Types, slashes, `Quantity`, Basic, names of types and descriptions, the words for a name
// that is taken and for no capacity.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { forgive, injectFaults } from "../../src/engines/simulated/database.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
let token: string;

type Json = Record<string, unknown>;
const order = { region_name: "us-east-1", instance_type_name: "gpu_1x_a10", ssh_key_names: ["laptop"] };

async function put(path: string, body: object): Promise<void> {
  const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
  expect(status, text).toBe(200);
}

beforeAll(async () => {
  const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
  const one = 100_000_000;
  const config = {
    limits: {
      ...limits,
      maxQuantity: 3,
      requestsPerMinutePerAddress: one,
      failedAuthenticationsPerMinutePerAddress: one,
    },
  };
  server = await startServer({ config });
  await put("/regions/us-east-1", { description: "Virginia, USA" });
  await put("/images/ubuntu", { number: 1 });
  const size = { vcpus: 30, memory_gib: 200, storage_gb: 1400 };
  const gpu = { gpu_model: "A10", gpus: 1, price_cents_per_hour: 1_000_000 };
  await put("/instance-types/gpu_1x_a10", { ...gpu, ...size });
  const gpus = [1, 2, 3, 4].map((at) => ({ address: `0000:0${at}:00.0`, model: "A10", memory_gib: 24 }));
  const host = { engine: "simulated", region: "us-east-1", vcpus: 400, memory_gib: 4000, storage_gb: 40_000, gpus };
  await put("/hosts/host-1", host);
  token = await server.customerToken("ada");
  await ask("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
});
afterAll(() => server?.close());
afterEach(() => forgive(server.db));

async function ask(method: string, path: string, body?: unknown, as = token) {
  const answer = await call(method, `${server.lambda}${path}`, { token: as, body });
  const { data, error } = (answer.body ?? {}) as { data: Json; error: Record<string, string> };
  return { status: answer.status, text: answer.text, headers: answer.headers, data, error };
}

async function launched(): Promise<string> {
  const { status, text, data } = await ask("POST", "/instance-operations/launch", order);
  expect(status, text).toBe(200);
  return (data.instance_ids as string[])[0] ?? "";
}

const terminate = (...ids: string[]) => ask("POST", "/instance-operations/terminate", { instance_ids: ids });

/** As Terraform providers and command lines wait; gives every status that was seen on the way, and the instance. */
async function untilNotBooting(id: string) {
  const seen: unknown[] = [];
  for (;;) {
    const { status, data } = await ask("GET", `/instances/${id}`);
    expect(status).toBe(200);
    if (seen.at(-1) !== data.status) seen.push(data.status);
    if (data.status !== "booting") return { seen, instance: data };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("a decoder", () => {
  it("that is strict about integers finds them: no fraction and no exponent, whatever the number is", async () => {
    const id = await launched();
    for (const path of ["/instance-types", "/instances", `/instances/${id}`]) {
      const { text } = await ask("GET", path);
      const numbers = [...text.matchAll(/"([a-z_]+)":(-?[\d.eE+-]+)/g)];
      expect(numbers.map(([, name]) => name)).toEqual(
        expect.arrayContaining(["price_cents_per_hour", "vcpus", "gpus"]),
      );
      for (const [all, , number] of numbers) expect(number, all).toMatch(/^\d+$/);
    }
    await terminate(id);
  });

  it("that cannot take an empty body never gets one, not even for a DELETE", async () => {
    const { data } = await ask("POST", "/ssh-keys", { name: "for a while" });
    const gone = await ask("DELETE", `/ssh-keys/${data.id}`);
    expect([gone.status, gone.text]).toEqual([200, '{"data":{}}']);
    expect(gone.headers.get("content-type")).toMatch(/^application\/json/);
    const again = await ask("DELETE", `/ssh-keys/${data.id}`);
    expect([again.status, again.error.code]).toEqual([404, "global/not-found"]);
  });
});

describe("success", () => {
  it("is exactly 200 for everything, with data in JSON: SkyPilot takes 201, 202 and 204 for failures", async () => {
    const id = await launched();
    await untilNotBooting(id);
    const { data: key } = await ask("POST", "/ssh-keys", { name: "made here" });
    const all: [method: string, path: string, body?: object][] = [
      ["GET", "/instance-types"],
      ["GET", "/regions"],
      ["GET", "/instances"],
      ["GET", `/instances/${id}`],
      ["POST", `/instances/${id}`, { name: "renamed" }],
      ["POST", "/instance-operations/launch", order],
      ["GET", "/ssh-keys"],
      ["POST", "/ssh-keys", { name: "one more" }],
      ["DELETE", `/ssh-keys/${key.id}`],
      ["POST", "/instance-operations/terminate", { instance_ids: [id] }],
    ];
    for (const [method, path, body] of all) {
      const answer = await ask(method, path, body);
      expect([answer.status, answer.headers.get("content-type")], `${method} ${path}`).toEqual([
        200,
        "application/json; charset=utf-8",
      ]);
      expect(answer.data, `${method} ${path}`).toBeDefined();
    }
    const { data } = await ask("GET", "/instances?status=active");
    await terminate(...(data as unknown as Json[]).map((one) => String(one.id)));
  });
});

describe("who polls until an instance is not booting", () => {
  it("then has an active one with its address: dstack connects with the first answer that is not booting", async () => {
    const id = await launched();
    const { seen, instance } = await untilNotBooting(id);
    expect(seen.at(-1)).toBe("active");
    expect(instance.ip).toMatch(/^[\d.]+$/);
    await terminate(id);
  });

  it("is not kept waiting by one that cannot be brought up: it ends terminated, and can still be read", async () => {
    const parameters = { code: "image-missing", message: "There is no such image." };
    await injectFaults(server.db, { kind: "refuses", operation: "create", parameters });
    const id = await launched();
    const { seen } = await untilNotBooting(id);
    expect(["terminating", "terminated"]).toContain(seen.at(-1));
    await expect.poll(async () => (await ask("GET", `/instances/${id}`)).data.status).toBe("terminated");
  });

  it("is answered 304 by a tag while nothing has happened, and never when something has", async () => {
    const id = await launched();
    await untilNotBooting(id);
    const url = `${server.lambda}/instances/${id}`;
    const first = await call("GET", url, { token });
    const poll = () => call("GET", url, { token, headers: { "if-none-match": first.headers.get("etag") ?? "" } });
    expect((await poll()).status).toBe(304);
    await terminate(id);
    expect((await poll()).status).toBe(200);
  });
});

describe("too many instances", () => {
  it("for one launch are refused in the words of the family, with the field and the bound", async () => {
    for (const spelling of ["quantity", "Quantity"]) {
      const { status, error } = await ask("POST", "/instance-operations/launch", { ...order, [spelling]: 4 });
      expect([status, error.code]).toEqual([400, "global/invalid-parameters"]);
      expect(error.message).toBe(`${spelling}: Requested too many instances. Give at most 3.`);
    }
  });

  it("for the account are refused in these words too, and name the quota", async () => {
    const body = { quotas: { instances: 1 } };
    const asOperator = { token: server.operatorToken };
    const made = await call("POST", `${server.control}/accounts`, { ...asOperator, body: { name: "small", ...body } });
    const { id } = (made.body as { data: { id: string } }).data;
    const small = await call("POST", `${server.control}/accounts/${id}/tokens`, {
      ...asOperator,
      body: { name: "t", scopes: ["read", "write"] },
    });
    const { token: theirs } = (small.body as { data: { token: string } }).data;
    const two = { ...order, ssh_key_names: [], quantity: 2 };
    const { status, error } = await ask("POST", "/instance-operations/launch", two, theirs);
    expect([status, error.code]).toEqual([400, "global/quota-exceeded"]);
    expect(error.message).toMatch(/^Requested too many instances\. The quota of 1 instances would be exceeded/);
  });
});

describe("who asks too often", () => {
  it("is told so in JSON, with the whole seconds to wait: clients sleep for that long, and decode before they look", async () => {
    const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
    const strict = await startServer({ config: { limits: { ...limits, requestsPerMinutePerToken: 2 } } });
    try {
      const eager = await strict.customerToken("eager");
      const urls = [`${strict.lambda}/instances`, `${strict.direct}/instance`, `${strict.referenceUrl}/instances`];
      const answers = [];
      for (const url of [...urls, ...urls]) answers.push(await call("GET", url, { token: eager }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429, 429]);
      for (const { headers, body } of answers.slice(2)) {
        expect(headers.get("content-type")).toMatch(/^application\/json/);
        expect(headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
        expect(body).toMatchObject({ error: { code: "global/rate-limited", message: expect.stringMatching(/./) } });
      }
    } finally {
      await strict.close();
    }
  });
});
