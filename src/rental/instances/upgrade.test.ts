// A database of before instances had random ids (migrations 0001 to 0019), brought up to date: in which order they are.

import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../../test/support/database.ts";
import { migrate } from "../../database/migrate.ts";

it("keeps instances in order of launch, and puts those that are launched from then on behind them", async () => {
  const { db, config, close } = await emptyDatabase();
  onTestFinished(close);
  await migrate(config, undefined, 19);
  const account = "0198c5a1-0000-7000-8000-000000000000";
  const [first, second, third] = [1, 2, 3].map((n) => `0198c5a1-0000-7000-8000-00000000000${n}`);
  await sql`insert into accounts
    (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values (${account}, 'old', 10, 10, 10, 10, 10)`.execute(db);
  const launch = (id = "") =>
    sql`insert into instances (id, account_id, name, hostname, state, region, region_description, instance_type,
        type_description, gpu_description, gpus, vcpus, memory_gib, storage_gb, price_cents_per_hour, image_name,
        image_number, image_description, login_user, ssh_keys, engine, host)
      values (${id}, ${account}, 'one', 'one', 'booting', 'here', 'Here', 'cpu', 'CPU', 'N/A', 0, 1, 1, 1, 360, 'image',
        1, 'Image', 'ubuntu', '[]', 'simulated', 'host')`.execute(db);
  for (const id of [second, third, first]) await launch(id);

  await migrate(config);
  const random = "00000000-0000-4000-8000-000000000000";
  await launch(random);
  const { rows } = await sql<{ id: string }>`select id from instances order by position`.execute(db);
  expect(rows.map(({ id }) => id)).toEqual([first, second, third, random]);
});
