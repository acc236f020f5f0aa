// How long resets and validations of GPUs take: recorded when one succeeds, and read for estimates (returning.ts).
//
// Invariant: what was retried, failed or gave no verdict is not recorded, so an estimate is of what goes well. The caller
// holds the lock of the host's row, which is written in the same transaction.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { MeasuredSeconds } from "../../rules/gpu-return.ts";

/** Records that what began at `since` ends now for these GPUs. Both are SQL on a row of gpus. */
export async function recordTimes(
  tx: Transaction,
  kind: keyof MeasuredSeconds,
  which: RawBuilder<unknown>,
  since: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into gpu_times (gpu_id, kind, model, seconds)
    select id, ${kind}, model, greatest(extract(epoch from now() - ${since}), 0) from gpus where ${which}
    on conflict (gpu_id, kind) do update
    set model = excluded.model, seconds = excluded.seconds, ended_at = excluded.ended_at`.execute(tx);
}

/** Of the last twenty of the model, nine out of ten took no longer. JSON, with the keys of MeasuredSeconds. */
export function measuredSeconds(model: RawBuilder<unknown>): RawBuilder<MeasuredSeconds> {
  const of = (kind: keyof MeasuredSeconds) => sql`(
    select percentile_disc(0.9) within group (order by recent.seconds) from (
      select t.seconds from gpu_times t where t.model = ${model} and t.kind = ${sql.lit(kind)}
      order by t.ended_at desc limit 20) recent)`;
  return sql<MeasuredSeconds>`jsonb_build_object('reset', ${of("reset")}, 'validation', ${of("validation")})`;
}
