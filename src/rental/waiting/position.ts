// The position of a launch that begins to wait: it is placed before those with higher ones. By default in order of arrival;
// by fair share, accounts take turns, those for spot instances among themselves (rules/spot.ts). Used by begin-wait.ts.
//
// A position is a turn, and an ordinal within the turn. By arrival each launch has a turn of its own. By fair share a turn
// is a GPU: a launch begins where the previous one of its account ends, but not before the turn that is being served, and
// those of one turn are in order of arrival. So of two accounts that wait for 1 and for 100 GPUs the first one waits for a
// GPU or two, and one that has waited for nothing cannot save turns up.
//
// Invariant: a position never changes and no other launch that waits has it, so what depends on it (capacity/line.ts) is the same in
// both orders, and while launches of both wait.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { holdingBlocker, waitingState } from "../../rules/waiting-launches.ts";

export interface Newcomer {
  readonly accountId: string;
  readonly instanceType: string;
  readonly isSpot: boolean;
}

/** By fair share. The default of the column is that by arrival. */
export async function fairPosition(tx: Transaction, { accountId, instanceType, isSpot }: Newcomer): Promise<number> {
  // Until its launch is committed, the next one of the account would begin at the same turn.
  await sql`select pg_advisory_xact_lock(hashtextextended('turns of waiting launches', 0))`.execute(tx);
  const { rows } = await sql<{ position: number }>`
    with rivals as (
      select w.account_id, w.position >> 20 as turn, w.blocked_by = ${sql.lit(holdingBlocker)} as is_served,
        w.quantity * greatest(t.gpus, 1) as turns
      from waiting_launches w join instance_types t on t.name = w.instance_type
      where w.state = ${sql.lit(waitingState)} and w.spot = ${isSpot}
        and t.gpu_model is not distinct from (select gpu_model from instance_types where name = ${instanceType})
    ), start as (
      select coalesce(greatest(
        (select min(turn) from rivals where is_served),
        (select max(turn + turns) from rivals where account_id = ${accountId})), nextval('waiting_launch_turns')) as turn
    ), later as (
      -- Those that come by arrival afterwards are behind it.
      select turn, setval('waiting_launch_turns', greatest(turn, (select last_value from waiting_launch_turns))) from start
    )
    select coalesce((select max(w.position) + 1 from waiting_launches w where w.position >> 20 = later.turn and w.state = ${sql.lit(waitingState)}),
      later.turn << 20) as position from later`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a launch has no position");
  return row.position;
}
