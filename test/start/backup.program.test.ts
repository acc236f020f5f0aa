// `lessor backup` and `lessor restore`, on the real program: what was backed up goes on elsewhere.

import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { runningServerUrl } from "../../src/database/embedded/running.ts";
import { startEmbedded } from "../../src/database/embedded/start.ts";
import { migrate } from "../../src/database/migrate.ts";
import { auditCapacity } from "../support/audit.ts";
import { contentsOf, headerOf, unpackedText } from "../support/backups.ts";
import { emptyDatabase } from "../support/database.ts";
import { type Lessor, spawnLessor, startLessor } from "../support/lessor.ts";
import { startedOnce } from "../support/started-once.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** Runs a command of the program to its end. */
async function run(directory: string, env: NodeJS.ProcessEnv, ...args: string[]) {
  const lessor = spawnLessor(directory, env, ...args);
  const [code] = await once(lessor.process, "close");
  return { code, said: lessor.output() };
}

interface Asked<T> {
  readonly status: number;
  readonly body: T;
}

async function ask<T>(lessor: Lessor, place: string, path: string, token: string, body?: unknown): Promise<Asked<T>> {
  const response = await fetch(`${lessor.shown(place)}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T }; // as the documents say; conformance checks that
}

const marketplace = "Marketplace (variant M)";
const order = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 1 };

const launchPath = "/instance-operations/launch";

async function launch(lessor: Lessor, token: string, more: object = {}): Promise<string[]> {
  const { status, body } = await ask<{ data: { uuids: string[] } }>(lessor, marketplace, launchPath, token, {
    ...order,
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.uuids;
}

async function terminate(lessor: Lessor, token: string, instance_ids: string[]): Promise<void> {
  const path = "/instance-operations/terminate";
  expect((await ask(lessor, marketplace, path, token, { instance_ids })).status).toBe(202);
}

/** Launches one as soon as there is room. */
async function launchSoon(lessor: Lessor, token: string): Promise<string | undefined> {
  for (;;) {
    const { body } = await ask<{ data?: { uuids: string[] } }>(lessor, marketplace, launchPath, token, order);
    if (body.data !== undefined) return body.data.uuids[0];
    await sleep(50);
  }
}

const idsOf = async (lessor: Lessor, token: string) =>
  (await ask<{ data: { id: string }[] }>(lessor, marketplace, "/instances", token)).body.data.map(({ id }) => id);

interface Events {
  data: { type: string; id: string }[];
  next_cursor: string;
}
const eventsOf = async (lessor: Lessor, token: string, cursor?: string) =>
  (await ask<Events>(lessor, "Control", `/events?limit=1000${cursor === undefined ? "" : `&cursor=${cursor}`}`, token))
    .body;

/** Another data directory, with a copy of the key file: what an operator brings back from where it was kept. */
async function otherDirectory(directory: string): Promise<string> {
  const other = await temporaryDirectory();
  cpSync(join(directory, "encryption.key"), join(other, "encryption.key"));
  return other;
}

/** What is in the database of a service that is stopped. */
async function contentsIn(dataDirectory: string): Promise<Record<string, string>> {
  const server = await startEmbedded({ dataDirectory });
  try {
    return await contentsOf(server.url);
  } finally {
    await server.stop();
  }
}

describe("a backup of a running service", () => {
  it("taken while launches go on, brings back everything that was acknowledged before it began", async () => {
    const { directory, customerToken: token, operatorToken: operator } = await startedOnce();
    const first = await startLessor(directory);
    const before = [
      ...(await launch(first, token, { quantity: 3, env_vars: { CANARY: "canary-of-env" } })),
      ...(await launch(first, token)),
    ];
    const direct = { productName: order.instance_type_name, regionName: "any" };
    const withPassword = await ask<{ response: string }>(
      first,
      "Direct (variant D)",
      "/instance/launch",
      token,
      direct,
    );
    expect(withPassword.status).toBe(202);
    const passwordIn = async (lessor: Lessor) => {
      const path = `/instance/${withPassword.body.response}`;
      const shown = await ask<{ runningInstance: { password: number } }>(lessor, "Direct (variant D)", path, token);
      return shown.body.runningInstance.password;
    };
    const password = await passwordIn(first);
    expect(password).toBeGreaterThan(0);
    const cursor = (await eventsOf(first, token)).next_cursor;

    let loading = true;
    const load = Array.from({ length: 3 }, async () => {
      while (loading) {
        const launched = await ask<{ data?: { uuids: string[] } }>(first, marketplace, launchPath, token, order);
        // Machines take a while to go, so now and then there is no room.
        if (launched.body.data === undefined) await sleep(50);
        else await terminate(first, token, launched.body.data.uuids);
        // However fast launches are: all events are to be on one page.
        await sleep(20);
      }
    });
    const file = join(await temporaryDirectory(), "b.backup");
    const backup = await run(directory, {}, "backup", "-o", file);
    loading = false;
    await Promise.all(load);
    expect(backup.code, backup.said).toBe(0);
    expect(backup.said).toContain("does not contain the encryption keys");
    expect(backup.said).toContain(join(directory, "encryption.key"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = unpackedText(file);
    const key = readFileSync(join(directory, "encryption.key"), "utf8").trim().split("\n").at(-1) ?? "";
    for (const secret of [token, operator, String(password), "canary-of-env", key]) expect(text).not.toContain(secret);
    await first.end("SIGKILL");

    const elsewhere = await otherDirectory(directory);
    const restored = await run(elsewhere, {}, "restore", file);
    expect(restored.code, restored.said).toBe(0);
    const second = await startLessor(elsewhere);
    expect(second.output()).not.toContain("lessor_"); // no first start
    const listed = await idsOf(second, token);
    for (const id of before) expect(listed).toContain(id);
    expect((await ask(second, "Control", "/accounts", operator)).status).toBe(200);
    expect(await passwordIn(second)).toBe(password);
    expect(listed).not.toContain(await launchSoon(second, token));
    let seen = await eventsOf(second, token, cursor);
    for (; !seen.data.some(({ type }) => type === "instance.active"); await sleep(50)) {
      seen = await eventsOf(second, token, cursor);
    }
    // Read on, they are those that a reader from the start finds last; by then there may be more.
    const read = seen.data.map(({ id }) => id);
    const whole = (await eventsOf(second, token)).data.map(({ id }) => id);
    const end = whole.indexOf(read.at(-1) ?? "") + 1;
    expect(whole.slice(end - read.length, end)).toEqual(read);
  }, 180_000);

  it("of one that is stopped is the same to the last row, the simulated world and the money too", async () => {
    const { directory, customerToken: token } = await startedOnce();
    const first = await startLessor(directory);
    const ids = await launch(first, token, { quantity: 4 });
    for (let active = 0; active < 4; await sleep(100)) {
      active = (await eventsOf(first, token)).data.filter(({ type }) => type === "instance.active").length;
    }
    await terminate(first, token, ids.slice(0, 2));
    await first.end("SIGTERM");

    const out = await temporaryDirectory();
    const file = join(out, "stopped.backup");
    const backup = await run(directory, {}, "backup", "--output", file);
    expect(backup.code, backup.said).toBe(0);
    expect(readdirSync(out)).toEqual(["stopped.backup"]);
    const elsewhere = await otherDirectory(directory);
    const restored = await run(elsewhere, {}, "restore", file);
    expect(restored.code, restored.said).toBe(0);

    const [before, after] = [await contentsIn(directory), await contentsIn(elsewhere)];
    expect(Object.keys(after)).toEqual(Object.keys(before));
    const differing = Object.keys(before).filter((table) => before[table] !== after[table]);
    expect(differing.sort()).toEqual(["public.logical_clock", "public.settings"]);
    expect(before["simulated.machines"]).toMatch(/^[1-4] /);
    expect(before["public.billing_spans"]).toMatch(/^4 /);
  }, 180_000);
});

describe("with DATABASE_URL", () => {
  it("a backup goes from one database into another, and from the running service", async () => {
    await using from = await emptyDatabase();
    await using to = await emptyDatabase();
    const directory = await temporaryDirectory();
    const env = (url: string) => ({ DATABASE_URL: url, LESSOR_ENCRYPTION_KEY: "ab".repeat(32) });
    const first = await startLessor(directory, env(from.url));
    const token = first.shown("Customer token") ?? "";
    const ids = await launch(first, token, { quantity: 2 });
    const file = join(directory, "x.backup");
    expect((await run(directory, env(from.url), "backup", "-o", file)).code).toBe(0);
    await first.end("SIGTERM");
    const otherKey = { ...env(to.url), LESSOR_ENCRYPTION_KEY: "cd".repeat(32) };
    const refused = await run(directory, otherKey, "restore", file);
    expect([refused.code, refused.said]).toEqual([1, expect.stringContaining("needs the encryption key")]);
    expect((await run(directory, env(to.url), "restore", file)).code).toBe(0);
    const again = await run(directory, env(to.url), "restore", file);
    expect([again.code, again.said]).toEqual([1, expect.stringContaining("The database is in use")]);
    const second = await startLessor(directory, env(to.url));
    expect((await idsOf(second, token)).sort()).toEqual(ids.sort());
    await second.end("SIGTERM");
    await auditCapacity(to.db);
  }, 180_000);

  it("that leads nowhere is told by its name", async () => {
    const env = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none", LESSOR_ENCRYPTION_KEY: "ab".repeat(32) };
    const { code, said } = await run(await temporaryDirectory(), env, "backup", "-o", "-");
    expect([code, said]).toEqual([1, expect.stringContaining("DATABASE_URL: connection refused")]);
  }, 60_000);
});

describe("a restore that is killed", () => {
  it("leaves a data directory that can be restored into again", async () => {
    const directory = await temporaryDirectory();
    const source = await startEmbedded({ dataDirectory: directory });
    const first = await fill(source.url, 100_000);
    const file = join(directory, "large.backup");
    await source.stop();
    expect((await run(directory, {}, "backup", "-o", file)).code).toBe(0);

    const elsewhere = await temporaryDirectory();
    const restoring = spawnLessor(elsewhere, {}, "restore", file);
    await inTheMiddle(elsewhere);
    await restoring.end("SIGKILL");
    const after = await run(elsewhere, {}, "backup", "-o", join(elsewhere, "between.backup"));
    expect(after.code, after.said).toBe(0);
    expect(unpackedText(join(elsewhere, "between.backup"))).not.toContain(first);
    const restored = await run(elsewhere, {}, "restore", file);
    expect(restored.code, restored.said).toBe(0);
    expect((await contentsIn(elsewhere))["public.events"]).toMatch(/^100000 /);
  }, 240_000);
});

/** Migrated, with one account and so many events. Gives the account's id. */
async function fill(url: string, events: number): Promise<string> {
  await migrate({ url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const id = crypto.randomUUID();
  await client.query(
    `insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values ($1, 'busy', 1, 1, 1, 1, 1)`,
    [id],
  );
  await client.query(
    `insert into events (account_id, type, subject_id, data)
    select $1, 'test.happened', $1, jsonb_build_object('n', n, 'text', repeat(md5(n::text), 4)) from generate_series(1, $2) n`,
    [id, events],
  );
  await client.end();
  return id;
}

/** Until the restore in this directory is just loading the events. */
async function inTheMiddle(dataDirectory: string): Promise<void> {
  for (;;) {
    try {
      const client = new pg.Client({ connectionString: await runningServerUrl(dataDirectory) });
      client.on("error", () => {});
      await client.connect();
      try {
        for (;;) {
          const { rowCount } = await client.query(
            "select 1 from pg_stat_activity where application_name = 'lessor restore' and state = 'active' and query like 'copy \"public\".\"events\"%'",
          );
          if (rowCount === 1) return;
        }
      } finally {
        await client.end();
      }
    } catch {
      await sleep(20); // it is still starting
    }
  }
}

describe("the commands refuse", () => {
  it("to back up where there is no database, and make nothing there", async () => {
    const directory = join(await temporaryDirectory(), "none");
    const { code, said } = await run(directory, {}, "backup", "-o", "-");
    expect([code, said]).toEqual([1, expect.stringContaining(`There is no database in ${directory}`)]);
    expect(existsSync(directory)).toBe(false);
    mkdirSync(directory, { mode: 0o700 });
    expect((await run(directory, {}, "backup", "-o", "-")).said).toContain("There is no database");
    expect(readdirSync(directory).filter((name) => name !== "program.lock")).toEqual([]);
  }, 60_000);

  it("to restore without the key, over a running service, or from what is no backup", async () => {
    const { directory } = await startedOnce();
    const lessor = await startLessor(directory);
    const file = join(directory, "x.backup");
    expect((await run(directory, {}, "backup", "-o", file)).code).toBe(0);
    const running = await run(directory, {}, "restore", file);
    expect([running.code, running.said]).toEqual([1, expect.stringMatching(/is in use by process .*Stop it/)]);
    await lessor.end("SIGTERM");
    const used = await run(directory, {}, "restore", file);
    expect([used.code, used.said]).toEqual([1, expect.stringContaining("The database is in use: it has accounts")]);

    const elsewhere = await temporaryDirectory();
    const [id] = headerOf(file).keys as string[];
    const keyless = await run(elsewhere, {}, "restore", file);
    expect([keyless.code, keyless.said]).toEqual([1, expect.stringContaining(`needs the encryption key ${id}`)]);
    writeFileSync(file, "hello\n");
    const foreign = await run(elsewhere, {}, "restore", file);
    expect([foreign.code, foreign.said]).toEqual([1, expect.stringContaining("is not a Lessor backup")]);
    expect(readdirSync(elsewhere)).toEqual([]);
    const nothing = await run(elsewhere, {}, "restore");
    expect([nothing.code, nothing.said]).toEqual([1, expect.stringContaining("Specify a backup file")]);
  }, 120_000);
});
