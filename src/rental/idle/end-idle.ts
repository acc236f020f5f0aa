// Applies idle rules: an event, and what the customer chose. A maintenance job: it can run twice at once or be interrupted
// anywhere, because each instance is checked and changed under its row lock, with its event, in one transaction.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { inTransaction } from "../../database/transaction.ts";
import { longestGapMinutes } from "../../rules/idle.ts";
import { isReady, states } from "../../rules/lifecycle.ts";
import { recordEvents } from "../events/record.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";

/** Limits how long one transaction holds locks. */
const batch = 100;

/** Applies all that is due now; gives how many. */
export async function applyIdleRules(db: Database): Promise<number> {
  let sum = 0;
  for (;;) {
    const applied = await inTransaction(db, someOf);
    sum += applied;
    if (applied < batch) return sum;
  }
}

async function someOf(tx: Transaction): Promise<number> {
  const { rows } = await sql<Selectable<InstancesTable> & { idle_since: Date }>`
    select i.*, w.idle_since from instances i join idle_watches w on w.instance_id = i.id
    where i.idle_rule is not null and not w.is_done
      and i.state = any(${states.filter((state) => isReady[state])}::text[])
      and w.idle_since <= now() - make_interval(mins => (i.idle_rule ->> 'minutes')::integer)
      and w.idle_since >= i.wished_at
      and w.sampled_at > now() - make_interval(mins => ${longestGapMinutes})
    order by i.id
    limit ${batch}
    for update of i skip locked`.execute(tx);
  if (rows.length === 0) return 0;
  await sql`
    update idle_watches set is_done = true where instance_id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
  await recordEvents(
    tx,
    rows.map((row) => {
      const event = instanceEvent(row, "idle");
      return { ...event, data: { ...event.data, idle_since: row.idle_since.toISOString(), idle_rule: row.idle_rule } };
    }),
  );
  for (const action of ["stop", "terminate"] as const) {
    const chosen = rows.map(fromRow).filter(({ idleRule }) => idleRule?.action === action);
    await applyAction(tx, chosen, action, "idle");
  }
  return rows.length;
}
