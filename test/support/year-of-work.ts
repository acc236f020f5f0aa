// What a year of work leaves in a database, made by SQL: instances that ended, with their bills, and events. Used by the
// proof that it slows nothing (test/crash) and by the benchmark of an idle service (bench/runs/rest.ts).

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { maintenanceJobs } from "../../src/reconciler/maintenance/maintenance.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { quiet } from "./stage.ts";

/** So many copies of this instance, their ends spread evenly over a year, each billed for three hours. */
export async function yearOfInstances(db: Database, instanceId: string, ended: number): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = 'instances' and column_name <> 'position'`.execute(db);
  const end = sql`now() - interval '365 days' * n / ${ended}::integer`;
  const other: Record<string, ReturnType<typeof sql>> = {
    id: sql`md5('ended' || n)::uuid`,
    state: sql`'terminated'`,
    created_at: sql`${end} - interval '4 hours'`,
    active_at: sql`${end} - interval '3 hours'`,
    terminating_at: end,
    terminated_at: end,
    next_look_at: sql`null`,
  };
  const columns = rows.map(({ name }) => sql.ref(name));
  const values = rows.map(({ name }) => other[name] ?? sql.ref(`i.${name}`));
  await sql`insert into instances (${sql.join(columns)})
    select ${sql.join(values)} from instances i, generate_series(1, ${ended}::integer) n where i.id = ${instanceId}`.execute(
    db,
  );
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    select id, account_id, token_id, active_at, terminating_at, 199, 3333 from instances where terminated_at is not null
    order by terminated_at`.execute(db);
}

/** So many events of the account, spread evenly over a year. Older than what is written from now on: call it first. */
export async function yearOfEvents(db: Database, accountId: string, events: number): Promise<void> {
  await sql`insert into events (account_id, type, subject_id, data, created_at)
    select ${accountId}, 'instance.active', gen_random_uuid(), '{"state": "active"}',
      now() - interval '365 days' * (${events}::integer - n) / ${events}::integer
    from generate_series(1, ${events}::integer) n`.execute(db);
}

/** What the service deletes in a year, deleted at once. */
export async function maintain(db: Database): Promise<void> {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const { signal } = new AbortController();
  for (const job of maintenanceJobs)
    await job.run({ db, settings: withDefaults(quiet), log, engines: new Map() }, signal);
}
