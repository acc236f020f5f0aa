// Every error of the table really happens over HTTP, in every interface where it can, with the status that the
// decisions give it there. A new row of src/http/errors/table.ts fails here until something provokes it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect as connectSocket } from "node:net";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { ErrorKind } from "../../src/http/errors/api-error.ts";
import { createConnectionErrorHandler } from "../../src/http/errors/connection.ts";
import { errorKinds } from "../../src/http/errors/documentation.ts";
import { createLog } from "../../src/log.ts";
import { at, codeOf } from "./client.ts";
import { type Elsewhere, provocations, type Where, wireCode } from "./provocations.ts";
import { claim, type RowName } from "./rows.ts";
import { sceneOfFile } from "./scene.ts";

const scene = sceneOfFile();
const requestsPerMinutePerToken = 100;
const { limits } = loadConfig({ env: {}, cwd: import.meta.dirname });
const strict = sceneOfFile({ config: { limits: { ...limits, requestsPerMinutePerToken } } });
const broken = sceneOfFile();
const provoked = provocations(scene);

/** The statuses of a class: of R and its lambda edition, and of all others. Written from the decisions, not from the table. */
interface Class {
  readonly kinds: readonly ErrorKind[];
  readonly reference: number;
  readonly otherwise: number;
}

const classes: Record<RowName<"decided/error-classes">, readonly Class[]> = {
  "invalid-parameters": [
    {
      kinds: [
        "invalid-parameters",
        "malformed-body",
        "malformed-request",
        "unknown-name",
        "coupon-refused",
        "image-not-supported",
        "file-system-in-wrong-region",
      ],
      reference: 400,
      otherwise: 400,
    },
  ],
  "invalid-api-key": [{ kinds: ["invalid-api-key"], reference: 401, otherwise: 401 }],
  forbidden: [{ kinds: ["account-inactive", "forbidden", "role-forbids"], reference: 403, otherwise: 403 }],
  "spend-limit": [{ kinds: ["spend-limit-exceeded", "insufficient-balance"], reference: 400, otherwise: 402 }],
  "not-found": [
    { kinds: ["unknown-object", "unknown-path"], reference: 404, otherwise: 404 },
    { kinds: ["unknown-ssh-key"], reference: 400, otherwise: 404 },
  ],
  conflicts: [
    {
      kinds: [
        "insufficient-capacity",
        "instance-not-stopped",
        "instance-terminated",
        "firewall-ruleset-in-use",
        "duplicate",
        "conflict",
        "file-system-in-use",
      ],
      reference: 400,
      otherwise: 409,
    },
  ],
  quota: [{ kinds: ["quota-exceeded"], reference: 400, otherwise: 403 }],
  "too-large": [{ kinds: ["payload-too-large"], reference: 413, otherwise: 413 }],
  idempotency: [
    { kinds: ["idempotency-key-reused"], reference: 422, otherwise: 422 },
    { kinds: ["idempotency-in-progress"], reference: 409, otherwise: 409 },
  ],
  "rate-limited": [{ kinds: ["rate-limited"], reference: 429, otherwise: 429 }],
  defects: [
    { kinds: ["internal-error"], reference: 500, otherwise: 500 },
    { kinds: ["unavailable"], reference: 503, otherwise: 503 },
  ],
};
/** Beside the classes of the decisions: what only HTTP itself knows, and what is told of machines. */
const ofHttp: readonly Class[] = [{ kinds: ["method-not-allowed"], reference: 405, otherwise: 405 }];
const ofMachines: readonly Class[] = [{ kinds: ["machine-unreachable"], reference: 503, otherwise: 503 }];
const ofConnections: readonly ErrorKind[] = ["request-timeout", "headers-too-large"];

const everywhere: readonly Where[] = ["marketplace", "direct", "reference", "lambda", "control"];
const headersOf: Partial<Record<ErrorKind, Record<string, string>>> = {
  "invalid-api-key": { "www-authenticate": "Bearer" },
  "idempotency-in-progress": { "retry-after": "1" },
  "machine-unreachable": { "retry-after": "1" },
};

async function happens({ kinds, ...statuses }: Class): Promise<void> {
  for (const kind of kinds) {
    const ways = Object.entries(provoked[kind as Exclude<ErrorKind, Elsewhere>] ?? {});
    expect(ways.length, `${kind} can be provoked`).toBeGreaterThan(0);
    for (const [name, provoke] of ways) {
      const answer = await provoke();
      const asInR = name === "reference" || (name === "lambda" && kind !== "unknown-ssh-key");
      const status = asInR ? statuses.reference : statuses.otherwise;
      expect([answer.status, codeOf(answer)], `${kind} in ${name}: ${answer.text}`).toEqual([
        status,
        wireCode(kind, name),
      ]);
      for (const [header, value] of Object.entries(headersOf[kind] ?? {})) {
        expect(answer.headers.get(header), `${kind} in ${name}`).toBe(value);
      }
    }
  }
}

