// Stores what guests reported, for many instances in one statement. Used by the collector (reconciler/guest-metrics/).
//
// Invariant: a sample adds to its own instance's row of its minute and to nothing else, and the size of a row is
// limited, whatever is written again or by two servers at once. Does not wait for the disk: a crash of the database can
// lose the last second.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { placeOf } from "./levels.ts";
import { packed } from "./packed.ts";
import type { Point } from "./point.ts";

export interface ArrivedPoint {
  readonly instanceId: string;
  readonly point: Point;
}

/** In one row. One server writes four in a minute. */
const mostPoints = 16;

/** `at`: when they arrived. At most one of each instance. */
export async function writePoints(db: Database, at: Date, points: readonly ArrivedPoint[]): Promise<void> {
  if (points.length === 0) return;
  const { chunk, place } = placeOf(0, Math.floor(at.getTime() / 1000));
  // One text for all: an array of as many parameters costs several times as much.
  const rows = points.map(({ instanceId, point }) => `${instanceId} ${packed([{ place, point }]).toString("hex")}`);
  await sql`
    insert into guest_metrics_recent as old (minute, instance_id, data)
    select ${chunk}, split_part(line, ' ', 1)::uuid, decode(split_part(line, ' ', 2), 'hex')
    from unnest(string_to_array(${rows.join("\n")}, ${"\n"})) as line
    where set_config('synchronous_commit', 'off', true) = 'off'
    on conflict (minute, instance_id) do update set data = old.data || excluded.data
    where octet_length(old.data) < ${mostPoints} * octet_length(excluded.data)`.execute(db);
}
