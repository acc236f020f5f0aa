// Duties that only one of several servers need do at a time: sweeps, inventories, chores. Not a lock but a turn: whoever
// comes first after the time is up takes it, and one who dies with it delays the next by one interval.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";

/** True for one caller in each interval of `seconds`, over all servers on this database. */
export async function takeScheduledJob(db: Database, name: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into settings as s (name, value) values (${`duty:${name}`}, to_jsonb(now()))
    on conflict (name) do update set value = excluded.value
    where (s.value #>> '{}')::timestamptz <= now() - make_interval(secs => ${seconds}::float8)
    returning 1`.execute(db);
  return rows.length > 0;
}
