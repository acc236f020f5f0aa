// Whether what is billed is what was lived: a span from the first event that says active or stopped to the one that says
// terminating, or not later than that for an instance that ended with its host, or none if it was evicted soon enough for another
// account, for each instance that was ever either and for no other; and a lifetime that ends so long after the start. Computed from the
// events alone, so it finds a span that was opened, closed or forgotten in another transaction than its change. Used by
// audit.ts.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { freeSeconds } from "../../src/rules/spot.ts";

/** One line for each instance whose span is not its lifetime; empty: all are. */
export async function spansDisagree(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    with told as (
      select subject_id,
        min(created_at) filter (where type = 'instance.active') as active,
        min(created_at) filter (where type in ('instance.active', 'instance.stopped')) as began,
        min(created_at) filter (where type = 'instance.terminating') as ended,
        min(created_at) filter (where type = 'instance.host_lost') as lost
      from events where type in ('instance.active', 'instance.stopped', 'instance.terminating', 'instance.host_lost')
      group by subject_id
    ), lived as (
      select i.id, i.state, i.active_at, i.max_lifetime_seconds, i.expires_at,
        coalesce(i.ended_by = 'preempted', false) and i.account_id not in (
          select account_id from waiting_launches where id = i.evicted_for
          union select account_id from reservations where id = i.evicted_for) as is_free_soon,
        told.active, told.began, told.ended, told.lost
      from instances i left join told on told.subject_id = i.id
    )
    select format('instance %s (%s): billed %s to %s, lived %s to %s', l.id, l.state, s.started_at, s.ended_at, l.began, l.ended)
      as line
    from lived l left join billing_spans s on s.instance_id = l.id
    where s.started_at is distinct from l.began
      or l.active_at is distinct from l.active
      or l.expires_at is distinct from l.began + make_interval(secs => l.max_lifetime_seconds)
      or (l.lost is null and s.ended_at is distinct from case when l.began is not null and l.ended is not null
        then case when l.is_free_soon and l.ended - l.began <= make_interval(secs => ${freeSeconds}) then l.began
          else greatest(l.ended, l.began) end end)
      or (l.lost is not null and l.began is not null and (s.ended_at between l.began and greatest(l.lost, l.began)) is not true)
  union all
    select format('instance %s: %s spans', instance_id, count(*)) from billing_spans group by instance_id having count(*) > 1
    `.execute(db);
  return rows.map((row) => row.line);
}
