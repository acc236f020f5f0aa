// The audit events as clients of the lambda family read them (mrprokl's CLI, MCP servers), one test for one behavior, with
// its reason. That the log misses nothing is proved in test/conformance/audit.test.ts.

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditCatalog, resources } from "../../src/http/lambda/audit-catalog.ts";
import { call } from "../support/http.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { examplePublicKey } from "../support/world.ts";

let server: RunningServer;
let token: string;
let accounts = 0;

beforeAll(async () => {
  server = await startServer();
  await control("PUT", "/regions/us-east-1", { description: "Virginia, USA" });
  await control("PUT", "/images/ubuntu", { number: 1 });
  const size = { gpus: 0, vcpus: 1, memory_gib: 1, storage_gb: 1 };
  await control("PUT", "/instance-types/cpu_1x", { ...size, price_cents_per_hour: 1 });
  const room = { vcpus: 9, memory_gib: 9, storage_gb: 9, gpus: [] };
  await control("PUT", "/hosts/host-1", { engine: "simulated", region: "us-east-1", ...room });
});
afterAll(() => server?.close());

interface AuditEvent {
  readonly [field: string]: unknown;
  readonly event_id: string;
  readonly event_time: string;
  readonly resource_lrns: readonly string[];
  readonly additional_details: Readonly<Record<string, unknown>>;
}

async function control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await call(method, `${server.control}${path}`, { token: server.operatorToken, body });
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { data: Record<string, unknown> }).data;
}

async function ask(method: string, path: string, body?: unknown) {
  const { status, text, body: answer } = await call(method, `${server.lambda}${path}`, { token, body });
  return { status, text, body: answer as { data: Record<string, unknown>; error: Record<string, string> } };
}

