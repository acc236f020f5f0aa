// Firewall rules and rulesets as clients of the lambda family send and read them: mrprokl's CLI, MCP servers, scripts that
// look whether SSH is let in before they launch. One test for one behavior, with its reason.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
let token: string;
let accounts = 0;

beforeAll(async () => {
  server = await startServer();
  const put = async (path: string, body: object) => {
    const { status, text } = await call("PUT", `${server.control}${path}`, { token: server.operatorToken, body });
    expect(status, text).toBe(200);
  };
  await put("/regions/us-east-1", { description: "Virginia, USA" });
  await put("/regions/us-west-1", { description: "California, USA" });
  await put("/images/ubuntu", { number: 1, default: true });
  const size = { vcpus: 4, memory_gib: 16, storage_gb: 100 };
  await put("/instance-types/cpu_4x", { gpus: 0, ...size, price_cents_per_hour: 12 });
  const host = { engine: "simulated", region: "us-east-1", vcpus: 400, memory_gib: 4000, storage_gb: 40_000, gpus: [] };
  await put("/hosts/host-1", host);
});
beforeEach(async () => {
  token = await server.customerToken(`ada-${++accounts}`);
});
afterAll(() => server?.close());

type Json = Record<string, unknown>;

async function ask(method: string, path: string, body?: unknown) {
  const answer = await call(method, `${server.lambda}${path}`, { token, body });
  const { data, error } = (answer.body ?? {}) as { data: Json; error: Record<string, string> };
  return { status: answer.status, text: answer.text, body: answer.body as Json, data, error };
}

/** Every success is exactly 200. */
async function need(method: string, path: string, body?: unknown): Promise<Json> {
  const { status, text, data } = await ask(method, path, body);
  expect(status, text).toBe(200);
  return data;
}

const ssh = { protocol: "tcp", port_range: [22, 22], source_network: "203.0.113.0/24", description: "SSH" };
const ping = { protocol: "icmp", source_network: "0.0.0.0/0", description: "Ping" };
const everything = {
  protocol: "all",
  port_range: [1, 65_535],
  source_network: "0.0.0.0/0",
  description: "Default: everything",
};

const makeRuleset = (more: object = {}) =>
  need("POST", "/firewall-rulesets", { name: "My Firewall Ruleset", region: "us-east-1", rules: [ssh], ...more });

async function launched(rulesets?: unknown): Promise<string> {
  await need("POST", "/ssh-keys", { name: "laptop", public_key: examplePublicKey });
  const order = { region_name: "us-east-1", instance_type_name: "cpu_4x", ssh_key_names: ["laptop"] };
  const { instance_ids: ids } = await need("POST", "/instance-operations/launch", {
    ...order,
    firewall_rulesets: rulesets,
  });
  return (ids as string[])[0] ?? "";
}

describe("the rules of the account", () => {
  it("are shown before any were given: what the default lets in can be seen, and written back", async () => {
    expect(await need("GET", "/firewall-rules")).toEqual([everything]);
    expect(await need("PUT", "/firewall-rules", { data: [everything] })).toEqual([everything]);
  });

  it("are replaced as a whole, and come back in the form they were sent in, for clients compare them", async () => {
    expect(await need("PUT", "/firewall-rules", { data: [ssh, ping] })).toEqual([ssh, ping]);
    expect(await need("GET", "/firewall-rules")).toEqual([ssh, ping]);
    expect(await need("PUT", "/firewall-rules", { data: [] })).toEqual([]);
    expect(await need("GET", "/firewall-rules")).toEqual([]);
  });

  it("are the global ruleset too, under the id `global`", async () => {
    const rules = { rules: [ssh] };
    expect(await need("PATCH", "/firewall-rulesets/global", rules)).toMatchObject({ id: "global", ...rules });
    expect(await need("GET", "/firewall-rulesets/global")).toEqual({
      id: "global",
      name: expect.stringMatching(/./),
      rules: [ssh],
    });
    expect(await need("GET", "/firewall-rules")).toEqual([ssh]);
  });

  it("stay as they are where a change names none: fields that are left out do not change", async () => {
    await need("PUT", "/firewall-rules", { data: [ssh] });
    expect(await need("PATCH", "/firewall-rulesets/global", {})).toMatchObject({ rules: [ssh] });
  });
});

