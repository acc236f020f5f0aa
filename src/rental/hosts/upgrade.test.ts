// A database of before lost hosts (migrations 0001 to 0024), brought up to date while a host is unreachable.

import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../../test/support/database.ts";
import { migrate } from "../../database/migrate.ts";

it("knows since when a host has been unreachable, and counts the downtime of its instances from now on", async () => {
  const { db, config, close } = await emptyDatabase();
  onTestFinished(close);
  await migrate(config, undefined, 24);
  const account = "0198c5a1-0000-7000-8000-000000000000";
  await sql`insert into accounts
    (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values (${account}, 'old', 10, 10, 10, 10, 10)`.execute(db);
  await sql`insert into regions (name, description) values ('here', 'Here')`.execute(db);
  await sql`insert into hosts (name, engine, region, vcpus, memory_gib, storage_gb, free_vcpus, free_memory_gib,
      free_storage_gb, available, state_since)
    select name, 'simulated', 'here', 1, 1, 1, 1, 1, 1, name = 'there', now() - interval '2 days'
    from unnest(array['there', 'gone']) as name`.execute(db);
  await sql`insert into instances (id, account_id, name, hostname, state, health, region, region_description, instance_type,
      type_description, gpu_description, gpus, vcpus, memory_gib, storage_gb, price_cents_per_hour, image_name,
      image_number, image_description, login_user, ssh_keys, engine, host)
    select gen_random_uuid(), ${account}, name, name, 'active', case name when 'gone' then 'unreachable' else 'ok' end, 'here',
      'Here', 'cpu', 'CPU', 'N/A', 0, 1, 1, 1, 360, 'image', 1, 'Image', 'ubuntu', '[]', 'simulated', name
    from unnest(array['there', 'gone']) as name`.execute(db);

  await migrate(config);
  const { rows } = await sql<{ name: string; host: boolean | null; instance: boolean | null }>`
    select h.name, h.unreachable_since = h.state_since as host, i.unreachable_since > now() - interval '1 hour' as instance
    from hosts h join instances i on i.host = h.name order by h.name`.execute(db);
  expect(rows).toEqual([
    { name: "gone", host: true, instance: true },
    { name: "there", host: null, instance: null },
  ]);
});
