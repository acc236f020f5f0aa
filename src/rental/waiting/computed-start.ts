// When a launch of several instances that waits is expected to fit as a whole. Others may use what it waits for meanwhile, if
// they surely end before (capacity/line.ts): otherwise what it could use already would be idle until all of it is there. One
// of a single instance needs no such time: it is placed as soon as anything fits, and while nothing does, its host is kept
// (earmarks.ts). Used by placer.ts.
//
// Invariant: the time only becomes earlier, and once it has passed the launch lets none past it any more. So whatever others
// promise, it waits no longer for them than it was told first.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { inTransaction } from "../../database/transaction.ts";
import { type SpotSettings, spotDefaults } from "../../rules/spot.ts";
import { holdsPlace } from "../capacity/line.ts";
import { instanceTypesNamed } from "../catalog/instance-type-store.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { expectedRoom, type RoomWanted } from "./expected-room.ts";

/** The first of a line, which needs several places. */
interface First extends RoomWanted {
  readonly id: string;
  readonly quantity: number;
  readonly instanceType: string;
}

/** Computes it for the first of each line. */
export async function computeStarts(db: Database, spot: SpotSettings = spotDefaults): Promise<void> {
  for (const first of await firsts(db)) await computeStart(db, first, spot);
}

/** Not of spot, which lets none past it: whatever is there would be evicted for others. */
async function firsts(db: Database): Promise<First[]> {
  const { rows } = await sql<First>`
    select first.id, first.position, first.quantity, l.instance_type as "instanceType", l.region, l.bound
    from launch_lines l join instance_types t on t.name = l.instance_type and t.gpus > 0 and not l.spot cross join lateral (
      select w.id, w.position, w.quantity, w.starts_at from waiting_launches w
      where w.line_id = l.id and ${holdsPlace} order by w.position limit 1) first
    where first.quantity > 1 and coalesce(first.starts_at > now(), true)`.execute(db);
  return rows;
}

async function computeStart(db: Database, first: First, { noticeSeconds }: SpotSettings): Promise<void> {
  const { id, quantity, instanceType } = first;
  await inTransaction(db, async (tx) => {
    const product = (await ask(tx, instanceTypesNamed(tx, [instanceType]))).get(instanceType);
    if (product === undefined) return;
    // All of it is in one region. What is there already is no time to come.
    const { rows } = await sql<{ starts_at: Date }>`
      update waiting_launches w set starts_at = expected.at
      from (
        select min(since) as at from (
          select since, row_number() over (partition by region order by since nulls last) as place
          from ${expectedRoom(product, first, noticeSeconds)} room) ranked
        where place = ${quantity}) expected
      where w.id = ${id} and ${holdsPlace} and expected.at > now() and coalesce(expected.at < w.starts_at, true)
      returning w.starts_at`.execute(tx);
    const [row] = rows;
    if (row === undefined) return;
    await sql`
      with kept as (select h.name from hosts h where h.earmarked_for = ${id} and h.earmark_from > ${row.starts_at}
        order by h.name for update)
      update hosts set earmark_from = ${row.starts_at} from kept where hosts.name = kept.name`.execute(tx);
    // Those behind it that end before have their turn now.
    await wakeReconciler(tx, "launches");
  });
}