describe("a rule", () => {
  it("takes an address without a mask for that address, as the public API does", async () => {
    const rules = await need("PUT", "/firewall-rules", { data: [{ ...ssh, source_network: "203.0.113.7" }] });
    expect(rules).toEqual([{ ...ssh, source_network: "203.0.113.7/32" }]);
  });

  it("of icmp has no port_range, and may send null for it: models of typed clients do", async () => {
    expect(await need("PUT", "/firewall-rules", { data: [{ ...ping, port_range: null }] })).toEqual([ping]);
    expect((await ask("PUT", "/firewall-rules", { data: [{ ...ping, port_range: [1, 1] }] })).status).toBe(400);
  });

  it.each([
    ["a protocol that there is not", { protocol: "sctp" }],
    ["no ports", { port_range: undefined }],
    ["ports in the wrong order", { port_range: [443, 80] }],
    ["port 0", { port_range: [0, 22] }],
    ["a port that is a text", { port_range: ["22", "22"] }],
    ["a name instead of a network", { source_network: "example.com" }],
    ["a long description", { description: "x".repeat(129) }],
  ])("with %s is refused, and names its place", async (_what, wrong) => {
    const { status, error } = await ask("PUT", "/firewall-rules", { data: [ssh, { ...ssh, ...wrong }] });
    expect([status, error.code]).toEqual([400, "global/invalid-parameters"]);
    expect(error.message).toContain("data.1.");
    expect(await need("GET", "/firewall-rules")).toEqual([everything]);
  });
});

describe("a ruleset", () => {
  it("has every field that typed clients require, from the first answer on", async () => {
    const made = await makeRuleset();
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "My Firewall Ruleset",
      region: { name: "us-east-1", description: "Virginia, USA" },
      rules: [ssh],
      created: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
      instance_ids: [],
    });
    expect(await need("GET", `/firewall-rulesets/${made.id}`)).toEqual(made);
    expect(await need("GET", "/firewall-rulesets")).toEqual([made]);
  });

  it("changes name or rules, each alone: mrprokl's CLI sends only what is new", async () => {
    const made = await makeRuleset();
    const path = `/firewall-rulesets/${made.id}`;
    expect(await need("PATCH", path, { name: "renamed" })).toEqual({ ...made, name: "renamed" });
    expect(await need("PATCH", path, { rules: [ping] })).toEqual({ ...made, name: "renamed", rules: [ping] });
  });

  it("lists the instances that have it, and cannot be deleted until they are terminated", async () => {
    const { id } = await makeRuleset();
    const instance = await launched([{ id }]);
    expect(await need("GET", `/firewall-rulesets/${id}`)).toMatchObject({ instance_ids: [instance] });
    const { status, error } = await ask("DELETE", `/firewall-rulesets/${id}`);
    expect([status, error.code]).toEqual([400, "firewall-rulesets/firewall-ruleset-in-use"]);
    expect(error.message).toContain("in use by one or more instances");
    await need("POST", "/instance-operations/terminate", { instance_ids: [instance] });
    expect(await need("DELETE", `/firewall-rulesets/${id}`)).toEqual({});
    expect(await need("GET", "/firewall-rulesets")).toEqual([]);
  });

  it("that does not exist is 404 with the code that clients look for", async () => {
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const { status, error } = await ask(
        method,
        "/firewall-rulesets/c4d291f47f9d436fa39f58493ce3b50d",
        method === "GET" ? undefined : {},
      );
      expect([status, error.code], method).toEqual([404, "global/object-does-not-exist"]);
      expect(error.message, method).toContain("firewall ruleset does not exist");
    }
  });

  it("beyond the bound of the account is refused by the code of a quota", async () => {
    for (let n = 0; n < 50; n++) await makeRuleset();
    const { status, error } = await ask("POST", "/firewall-rulesets", { name: "x", region: "us-east-1", rules: [] });
    expect([status, error.code]).toEqual([400, "global/quota-exceeded"]);
  });
});

describe("an instance", () => {
  it("carries firewall_rulesets always, as a list: clients that copy an instance send it back", async () => {
    const instance = await launched();
    expect(await need("GET", `/instances/${instance}`)).toMatchObject({ firewall_rulesets: [] });
    const { id } = await makeRuleset();
    const order = { region_name: "us-east-1", instance_type_name: "cpu_4x", ssh_key_names: ["laptop"] };
    const { instance_ids: ids } = await need("POST", "/instance-operations/launch", {
      ...order,
      firewall_rulesets: [{ id }],
    });
    expect(await need("GET", `/instances/${(ids as string[])[0]}`)).toMatchObject({ firewall_rulesets: [{ id }] });
  });

  it.each([undefined, null, []])("is launched without any where %j is sent", async (nothing) => {
    expect(await launched(nothing)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is not launched with a ruleset of another region, nor with one that there is not", async () => {
    const { id } = await makeRuleset({ region: "us-west-1" });
    const order = { region_name: "us-east-1", instance_type_name: "cpu_4x", ssh_key_names: [] };
    for (const [given, code] of [
      [id, "global/invalid-parameters"],
      ["c4d291f47f9d436fa39f58493ce3b50d", "global/object-does-not-exist"],
    ]) {
      const body = { ...order, firewall_rulesets: [{ id: given }] };
      const { status, error } = await ask("POST", "/instance-operations/launch", body);
      expect([status, error.code]).toEqual([400, code]);
      expect(error.message).toContain("firewall_rulesets");
    }
  });
});
