// What a person with a backup can rely on: everything is in it, of one moment; it goes into an empty database and into no
// other, whole or not at all; and afterwards everything goes on.

import { randomUUID } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { auditCapacity } from "../../test/support/audit.ts";
import {
  contentsOf,
  headerOf,
  restoreBackup,
  rewriteHead,
  takeBackup,
  unpackedText,
} from "../../test/support/backups.ts";
import { emptyDatabase, type FreshDatabase, freshDatabase } from "../../test/support/database.ts";
import { eventually, untilOthersEnded } from "../../test/support/interleave.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { migrate, refuseUnknownMigrations } from "../database/migrate.ts";
import { restoredSetting } from "../database/restored.ts";
import { beginSession } from "../rental/accounts/console-sessions.ts";
import { createToken } from "../rental/accounts/token-store.ts";
import { namedMonth } from "../rental/billing/statements.ts";
import { eventsAfter } from "../rental/events/event-store.ts";
import { lockPosting, postMonth } from "../rental/ledger/post-usage.ts";
import type { Principal } from "../rental/service.ts";
import { isLive, states } from "../rules/lifecycle.ts";
import { BackupFileError } from "./file-format.ts";
import { NothingThere } from "./snapshot.ts";
import { NotEmpty } from "./target.ts";

// Each test makes databases and migrates them.
vi.setConfig({ testTimeout: 60_000 });

const world = worldOfFile();
const odd = "tab\t newline\n return\r backslash\\ \\N quote\" 'ünïcode 🦊 {a,b} \\.";
let principal: Principal;
beforeEach(async () => {
  // More keys than can be written while backups are taken.
  principal = await world.account({ name: odd, quotas: { ssh_keys: 1_000_000 } });
  await world.host({ gpus: 4 });
  const gone = await world.host();
  await sql`delete from hosts where name = ${gone}`.execute(world.db);
  const product = await world.product();
  await world.image({ description: odd });
  await world.coupon();
  await world.sshKey(principal);
  const volume = await world.fileSystem(principal);
  const env = { SECRET: "canary-of-env" };
  const [first] = await world.launch(principal, {
    instanceType: product.name,
    fileSystemNames: [volume.name],
    envVars: env,
    command: odd,
  });
  const ended = await world.launchOne(principal, { instanceType: product.name });
  await world.change(principal, "terminate", [ended.id]);
  await sql`insert into billing_spans (instance_id, account_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    values (${first?.id}, ${principal.accountId}, now() - interval '1 hour', null, 100, 0),
      (${ended.id}, ${principal.accountId}, '2020-02-29 12:00:00.123456Z', now(), 100, 333)`.execute(world.db);
  await world.tx(async (tx) => {
    await sql`insert into closed_months (month) values ('2020-02-01')`.execute(tx);
    await sql`insert into statement_lines (account_id, month, instance_id, instance_name, instance_type, region, seconds,
        price_cents_per_hour, discount_basis_points, cost_micro_cents)
      values (${principal.accountId}, '2020-02-01', ${ended.id}, ${odd}, 'type', 'region', 43200, 100, 333, 1160040000)`.execute(
      tx,
    );
    await lockPosting(tx);
    await postMonth(tx, namedMonth("2020-02"));
  });
});

async function target(make: () => Promise<FreshDatabase> = emptyDatabase): Promise<FreshDatabase> {
  const fresh = await make();
  onTestFinished(() => fresh.close());
  return fresh;
}

const tableNames = async ({ db }: FreshDatabase) => {
  const { rows } = await sql<{ name: string }>`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema') order by 1`.execute(db);
  return rows.map(({ name }) => name);
};

/** What a restore itself writes. */
const own = ["public.settings", "public.logical_clock"];
const without = (contents: Record<string, string>) =>
  Object.fromEntries(Object.entries(contents).filter(([table]) => !own.includes(table)));

