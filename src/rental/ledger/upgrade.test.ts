// A database of before the ledger (migrations to 0047), brought up to date: what was closed is posted.

import { copyFile, readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../../test/support/database.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { migrate } from "../../database/migrate.ts";
import { ledgerDifferences } from "./differences.ts";
import { listEntries } from "./entries.ts";

const account = "0198c5a1-0000-7000-8000-000000000000";

it("posts the usage and the credits of months that are closed already, once for each account and month", async () => {
  const { db, config, close } = await emptyDatabase();
  onTestFinished(close);
  const before = await temporaryDirectory();
  const migrations = fileURLToPath(new URL("../../database/migrations", import.meta.url));
  for (const name of await readdir(migrations)) {
    if (name < "0048") await copyFile(`${migrations}/${name}`, `${before}/${name}`);
  }
  await migrate(config, before);
  await sql`insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    values (${account}, 'old', 10, 10, 10, 10, 10)`.execute(db);
  await db.transaction().execute(async (tx) => {
    await sql`insert into closed_months (month) values ('2026-01-01'), ('2026-02-01'), ('2026-03-01')`.execute(tx);
    await sql`insert into statement_lines (account_id, month, instance_id, instance_name, instance_type, region, seconds,
        price_cents_per_hour, discount_basis_points, cost_micro_cents, credit_micro_cents)
      values (${account}, '2026-01-01', gen_random_uuid(), 'a', 'cpu', 'here', 1, 1, 0, 277, 7),
        (${account}, '2026-01-01', gen_random_uuid(), 'b', 'cpu', 'here', 1, 1, 0, 23, 0),
        (${account}, '2026-02-01', gen_random_uuid(), 'a', 'cpu', 'here', 1, 0, 0, 0, 0)`.execute(tx);
  });

  await migrate(config);
  expect(await listEntries(db, account, {})).toMatchObject([
    { kind: "credit", month: "2026-01", amountMicroCents: 7n, balanceMicroCents: -293n },
    { kind: "usage", month: "2026-01", amountMicroCents: -300n, until: new Date("2026-02-01T00:00:00Z") },
  ]);
  expect(await ledgerDifferences(db)).toEqual([]);
});