async function events(query: Record<string, string> = {}): Promise<{ data: AuditEvent[]; page_token: string | null }> {
  const { status, text, body } = await ask("GET", `/audit-events?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return body as unknown as { data: AuditEvent[]; page_token: string | null };
}

async function newAccount(): Promise<string> {
  const name = `ada-${++accounts}`;
  token = await server.customerToken(name);
  const { id } = await server.db.selectFrom("accounts").select("id").where("name", "=", name).executeTakeFirstOrThrow();
  return id;
}

const addKey = (name: string) => ask("POST", "/ssh-keys", { name, public_key: examplePublicKey });
const hex = (id: unknown) => String(id).replaceAll("-", "");

describe("audit events", () => {
  it("come as data with page_token beside it, null where nothing follows: pages are followed until then", async () => {
    await newAccount();
    expect(await events()).toEqual({ data: [], page_token: null });
  });

  it("say what was done to what by whom, in the fields that typed clients require", async () => {
    const accountId = await newAccount();
    const { body } = await addKey("laptop");
    const { data } = await events();
    expect(data).toEqual([
      {
        event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        event_time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
        service_name: "cloud",
        resource_name: "ssh_key",
        action: "created",
        catalog_version: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        actor_lrn: `lrn:cloud:account:${hex(accountId)}`,
        resource_lrns: [`lrn:cloud:ssh_key:${hex(body.data.id)}`],
        resource_owner_lrn: `lrn:cloud:account:${hex(accountId)}`,
        request_api_key_lrn: expect.stringMatching(/^lrn:cloud:api_key:[0-9a-f]{32}$/),
        client_ip: "127.0.0.1",
        result: { status: "done", status_code: 200 },
        additional_details: {
          interface: "lambda",
          operation: "addSshKey",
          objects: ["laptop", body.data.id],
          request_id: expect.stringMatching(/./),
        },
      },
    ]);
  });

  it("tell what was refused apart from what was done: the one changed nothing", async () => {
    await newAccount();
    await ask("DELETE", "/ssh-keys/c4d291f47f9d436fa39f58493ce3b50d");
    const { data } = await events();
    expect(data).toMatchObject([
      {
        action: "deleted",
        result: { status: "refused", status_code: 404 },
        resource_lrns: ["lrn:cloud:ssh_key:c4d291f47f9d436fa39f58493ce3b50d"],
        additional_details: { error_code: "global/not-found" },
      },
    ]);
  });

  it("of firewall changes name the ruleset, and of the account's rules none", async () => {
    await newAccount();
    const { body } = await ask("POST", "/firewall-rulesets", { name: "web", region: "us-east-1", rules: [] });
    await ask("PUT", "/firewall-rules", { data: [] });
    const { data } = await events();
    expect(data).toMatchObject([
      { resource_name: "firewall_rules", action: "updated", resource_lrns: [] },
      {
        resource_name: "firewall_ruleset",
        action: "created",
        resource_lrns: [`lrn:cloud:firewall_ruleset:${hex(body.data.id)}`],
      },
    ]);
  });

  it("of a launch name the instances, and neither its file systems nor a name that looks like an id", async () => {
    await newAccount();
    const filesystem = await ask("POST", "/filesystems", { name: crypto.randomUUID(), region: "us-east-1" });
    const ruleset = await ask("POST", "/firewall-rulesets", { name: "of the launch", region: "us-east-1", rules: [] });
    const order = {
      region_name: "us-east-1",
      instance_type_name: "cpu_1x",
      ssh_key_names: [],
      name: crypto.randomUUID(),
      file_system_names: [filesystem.body.data.name],
      file_system_mounts: [{ file_system_id: filesystem.body.data.id, mount_point: "/data" }],
      firewall_rulesets: [{ id: ruleset.body.data.id }],
    };
    const launch = await ask("POST", "/instance-operations/launch", order);
    expect(launch.status, launch.text).toBe(200);
    const ids = launch.body.data.instance_ids as string[];
    await ask("POST", "/instance-operations/terminate", { instance_ids: ids });
    await ask("POST", "/instance-operations/launch", { ...order, region_name: "nowhere" });
    const { data } = await events();
    const instances = ids.map((id) => `lrn:cloud:instance:${hex(id)}`);
    expect(data.map(({ action, result, resource_lrns: lrns }) => [action, result, lrns])).toEqual([
      ["launched", { status: "refused", status_code: 400 }, []],
      ["terminated", { status: "done", status_code: 200 }, instances],
      ["launched", { status: "done", status_code: 200 }, instances],
      ["created", { status: "done", status_code: 200 }, [`lrn:cloud:firewall_ruleset:${hex(ruleset.body.data.id)}`]],
      ["created", { status: "done", status_code: 200 }, [`lrn:cloud:filesystem:${hex(filesystem.body.data.id)}`]],
    ]);
  });

  it("are the account's own, and those of what an operator changed of it, without the operator's address", async () => {
    await newAccount();
    await addKey("of another account");
    const accountId = await newAccount();
    const made = await control("POST", `/accounts/${accountId}/tokens`, { name: "given", scopes: ["read"] });
    const { data } = await events();
    expect(data).toMatchObject([
      {
        resource_name: "api_key",
        action: "created",
        resource_lrns: [`lrn:cloud:api_key:${hex(made.id)}`],
        resource_owner_lrn: `lrn:cloud:account:${hex(accountId)}`,
        client_ip: null,
      },
    ]);
    expect(data[0]?.actor_lrn).not.toBe(data[0]?.resource_owner_lrn);
  });
});

describe("a filter", () => {
  it("by resource_type finds what was about it, also where another interface was asked", async () => {
    await newAccount();
    await addKey("laptop");
    await call("POST", `${server.marketplace}/ssh-keys`, {
      token,
      body: { name: "desk", public_key: examplePublicKey.replace("AAIAAQ", "AAIAAR") },
    });
    await ask("PUT", "/firewall-rules", { data: [] });
    const found = await events({ resource_type: "cloud.ssh_key" });
    expect(found.data.map(({ additional_details: { interface: name } }) => name)).toEqual(["marketplace", "lambda"]);
    expect((await events({ resource_type: "cloud.firewall_rules" })).data).toHaveLength(1);
    expect((await events({ resource_type: "cloud.instance" })).data).toEqual([]);
  });

  it("by a resource_type that there is not is refused with those that there are: no answer would look like peace", async () => {
    const { status, body } = await ask("GET", "/audit-events?resource_type=cloud.sshkey");
    expect([status, body.error.code]).toEqual([400, "global/invalid-parameters"]);
    expect(body.error.message).toContain("cloud.ssh_key");
  });

  it("by start and end takes both moments in, as the public API says", async () => {
    await newAccount();
    for (const name of ["one", "two", "three"]) await addKey(name);
    const { data } = await events();
    const [newest, middle, oldest] = data.map(({ event_time: time }) => time);
    if (newest === undefined || middle === undefined || oldest === undefined) throw new Error("three were made");
    const among = async (query: Record<string, string>) =>
      (await events(query)).data.map(({ additional_details: { objects } }) => (objects as string[])[0]);
    expect(await among({ start: middle, end: middle })).toContain("two");
    expect(await among({ start: middle })).not.toContain(oldest === middle ? "" : "one");
    expect(await among({ end: middle })).toContain("one");
    expect(await among({ start: "2000-01-01T00:00:00Z", end: "2000-01-02T00:00:00.123456Z" })).toEqual([]);
  });

  it.each(["yesterday", "2026-02-30T00:00:00Z", "2026-01-01"])("by the moment %s is refused", async (start) => {
    expect((await ask("GET", `/audit-events?start=${encodeURIComponent(start)}`)).status).toBe(400);
  });
});

describe("many events", () => {
  it("come page by page, newest first, each once: the token of a page leads to the next", async () => {
    const accountId = await newAccount();
    await addKey("first");
    await sql`
      insert into audit_log (id, account_id, token_id, interface, operation, method, objects, result, status, request_id)
      select gen_random_uuid(), account_id, token_id, interface, operation, method, objects, result, status, request_id
      from audit_log, generate_series(1, 249) where account_id = ${accountId}`.execute(server.db);
    const seen: string[] = [];
    const lengths: number[] = [];
    for (let query: Record<string, string> = {}; ; ) {
      const { data, page_token: next } = await events(query);
      lengths.push(data.length);
      seen.push(...data.map(({ event_id: id }) => id));
      if (next === null) break;
      query = { page_token: next };
    }
    expect(lengths).toEqual([100, 100, 50]);
    expect(new Set(seen).size).toBe(250);
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  it("are not found by a page_token of nobody's making", async () => {
    expect((await ask("GET", "/audit-events?page_token=eyJuZXh0IjoxfQ==")).status).toBe(400);
  });
});

describe("the words for operations", () => {
  it("are there for every operation of every interface that changes something", async () => {
    const { marketplace, direct, referenceUrl, lambda, control: operator } = server;
    const ids: string[] = [];
    for (const base of [marketplace, direct, referenceUrl, lambda, operator]) {
      const { body } = await call("GET", `${base}/openapi.json`);
      const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> };
      for (const methods of Object.values(paths)) {
        for (const [method, { operationId }] of Object.entries(methods)) if (method !== "get") ids.push(operationId);
      }
    }
    expect(Object.keys(auditCatalog).toSorted()).toEqual([...new Set(ids)].toSorted());
    expect(resources).toContain("cloud.firewall_ruleset");
  });
});