describe("a backup", () => {
  it("brings every table back as it was", async () => {
    const { path, written } = await takeBackup(world.url);
    const { url, db } = await target();
    const loaded = await restoreBackup(path, url);
    expect(loaded.rows).toBe(written.rows);
    const [before, after] = [await contentsOf(world.url), await contentsOf(url)];
    expect(Object.keys(after)).toEqual(Object.keys(before));
    expect(without(after)).toEqual(without(before));
    const settings = await db.selectFrom("settings").select("name").where("name", "<>", restoredSetting).execute();
    expect(settings).toEqual(await world.db.selectFrom("settings").select("name").execute());
    await auditCapacity(db);
  });

  it("has all tables that the database has, whoever made them", async () => {
    const { path } = await takeBackup(world.url);
    const { rows } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema in ('public', 'simulated') and table_name <> 'schema_migrations' order by 1`.execute(world.db);
    const text = unpackedText(path);
    const inIt = [...text.matchAll(/\{"kind":"table","schema":"\w+","name":"(\w+)"/g)].map(([, name]) => name);
    expect(inIt.sort()).toEqual(rows.map(({ name }) => name));
  });

  it("takes a table along that nobody told it of", async () => {
    const source = await target(freshDatabase);
    await sql`create table novelties (id bigint generated always as identity primary key, parent bigint references novelties)`.execute(
      source.db,
    );
    await sql`insert into novelties (parent) values (null), (1)`.execute(source.db);
    const { path } = await takeBackup(source.url);
    expect(unpackedText(path)).toContain('"name":"novelties"');
    // This program's migrations do not make it, so it is told of and left out.
    const { url } = await target(freshDatabase);
    expect((await restoreBackup(path, url)).leftOut).toEqual(["public.novelties"]);
  });

  it("names every key that is needed to read it, and holds no key and nothing that was sealed", async () => {
    await world.db
      .insertInto("settings")
      .values({ name: "key-check", value: JSON.stringify(world.service.keyRing.seal("word", "key-check")) })
      .execute();
    const { path } = await takeBackup(world.url);
    const text = unpackedText(path);
    const used = new Set([...text.matchAll(/v1\.([0-9a-f]{8})\.[\w-]{20}/g)].map(([, id]) => id));
    expect(used.size).toBe(1);
    expect(headerOf(path).keys).toEqual([...used]);
    expect(text).not.toContain("canary-of-env");
    expect(text).not.toContain(Buffer.alloc(32, 7).toString("base64"));
  });

  it("is of one moment, though many write meanwhile", async () => {
    let writing = true;
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) await world.sshKey(principal); // a key, its event and the account's count, in one transaction
    });
    const paths: string[] = [];
    for (let time = 0; time < 3; time++) paths.push((await takeBackup(world.url)).path);
    writing = false;
    await Promise.all(writers);
    for (const path of paths) {
      const { db, url } = await target(freshDatabase);
      await restoreBackup(path, url);
      const { rows } = await sql<Record<string, number>>`
        select (select count(*) from ssh_keys) as keys, (select sum(used_ssh_keys)::bigint from accounts) as used,
          (select count(*) from events where type = 'ssh_key.created') as events`.execute(db);
      expect(new Set(Object.values(rows[0] ?? {})).size).toBe(1);
      await auditCapacity(db);
    }
  });

  it("of a database without tables is refused", async () => {
    const { url } = await target();
    await expect(takeBackup(url)).rejects.toThrow(NothingThere);
  });

  it("that is interrupted leaves nothing", async () => {
    await expect(takeBackup(world.url, AbortSignal.abort(new Error("enough")))).rejects.toThrow();
  });
});

describe("after a restore", () => {
  it("numbers, events and cursors go on", async () => {
    await untilOthersEnded(world.db);
    const before = await eventsAfter(world.db, principal.accountId, undefined, 1000);
    expect(before.length).toBeGreaterThanOrEqual(4);
    const { path } = await takeBackup(world.url);
    // Its readers went on reading the old database for a while.
    await world.sshKey(principal, "lost with the old database");
    const [late] = await eventually(
      () => eventsAfter(world.db, principal.accountId, before.at(-1)?.cursor, 10),
      (events) => events.length > 0,
    );
    const { url, db } = await target(freshDatabase);
    await restoreBackup(path, url);
    await sql`insert into events (account_id, type, subject_id, data)
      values (${principal.accountId}, 'test.new', ${principal.accountId}, '{}')`.execute(db);
    const all = await eventually(
      () => eventsAfter(db, principal.accountId, undefined, 1000),
      (events) => events.length > before.length,
    );
    expect(all.slice(0, -1)).toEqual(before);
    for (const cursor of [before.at(-1)?.cursor, late?.cursor]) {
      expect((await eventsAfter(db, principal.accountId, cursor, 10)).map(({ type }) => type)).toEqual(["test.new"]);
    }
  });

  it("triggers and constraints are on, and a removed or changed host is noticed", async () => {
    const { path } = await takeBackup(world.url);
    const { url, db } = await target(freshDatabase);
    await restoreBackup(path, url);
    const off = await sql`select tgname from pg_trigger where tgenabled <> 'O'`.execute(db);
    expect(off.rows).toEqual([]);
    const unproved = await sql`select conname from pg_constraint where not convalidated`.execute(db);
    expect(unproved.rows).toEqual([]);
    const { rows } = await sql<{ later: boolean }>`
      with old as (select max(changed_in::text::bigint) as newest from hosts), touched as (
        update hosts set mode = 'cordoned' returning changed_in)
      select bool_and(changed_in::text::bigint > newest) as later from touched, old`.execute(db);
    expect(rows).toEqual([{ later: true }]);
  });

  it("every live machine is told of its firewall rules once more, for it may have had others since", async () => {
    await world.host({ gpus: 0 }); // One instance for each state.
    const product = await world.product({ gpus: 0 });
    const instances = await Promise.all(
      states.map(async (state) => ({
        state,
        id: (await world.launchOne(principal, { instanceType: product.name })).id,
      })),
    );
    for (const { id, state } of instances) await world.put(id, state);
    await sql`update instances set firewall_wished = 3, firewall_applied = 3, next_look_at = null`.execute(world.db);
    const { path } = await takeBackup(world.url);
    const { url, db } = await target(freshDatabase);
    await restoreBackup(path, url);
    for (const { id, state } of instances) {
      const { rows } = await sql`
        select firewall_wished - firewall_applied as untold, next_look_at <= now() as is_due from instances
        where id = ${id}`.execute(db);
      expect(rows, state).toEqual([isLive[state] ? { untold: 1, is_due: true } : { untold: 0, is_due: null }]);
    }
  });

  it("nobody is signed in to the console: who signed out since has signed out", async () => {
    await world.tx(async (tx) => {
      const order = { accountId: principal.accountId, name: "browser", scopes: ["read"] as const, expiresAt: null };
      await beginSession(tx, (await createToken(tx, order)).id);
    });
    const { path } = await takeBackup(world.url);
    const { url, db } = await target(freshDatabase);
    await restoreBackup(path, url);
    expect(await db.selectFrom("tokens").select("name").where("name", "=", "browser").execute()).toHaveLength(1);
    expect(await db.selectFrom("console_sessions").select("id").execute()).toEqual([]);
  });

  it("it may be backed up and restored again", async () => {
    let { path } = await takeBackup(world.url);
    for (let time = 0; time < 2; time++) {
      const { url } = await target();
      await restoreBackup(path, url);
      path = (await takeBackup(url)).path;
      expect(without(await contentsOf(url))).toEqual(without(await contentsOf(world.url)));
    }
  });
});

describe("a backup's file", () => {
  it("is refused wherever it is cut off", async () => {
    const { path } = await takeBackup(world.url);
    const fresh = await target();
    const whole = readFileSync(path);
    for (const length of [0, 1, 15, 16, 100, whole.length >> 1, whole.length - 32, whole.length - 1]) {
      writeFileSync(path, whole);
      truncateSync(path, length);
      await expect(restoreBackup(path, fresh.url), `${length} bytes`).rejects.toThrow(BackupFileError);
    }
    expect(await tableNames(fresh)).toEqual([]);
  });

  it("is refused wherever one bit of it is altered, or something is added", async () => {
    const { path } = await takeBackup(world.url);
    const fresh = await target();
    const whole = readFileSync(path);
    for (let at = 3; at < whole.length; at += Math.ceil(whole.length / 40)) {
      const altered = Buffer.from(whole);
      altered.writeUInt8(altered.readUInt8(at) ^ 4, at);
      writeFileSync(path, altered);
      await expect(restoreBackup(path, fresh.url), `byte ${at}`).rejects.toThrow(BackupFileError);
    }
    writeFileSync(path, Buffer.concat([whole, Buffer.from("x")]));
    await expect(restoreBackup(path, fresh.url)).rejects.toThrow("SHA-256");
    expect(await tableNames(fresh)).toEqual([]);
  });

  it("that is something else is refused by what it is", async () => {
    const { url } = await target();
    const directory = await temporaryDirectory();
    const path = join(directory, "dump.sql");
    writeFileSync(path, "-- PostgreSQL database dump\n");
    await expect(restoreBackup(path, url)).rejects.toThrow("is not a Lessor backup");
    await expect(restoreBackup(directory, url)).rejects.toThrow("is not a regular file");
    await expect(restoreBackup(join(directory, "none"), url)).rejects.toThrow("cannot be read (ENOENT)");
  });

  it("of a newer format is refused with the way out", async () => {
    const { path } = await takeBackup(world.url);
    rewriteHead(path, (_, header) => `LESSOR BACKUP 2\n${JSON.stringify(header)}\n`);
    const { url } = await target();
    await expect(restoreBackup(path, url)).rejects.toThrow("created by a newer version of Lessor");
  });

  it("whose header is not as it must be is refused, though its sum is right", async () => {
    const { path } = await takeBackup(world.url);
    const fresh = await target();
    const whole = readFileSync(path);
    const header = headerOf(path);
    const [first] = header.migrations as object[];
    for (const other of [
      {},
      null,
      [],
      7,
      { ...header, migrations: [] },
      { ...header, migrations: [null] },
      { ...header, migrations: [{ ...first, number: 2 }] },
      { ...header, migrations: { length: 1 } },
      { ...header, takenAt: "yesterday" },
      { ...header, installation: undefined },
      { ...header, keys: ["a key"] },
      { ...header, keys: undefined },
    ]) {
      writeFileSync(path, whole);
      rewriteHead(path, (line) => `${line}\n${JSON.stringify(other)}\n`);
      const refused = await restoreBackup(path, fresh.url).catch((error: unknown) => error);
      expect(refused, JSON.stringify(other)).toBeInstanceOf(BackupFileError);
      expect(String(refused)).toMatch(/its header is not as Lessor writes it.*another backup/);
    }
    expect(await tableNames(fresh)).toEqual([]);
  });

  it("of which the header names fewer migrations than made its tables, or not its keys, is refused", async () => {
    const { path } = await takeBackup(world.url);
    const whole = readFileSync(path);
    const { migrations } = headerOf(path) as { migrations: object[] };
    // Migration 20 is the newest that made a table or a column: without such a one the copy fits, and is complete.
    for (const count of [1, 4, 19]) {
      writeFileSync(path, whole);
      rewriteHead(path, (line, header) => {
        return `${line}\n${JSON.stringify({ ...header, migrations: migrations.slice(0, count) })}\n`;
      });
      const { url, db } = await target();
      const refused = await restoreBackup(path, url).catch((error: unknown) => error);
      expect(refused, `${count} migrations`).toBeInstanceOf(BackupFileError);
      expect(String(refused)).toMatch(/migrations (that|which).*Use another backup/);
      expect((await sql`select from accounts`.execute(db)).rows).toEqual([]);
    }
    writeFileSync(path, whole);
    rewriteHead(path, (line, header) => `${line}\n${JSON.stringify({ ...header, keys: [] })}\n`);
    const { url, db } = await target(freshDatabase);
    await expect(restoreBackup(path, url)).rejects.toThrow(/encryption keys that its header does not name/);
    expect((await sql`select from accounts`.execute(db)).rows).toEqual([]);
  });

  it("of a database that a newer program migrated is refused with the way out", async () => {
    const { path } = await takeBackup(world.url);
    const { migrations } = headerOf(path) as { migrations: { number: number; name: string; sha256: string }[] };
    const newer = [...migrations, { number: migrations.length + 1, name: "hereafter", sha256: "0" }];
    await refuseUnknownMigrations(migrations, "backup");
    await expect(refuseUnknownMigrations(newer, "backup")).rejects.toThrow(
      /The backup has migration \d+-hereafter.*newer/,
    );
  });
});

describe("a restore", () => {
  it("into a migrated database without accounts is fine", async () => {
    const { path } = await takeBackup(world.url);
    const { url } = await target(freshDatabase);
    await restoreBackup(path, url);
    expect(without(await contentsOf(url))).toEqual(without(await contentsOf(world.url)));
  });

  it("into a database that is in use, or is somebody else's, changes nothing and says what to do", async () => {
    const { path } = await takeBackup(world.url);
    const before = await contentsOf(world.url);
    await expect(restoreBackup(path, world.url)).rejects.toThrow(/has accounts.*DATABASE_URL.*LESSOR_DATA_DIR/);
    expect(await contentsOf(world.url)).toEqual(before);
    const foreign = await target();
    await sql`create table recipes (id integer)`.execute(foreign.db);
    await expect(restoreBackup(path, foreign.url)).rejects.toThrow("tables that are not Lessor's (public.recipes)");
    expect(await tableNames(foreign)).toEqual(["public.recipes"]);
  });

  it("of an older backup brings it up to this program, and into a database that is further refuses", async () => {
    const old = await target();
    await migrate({ url: old.url }, undefined, 3);
    const id = randomUUID();
    await sql`insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
      values (${id}, 'old', 1, 1, 1, 1, 1)`.execute(old.db);
    await sql`insert into events (account_id, type, subject_id, data) values (${id}, 'a.b', ${id}, '{}')`.execute(
      old.db,
    );
    const { path } = await takeBackup(old.url);
    const { url, db } = await target();
    await restoreBackup(path, url);
    expect(await db.selectFrom("accounts").select("name").execute()).toEqual([{ name: "old" }]);
    expect(await migrate({ url })).toEqual([]);
    const further = await target(freshDatabase);
    await expect(restoreBackup(path, further.url)).rejects.toThrow(/newer migrations.*cannot be undone/);
  });

  it("that is interrupted, or loses its connection, in the middle can be done again", async () => {
    const { path } = await takeBackup(world.url);
    const { url, db } = await target();
    const controller = new AbortController();
    const atEvents = (act: () => unknown) => (name: string) => void (name === "events" && act());
    await expect(
      restoreBackup(
        path,
        url,
        atEvents(() => controller.abort(new Error("enough"))),
        controller.signal,
      ),
    ).rejects.toThrow();
    expect(await db.selectFrom("accounts").select("id").execute()).toEqual([]);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    let cutting: Promise<unknown> = Promise.resolve();
    const cut = () => {
      cutting = admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'lessor restore'",
      );
    };
    await expect(restoreBackup(path, url, atEvents(cut))).rejects.toThrow();
    // The restore can notice before this has its answer, and an end would cut it off.
    await cutting;
    await admin.end();
    expect(await db.selectFrom("accounts").select("id").execute()).toEqual([]);
    await restoreBackup(path, url);
    expect(without(await contentsOf(url))).toEqual(without(await contentsOf(world.url)));
  });

  it("at the same time as another: one does it, the other finds the database in use", async () => {
    const { path } = await takeBackup(world.url);
    const { url } = await target(freshDatabase);
    const outcomes = await Promise.allSettled([restoreBackup(path, url), restoreBackup(path, url)]);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const [failed] = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(failed).toBeInstanceOf(NotEmpty);
    expect(without(await contentsOf(url))).toEqual(without(await contentsOf(world.url)));
  });
});
