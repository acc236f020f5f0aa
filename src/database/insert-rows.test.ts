import { randomUUID } from "node:crypto";
import { type Insertable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { worldOfFile } from "../../test/support/world.ts";
import { connect } from "./connect.ts";
import { insertedRows, insertRows } from "./insert-rows.ts";
import { ask } from "./round-trips.ts";
import type { Schema } from "./schema.ts";
import type { InstancesTable } from "./tables/instances.ts";
import type { IdempotencyKeysTable } from "./tables/service.ts";
import { inTransaction } from "./transaction.ts";

const world = worldOfFile();
let accountId: string;
beforeEach(async () => {
  accountId = (await world.account()).accountId;
});

/** Texts that mean something to JSON, to arrays, to rows or to SQL, and here nothing. */
const oddTexts = [
  "",
  " ",
  "plain",
  `'single' "double" \`back\``,
  "back\\slash \\n \\x41 \\u0041 \\",
  "line\nbreak\r\nand\ttab\b\f",
  "null",
  "NULL",
  "true",
  "17",
  "{}",
  "{a,b}",
  "[1, 2]",
  '{"a": "b"}',
  "(a,b)",
  ",",
  "$1 %s ; -- /* behind */ ",
  "Grüße, 世界, 🙂👩‍👩‍👧, e\u0301, \u202e, \u2028, \ufeff, \uffff, \u{10ffff}",
  "\u0001\u001f\u007f\u0080",
  "x".repeat(10_000),
];

const columns = {
  instances: [
    ...["id", "account_id", "token_id", "max_lifetime_seconds", "name", "hostname", "state", "progress", "region"],
    ...["region_description", "instance_type", "type_description", "gpu_model", "gpu_description", "gpus", "vcpus"],
    ...["memory_gib", "storage_gb", "price_cents_per_hour", "coupon_code", "discount_basis_points", "image_name"],
    ...["image_number", "image_description", "login_user", "ssh_keys", "file_system_names", "command"],
    ...["env_vars_sealed", "password_sealed", "jupyter_token_sealed", "engine", "host", "gpu_addresses"],
    ...["generation", "expiry_warned", "wished_at", "lease_until", "firewall_ruleset_ids", "guest_metrics"],
  ],
  idempotency_keys: ["account_id", "key", "scopes", "answer_sealed", "created_at", "token_id"],
  audit_log: [
    ...["id", "at", "account_id", "token_id", "changed_account_id", "address", "interface", "operation", "method"],
    ...["objects", "made", "result", "status", "error_code", "reason", "request_id"],
  ],
} as const;
const instances = { columns: columns.instances, json: ["ssh_keys"] } as const;
const keys = { columns: columns.idempotency_keys } as const;
const auditLog = { columns: columns.audit_log } as const;

type NewInstance = Insertable<InstancesTable>;
type NewKey = Insertable<IdempotencyKeysTable>;

function instance(different: Partial<NewInstance> = {}): NewInstance {
  const text = (name: string) => `the ${name}`;
  return {
    id: uuidv7(),
    account_id: accountId,
    token_id: randomUUID(),
    max_lifetime_seconds: 2 ** 31 - 1,
    name: text("name"),
    hostname: text("hostname"),
    state: "booting",
    progress: null,
    region: text("region"),
    region_description: text("region's description"),
    instance_type: text("type"),
    type_description: text("type's description"),
    gpu_model: null,
    gpu_description: "",
    gpus: 0,
    vcpus: 1,
    memory_gib: 2,
    storage_gb: 3,
    price_cents_per_hour: 4,
    coupon_code: null,
    discount_basis_points: 10_000,
    image_name: text("image"),
    image_number: 5,
    image_description: "",
    login_user: "ubuntu",
    ssh_keys: "[]",
    file_system_names: [],
    command: null,
    env_vars_sealed: null,
    password_sealed: null,
    jupyter_token_sealed: null,
    engine: "simulated",
    host: text("host"),
    gpu_addresses: [],
    generation: 1,
    expiry_warned: false,
    wished_at: new Date(),
    lease_until: null,
    firewall_ruleset_ids: [],
    guest_metrics: false,
    ...different,
  };
}

function key(different: Partial<NewKey> = {}): NewKey {
  const token_id = randomUUID();
  const created_at = new Date();
  return {
    account_id: accountId,
    key: randomUUID(),
    scopes: [],
    answer_sealed: "",
    created_at,
    token_id,
    ...different,
  };
}

function entry(different: Partial<Insertable<Schema["audit_log"]>> = {}): Insertable<Schema["audit_log"]> {
  return {
    id: uuidv7(),
    at: new Date(),
    account_id: accountId,
    token_id: randomUUID(),
    changed_account_id: null,
    address: null,
    interface: "control",
    operation: "test",
    method: "POST",
    objects: [],
    made: 0,
    result: "done",
    status: 200,
    error_code: null,
    reason: null,
    request_id: randomUUID(),
    ...different,
  };
}

/** As a row of the database is: parsed JSON. */
const asRead = (row: NewInstance) => ({ ...row, ssh_keys: JSON.parse(row.ssh_keys) });

describe("the tables that are written for many requests at once", () => {
  it("have columns of these types, each of which a test below writes", async () => {
    const { rows } = await sql<{ type: string }>`
      select distinct case when data_type = 'ARRAY' then udt_name else data_type end as type
      from information_schema.columns where table_schema = 'public' and table_name = any(${Object.keys(columns)})
      order by 1`.execute(world.db);
    const known = [
      "_text",
      "_uuid",
      "bigint",
      "boolean",
      "inet",
      "integer",
      "jsonb",
      "text",
      "timestamp with time zone",
      "uuid",
    ];
    expect(rows.map(({ type }) => type)).toEqual(known);
  });
});

describe("rows that are inserted at once", () => {
  it("are given back as they are, in their order", async () => {
    const rows = Array.from({ length: 50 }, (_, n) => instance({ name: `box ${n}`, vcpus: n + 1 }));
    const made = await ask(world.db, insertedRows("instances", instances, rows));
    expect(made).toMatchObject(rows.map(asRead));
    expect(await world.db.selectFrom("instances").selectAll().orderBy("id").execute()).toEqual(made);
  });

  it("keep every text as it is", async () => {
    const rows = oddTexts.map((text) =>
      instance({ name: text, command: text, progress: text, region_description: text, password_sealed: text }),
    );
    expect(await ask(world.db, insertedRows("instances", instances, rows))).toMatchObject(rows.map(asRead));
  });

  it("keep every list of texts as it is, of whatever elements", async () => {
    const lists = [[], oddTexts, ...oddTexts.map((text) => [text]), ["same", "same"], oddTexts.toReversed()];
    const rows = lists.map((list) => key({ scopes: list }));
    await insertRows(world.db, "idempotency_keys", keys, rows);
    const read = await world.db.selectFrom("idempotency_keys").selectAll().execute();
    expect(new Map(read.map((row) => [row.key, row.scopes]))).toEqual(
      new Map(rows.map((row) => [row.key, row.scopes])),
    );
  });

  it("keep every list of ids as it is", async () => {
    const rows = [[], [randomUUID()], [randomUUID(), randomUUID(), uuidv7()]].map((ids) =>
      instance({ firewall_ruleset_ids: ids }),
    );
    expect(await ask(world.db, insertedRows("instances", instances, rows))).toMatchObject(rows.map(asRead));
  });

  it("keep JSON as it is, whatever is in it", async () => {
    const values: unknown[] = [
      [],
      {},
      oddTexts.map((text) => ({ name: text, public_key: text })),
      Object.fromEntries(oddTexts.map((text) => [text, text])),
      { nothing: null, list: [[], [null, [1, -2.5, 1e21]], {}], yes: true, deep: { a: { b: { c: "" } } } },
      "a text",
      0,
      false,
    ];
    const rows = values.map((value) => instance({ ssh_keys: JSON.stringify(value) }));
    const made = await ask(world.db, insertedRows("instances", instances, rows));
    expect(made.map((row) => row.ssh_keys)).toEqual(values);
  });

  it("keep numbers, truths and times as they are", async () => {
    const at = new Date("2026-03-04T05:06:07.089Z");
    const rows = [
      instance({ generation: Number.MAX_SAFE_INTEGER, expiry_warned: true, wished_at: at, lease_until: new Date(0) }),
      instance({ generation: 0, expiry_warned: false, gpus: 2 ** 31 - 1 }),
    ];
    expect(await ask(world.db, insertedRows("instances", instances, rows))).toMatchObject(rows.map(asRead));
  });

  it.each([null, "203.0.113.9", "2001:db8::1", "::ffff:192.0.2.1"])("keep the address %s", async (address) => {
    const row = entry({ address, objects: oddTexts, changed_account_id: randomUUID() });
    await insertRows(world.db, "audit_log", auditLog, [row]);
    const read = await world.db.selectFrom("audit_log").selectAll().where("id", "=", row.id).execute();
    expect(read).toEqual([row]);
  });

  it("have nothing where nothing is given, and defaults where a column is not written", async () => {
    const { progress: _, command: __, ...rest } = instance();
    const [made] = await ask(world.db, insertedRows("instances", instances, [rest]));
    expect(made).toMatchObject({ progress: null, command: null, health: "ok", attempts: 0 });
    expect(made?.created_at).toBeInstanceOf(Date);
  });

  it("may have nothing in a column of JSON", async () => {
    const written = {
      columns: ["name", "engine", "region", "vcpus", "memory_gib", "storage_gb", "free_vcpus"],
      more: ["free_memory_gib", "free_storage_gb", "reported", "overrides"],
      json: ["reported", "overrides"],
    } as const;
    const size = { vcpus: 1, memory_gib: 1, storage_gb: 1, free_vcpus: 1, free_memory_gib: 1, free_storage_gb: 1 };
    const row = { name: "host", engine: "simulated", region: (await world.region("north")).name, ...size };
    const all = { columns: [...written.columns, ...written.more], json: written.json };
    const made = insertedRows("hosts", all, [
      { ...row, reported: null },
      { ...row, name: "other", reported: '{"a":1}' },
    ]);
    // `mode` and its like have their defaults, for they are not written.
    expect(await ask(world.db, made)).toMatchObject([
      { reported: null, overrides: null, mode: "up" },
      { reported: { a: 1 }, overrides: null },
    ]);
  });

  it("are what the same rows are that are inserted one by one", async () => {
    const rows = oddTexts.map((text) =>
      entry({ operation: text, error_code: text, result: "failed", objects: [text] }),
    );
    await insertRows(world.db, "audit_log", auditLog, rows);
    const all = () => world.db.selectFrom("audit_log").selectAll().orderBy("id").execute();
    const together = await all();
    await world.db.deleteFrom("audit_log").execute();
    for (const row of rows) await world.db.insertInto("audit_log").values(row).execute();
    expect(together).toEqual(await all());
  });

  it("are all there or none is", async () => {
    const rows = [instance(), instance({ state: "flying" }), instance()];
    await expect(ask(world.db, insertedRows("instances", instances, rows))).rejects.toMatchObject({ code: "23514" });
    const twice = key();
    await expect(insertRows(world.db, "idempotency_keys", keys, [key(), twice, twice])).rejects.toMatchObject({
      code: "23505",
    });
    expect(await world.db.selectFrom("instances").select("id").execute()).toEqual([]);
    expect(await world.db.selectFrom("idempotency_keys").select("key").execute()).toEqual([]);
  });

  it.each(["\0", "a\0b"])("are refused with a text that no database holds: %j", async (text) => {
    await expect(insertRows(world.db, "idempotency_keys", keys, [key({ key: text })])).rejects.toMatchObject({
      code: "22P05",
    });
  });
});

describe("no rows", () => {
  it("are nothing", async () => {
    expect(await ask(world.db, insertedRows("instances", instances, []))).toEqual([]);
    await insertRows(world.db, "idempotency_keys", keys, []);
    expect(await world.db.selectFrom("idempotency_keys").select("key").execute()).toEqual([]);
  });
});

describe("a conflict clause", () => {
  const all = () => world.db.selectFrom("idempotency_keys").select(["key", "answer_sealed"]).orderBy("key").execute();

  it("says what becomes of rows that are there already", async () => {
    await insertRows(world.db, "idempotency_keys", keys, [key({ key: "a" }), key({ key: "b" })]);
    const again = [key({ key: "b", answer_sealed: "new" }), key({ key: "c", answer_sealed: "new" })];
    const replace = sql`on conflict (account_id, key) do update set answer_sealed = excluded.answer_sealed`;
    await insertRows(world.db, "idempotency_keys", keys, again, replace);
    expect(await all()).toEqual([
      { key: "a", answer_sealed: "" },
      { key: "b", answer_sealed: "new" },
      { key: "c", answer_sealed: "new" },
    ]);
    await insertRows(
      world.db,
      "idempotency_keys",
      keys,
      [key({ key: "a", answer_sealed: "x" })],
      sql`on conflict do nothing`,
    );
    expect((await all())[0]).toEqual({ key: "a", answer_sealed: "" });
  });
});

describe("the statement", () => {
  it("is prepared once, however many rows it has", async () => {
    const db = connect({ ...world.config, maxConnections: 1 });
    onTestFinished(() => db.destroy());
    for (const count of [1, 7, 2, 40]) {
      await insertRows(
        db,
        "idempotency_keys",
        keys,
        Array.from({ length: count }, () => key()),
      );
    }
    const { rows } = await sql<{ runs: number }>`
      select generic_plans + custom_plans as runs from pg_prepared_statements
      where statement like 'insert into "idempotency_keys"%'`.execute(db);
    expect(rows).toEqual([{ runs: 3 }]);
  });

  it("is part of its transaction, though nobody waits for it there", async () => {
    const broken = inTransaction(world.db, async (tx) => {
      await insertRows(tx, "idempotency_keys", keys, [key()]);
      throw new Error("no");
    });
    await expect(broken).rejects.toThrow("no");
    const same = key({ key: "same" });
    await insertRows(world.db, "idempotency_keys", keys, [same]);
    const late = inTransaction(world.db, (tx) => insertRows(tx, "idempotency_keys", keys, [key(), same]));
    await expect(late).rejects.toMatchObject({ code: "23505" });
    expect(await world.db.selectFrom("idempotency_keys").select("key").execute()).toEqual([{ key: "same" }]);
  });
});