const lists: Record<Where, string> = {
  marketplace: "/ssh-keys",
  direct: "/ssh-keys",
  reference: "/ssh-keys",
  lambda: "/ssh-keys",
  control: "/file-systems",
};

async function tooManyRequests(): Promise<void> {
  for (const name of everywhere) {
    const { token } = await strict.customer();
    const ask = () => strict.client.ask(name, "GET", lists[name], { token });
    const answers = await Promise.all(Array.from({ length: requestsPerMinutePerToken }, ask));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe(`"token";q=${requestsPerMinutePerToken};w=60`);
    const refused = await ask();
    expect([refused.status, codeOf(refused)]).toEqual([429, "global/rate-limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
    expect(refused.headers.get("ratelimit")).toMatch(/^"token";r=0;t=\d+$/);
    const other = (await strict.customer()).token;
    expect((await strict.client.ask(name, "GET", lists[name], { token: other })).status).toBe(200);
  }
}

/** A table that is not there is a defect, and the answer says nothing of it. */
async function defect(): Promise<void> {
  const { token } = await broken.customer();
  await sql`alter table ssh_keys rename to ssh_keys_away`.execute(broken.db);
  await sql`alter table file_systems rename to file_systems_away`.execute(broken.db);
  for (const name of everywhere) {
    const answer = await broken.client.ask(name, "GET", lists[name], { token, failing: true });
    expect([answer.status, codeOf(answer)]).toEqual([500, "global/internal-error"]);
    expect(answer.text).not.toMatch(/ssh_keys|relation|select|pg/);
  }
  await sql`alter table ssh_keys_away rename to ssh_keys`.execute(broken.db);
  await sql`alter table file_systems_away rename to file_systems`.execute(broken.db);
}

async function outage(): Promise<void> {
  const { token } = await broken.customer();
  await withoutDatabase(async () => {
    for (const name of everywhere) {
      const answer = await broken.client.ask(name, "GET", lists[name], { token, failing: true });
      expect([answer.status, codeOf(answer)]).toEqual([503, "global/unavailable"]);
      expect(answer.headers.get("retry-after")).toBe("1");
    }
  });
  expect((await broken.client.ask("reference", "GET", "/ssh-keys", { token })).status).toBe(200);
}

/** Nobody can connect to the database while `body` runs. */
async function withoutDatabase(body: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(broken.db);
  const name = rows[0]?.name ?? "";
  const admin = new pg.Client({ connectionString: inject("postgres").adminUrl });
  await admin.connect();
  try {
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    await body();
  } finally {
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
  }
}

claim("decided/error-classes", (row) => async () => {
  if (row === "rate-limited") return tooManyRequests();
  if (row === "defects") {
    await defect();
    await outage();
    return;
  }
  for (const one of classes[row]) await happens(one);
});

describe("an error of HTTP itself", () => {
  it("is 405 with Allow for a wrong method", async () => {
    for (const one of ofHttp) await happens(one);
  });

  it("is 431 for headers that are too large", async () => {
    const answer = await raw(scene.server.url, `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatchObject({ status: 431, body: { error: { code: "global/headers-too-large" } } });
  });

  it("is 408 for a request that arrives too slowly", async () => {
    // The real limits are 20 and 60 seconds; a server with the same handler and shorter ones shows the answer.
    const impatient = createServer({ headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 });
    impatient.on(
      "clientError",
      createConnectionErrorHandler(createLog("silent"), () => true),
    );
    await new Promise<void>((resolve) => impatient.listen(0, "127.0.0.1", resolve));
    const { port } = impatient.address() as AddressInfo;
    const answer = await raw(`http://127.0.0.1:${port}`, "GET / HTTP/1.1\r\nHost:");
    expect(answer).toMatchObject({ status: 408, body: { error: { code: "global/request-timeout" } } });
    await new Promise((resolve) => impatient.close(resolve));
  });
});

describe("an error of a machine", () => {
  it("is 503 with Retry-After where its host does not answer", async () => {
    for (const one of ofMachines) await happens(one);
  });
});

describe("the table of errors", () => {
  it("has no row that nothing here provokes", () => {
    const here = [...Object.values(classes).flat(), ...ofHttp, ...ofMachines].flatMap(({ kinds }) => kinds);
    expect([...here, ...ofConnections].toSorted()).toEqual([...errorKinds].toSorted());
  });
});

/** Sends text as it is, and reads the answer until the other side ends. */
function raw(url: string, text: string): Promise<{ status: number; body: unknown }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (data) => {
      answer += data;
    });
    socket.on("close", () => {
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      resolve({ status: Number(head.split(" ")[1]), body: JSON.parse(body) });
    });
    socket.on("error", reject);
    socket.write(text);
  });
}

