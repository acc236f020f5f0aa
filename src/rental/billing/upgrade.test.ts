// A database of before money had limits (migrations 0001 to 0003), brought up to date: what its instances are billed.

import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../../test/support/database.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { migrate } from "../../database/migrate.ts";

const account = "0198c5a1-0000-7000-8000-000000000000";
const [stopped, active, booting] = [1, 2, 3].map((n) => `0198c5a1-0000-7000-8000-00000000000${n}`);

it("bills what was stopped before it was ever active from the upgrade on, and leaves other bills as they are", async () => {
  const { db, config, close } = await emptyDatabase();
  onTestFinished(close);
  const before = await temporaryDirectory();
  for (const name of ["0001-rental.sql", "0002-simulated-engine.sql", "0003-real-machines.sql"]) {
    await copyFile(fileURLToPath(new URL(`../../database/migrations/${name}`, import.meta.url)), `${before}/${name}`);
  }
  await migrate(config, before);
  await sql`insert into accounts
    (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values (${account}, 'old', 10, 10, 10, 10, 10)`.execute(db);
  for (const [id, state] of [
    [stopped, "stopped"],
    [active, "stopped"],
    [booting, "booting"],
  ]) {
    await sql`insert into instances (id, account_id, name, hostname, state, region, region_description, instance_type,
        type_description, gpu_description, gpus, vcpus, memory_gib, storage_gb, price_cents_per_hour, image_name,
        image_number, image_description, login_user, ssh_keys, engine, host, active_at)
      values (${id}, ${account}, 'one', 'one', ${state}, 'here', 'Here', 'cpu', 'CPU', 'N/A', 0, 1, 1, 1, 360, 'image',
        1, 'Image', 'ubuntu', '[]', 'simulated', 'host', ${id === active ? sql`now()` : null})`.execute(db);
  }
  await sql`insert into billing_spans (instance_id, account_id, started_at, price_cents_per_hour, discount_basis_points)
    values (${active}, ${account}, '2026-01-01T00:00:00Z', 360, 0)`.execute(db);

  await migrate(config);
  const { rows } = await sql`select instance_id, started_at > '2026-01-02T00:00:00Z' as "isNew", ended_at,
      price_cents_per_hour as cents from billing_spans order by instance_id`.execute(db);
  expect(rows).toEqual([
    { instance_id: stopped, isNew: true, ended_at: null, cents: 360 },
    { instance_id: active, isNew: false, ended_at: null, cents: 360 },
  ]);
});

it("says of every span who launched what it is of, also in closed months, which stay closed", async () => {
  const { db, config, close } = await emptyDatabase();
  onTestFinished(close);
  await migrate(config, undefined, 9);
  const token = "0198c5a1-0000-7000-8000-0000000000aa";
  await sql`insert into accounts
    (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values (${account}, 'old', 10, 10, 10, 10, 10)`.execute(db);
  for (const [id, by] of [
    [active, token],
    [stopped, null],
  ]) {
    await sql`insert into instances (id, account_id, token_id, name, hostname, state, region, region_description,
        instance_type, type_description, gpu_description, gpus, vcpus, memory_gib, storage_gb, price_cents_per_hour,
        image_name, image_number, image_description, login_user, ssh_keys, engine, host)
      values (${id}, ${account}, ${by}, 'one', 'one', 'stopped', 'here', 'Here', 'cpu', 'CPU', 'N/A', 0, 1, 1, 1, 360,
        'image', 1, 'Image', 'ubuntu', '[]', 'simulated', 'host')`.execute(db);
    await sql`insert into billing_spans (instance_id, account_id, started_at, price_cents_per_hour, discount_basis_points)
      values (${id}, ${account}, '2026-01-01T00:00:00Z', 360, 0)`.execute(db);
  }
  await sql`insert into closed_months (month) values ('2026-01-01')`.execute(db);

  await migrate(config);
  const { rows } = await sql`select instance_id, token_id from billing_spans order by instance_id`.execute(db);
  expect(rows).toEqual([
    { instance_id: stopped, token_id: null },
    { instance_id: active, token_id: token },
  ]);
  await expect(sql`update billing_spans set token_id = null`.execute(db)).rejects.toThrow(/never changes/);
  await expect(sql`update billing_spans set ended_at = now(), token_id = null`.execute(db)).rejects.toThrow(
    /never changes/,
  );
  await sql`update billing_spans set ended_at = now()`.execute(db);
});
