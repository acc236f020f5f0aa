// Notes from samples since when the GPUs of instances with an idle rule are not used. Used by the collector
// (reconciler/guest-metrics/); end-idle.ts applies the rules.
//
// Invariant: only a sample of every GPU counts, so an agent that ended or lies by silence applies no rule. The time
// begins anew after use, after a gap without samples, and after each action on the instance.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { gpuMetricNames } from "../../rules/guest-metrics.ts";
import { longestGapMinutes, usedFromPercent } from "../../rules/idle.ts";
import type { Point } from "../guest-metrics/point.ts";

export interface SeenUse {
  readonly instanceId: string;
  readonly isUsed: boolean;
}

const utilization = gpuMetricNames.indexOf("gpu_utilization");

/** Whether the instance's GPUs are used; undefined: the sample does not say it of each of them. */
export function isUsed({ gpus }: Point, count: number): boolean | undefined {
  const values = gpus.map((values) => values[utilization] ?? null);
  if (values.some((value) => value !== null && value >= usedFromPercent)) return true;
  return count > 0 && values.length === count && values.every((value) => value !== null) ? false : undefined;
}

/** Changes only rows of instances with a rule, and only when there is something new, or each minute. */
export async function noteUse(db: Database, seen: readonly SeenUse[]): Promise<void> {
  if (seen.length === 0) return;
  await sql`
    insert into idle_watches as w (instance_id, idle_since, sampled_at)
    select i.id, case when not s.is_used then now() end, now()
    from unnest(${seen.map(({ instanceId }) => instanceId)}::uuid[], ${seen.map((one) => one.isUsed)}::boolean[])
      as s (id, is_used) join instances i on i.id = s.id
    where i.idle_rule is not null and i.terminated_at is null
    order by i.id
    on conflict (instance_id) do update set
      sampled_at = now(),
      idle_since = case when excluded.idle_since is null or ${isContinued} then
        case when excluded.idle_since is null then null else w.idle_since end else now() end,
      is_done = w.is_done and excluded.idle_since is not null and ${isContinued}
    where (excluded.idle_since is null) <> (w.idle_since is null) or w.sampled_at < now() - interval '1 minute'
      or (w.idle_since is not null and not ${isContinued})`.execute(db);
}

/** The time without use of the row `w` goes on. */
const isContinued = sql`(w.idle_since is not null
  and w.sampled_at > now() - make_interval(mins => ${sql.lit(longestGapMinutes)})
  and w.idle_since >= (select wished_at from instances where id = w.instance_id))`;