/** What makes each operation of R fail with each status that the specification names. */
const someId = "0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d";
const bodies: Record<string, { good: () => unknown; bad: unknown; missing?: unknown }> = {
  "POST /instance-operations/launch": {
    good: () => ({ region_name: "any", instance_type_name: "cpu-4" }),
    bad: { region_name: 5 },
  },
  "POST /instance-operations/terminate": {
    good: () => ({ instance_ids: [rented] }),
    bad: { instance_ids: [] },
    missing: { instance_ids: [someId] },
  },
  "POST /instance-operations/restart": {
    good: () => ({ instance_ids: [halted] }),
    bad: { instance_ids: "x" },
    missing: { instance_ids: [someId] },
  },
  "POST /ssh-keys": { good: () => ({ name: "x" }), bad: { name: "" } },
};
let rented = "";
let halted = "";

claim("spec/errors-r", (row, text) => async () => {
  const [method = "", template = ""] = row.split(" ");
  const path = template.replace("{id}", someId);
  const documented = Object.keys(
    broken.client.documents.reference.paths[template]?.[method.toLowerCase()]?.responses ?? {},
  );
  const ada = await broken.customer();
  const reader = await broken.customer({ of: ada, scopes: [method === "GET" ? "write" : "read"] });
  const ask = (token: string, body?: unknown, failing = false) =>
    broken.client.ask("reference", method, path, { token, body, failing });
  const provoke: Record<string, () => Promise<{ status: number } | undefined>> = {
    "400": async () => ask(ada.token, bodies[row]?.bad),
    "401": async () => ask("wrong"),
    "403": async () => ask(reader.token),
    // What a launch names and does not exist is in its body: decided to be a 400.
    "404": async () => (row.endsWith("launch") ? undefined : ask(ada.token, bodies[row]?.missing)),
    "500": async () => {
      rented = await broken.active(ada);
      halted = await broken.active(ada);
      const body = { instance_uuids: [halted] };
      await broken.client.need("marketplace", "POST", "/instance-operations/stop", { token: ada.token, body });
      await broken.reached(halted, "stopped");
      await sql`alter table events rename to events_away`.execute(broken.db);
      const answer = await ask(ada.token, bodies[row]?.good(), true);
      await sql`alter table events_away rename to events`.execute(broken.db);
      return answer;
    },
  };
  for (const code of text.split(", ")) {
    const answer = await provoke[code]?.();
    if (answer === undefined) continue;
    expect(answer.status, code).toBe(Number(code));
    expect(documented).toContain(code);
  }
});

claim("spec/error-rules", {
  "1": async () => {
    for (const headers of [{}, { authorization: "Bearer wrong" }] as Record<string, string>[]) {
      for (const [method, path] of scene.client.operations("reference")) {
        const { status } = await scene.client.ask("reference", method, path, { headers });
        expect([401, 403]).toContain(status);
      }
    }
  },
  "2": async () => {
    for (const name of ["marketplace", "direct"] as const) {
      expect((await provoked.duplicate[name]?.())?.status).toBe(409);
    }
  },
  "3": async () => {
    const shapes = await Promise.all(
      everywhere.map(async (name) => (await provoked["invalid-parameters"][name]?.())?.body),
    );
    for (const body of shapes) {
      expect(Object.keys(body as object)).toEqual(["error", "field_errors"]);
      expect(Object.keys(at(body, "error") as object)).toEqual(["code", "message", "suggestion", "request_id"]);
    }
  },
  "4": async () => {
    const { token } = await scene.customer();
    const body = {
      instance_type_name: "cpu-4",
      region_name: "any",
      ssh_key_names: [],
      quantity: 1,
      env_vars: { PATH: "x" },
    };
    const answer = await scene.client.ask("marketplace", "POST", "/instance-operations/launch", { token, body });
    expect(answer).toMatchObject({ status: 400, body: { field_errors: { "env_vars.PATH": {} } } });
  },
  "5": async () => {
    for (const [name, status] of [
      ["marketplace", 409],
      ["direct", 409],
      ["reference", 400],
    ] as const) {
      const answer = await provoked["instance-not-stopped"][name]?.();
      expect(answer).toMatchObject({
        status,
        body: { error: { code: "instance-operations/restart/instance-not-stopped" } },
      });
    }
  },
});
