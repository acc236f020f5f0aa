// A backup and a restore take no more memory for a large database than for a small one.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { emptyDatabase, freshDatabase } from "../support/database.ts";
import { extent } from "../support/short.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { figure } from "./figures.ts";

const program = resolve(import.meta.dirname, "../support/programs/lessor-with-peak.ts");
const allowedMebibytes = 64;

/** The most memory that the command had, in MiB. */
async function peakOf(url: string, ...args: string[]): Promise<number> {
  const env = { ...process.env, DATABASE_URL: url, LESSOR_ENCRYPTION_KEY: "ab".repeat(32) };
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "pipe"], env });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  expect(code, said).toBe(0);
  return Number(/peak (\d+)/.exec(said)?.[1]) / 1024;
}

async function fill(url: string, events: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const id = crypto.randomUUID();
  await client.query(
    `insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values ($1, 'busy', 1, 1, 1, 1, 1)`,
    [id],
  );
  // Text that does not compress, of the length of an instance's event.
  await client.query(
    `insert into events (account_id, type, subject_id, data)
    select $1, 'instance.active', gen_random_uuid(), jsonb_build_object('n', n, 'text',
      (select string_agg(md5(random()::text || n || m), '') from generate_series(1, 16) m))
    from generate_series(1, $2) n`,
    [id, events],
  );
  await client.end();
}

async function peaks(events: number): Promise<{ backup: number; restore: number; bytes: number }> {
  await using from = await freshDatabase();
  await using to = await emptyDatabase();
  await fill(from.url, events);
  const file = join(await temporaryDirectory(), "x.backup");
  const backup = await peakOf(from.url, "backup", "-o", file);
  const restore = await peakOf(to.url, "restore", file);
  const { rows } = await counted(to.url);
  expect(rows[0]?.count).toBe(events);
  return { backup, restore, bytes: statSync(file).size };
}

async function counted(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query<{ count: number }>("select count(*)::integer as count from events").finally(() => client.end());
}

it("a backup of 200,000 events, and its restore, take constant memory", async () => {
  const [few, many] = [extent(20_000, 4_000), extent(200_000, 16_000)];
  const small = await peaks(few);
  const large = await peaks(many);
  const of = `${many} events against ${few}; a file of ${(large.bytes / 1e6).toFixed(0)} MB`;
  const mebibytes = (bytes: number) => `${bytes.toFixed(0)} MiB`;
  for (const what of ["backup", "restore"] as const) {
    const toReach = `less than ${mebibytes(small[what] + allowedMebibytes)}`;
    figure(`memory at the peak of a ${what}`, { reached: mebibytes(large[what]), toReach, of });
  }
  expect(large.backup - small.backup).toBeLessThan(allowedMebibytes);
  expect(large.restore - small.restore).toBeLessThan(allowedMebibytes);
});
