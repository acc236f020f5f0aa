// The line of a waiting launch: what it needs of a host (capacity/line.ts). Used by begin-wait.ts and placer.ts.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { HostBound } from "../capacity/host-order.ts";

export interface LaunchLine {
  readonly instanceType: string;
  /** Undefined: every one. */
  readonly region: string | undefined;
  readonly bound: HostBound | undefined;
  readonly isSpot: boolean;
  /** Not of its line, but its own. Null: unlimited, or not known. */
  readonly lifetimeSeconds: number | null;
}

/** Its id; it is made if there is none. */
export async function lineId(
  tx: Transaction,
  { instanceType, region, bound = {}, isSpot }: LaunchLine,
): Promise<string> {
  const { engine, host, except, labels, driverBranch } = bound;
  const values = [
    instanceType,
    region ?? null,
    JSON.stringify({ engine, host, except, labels, driverBranch }),
  ] as const;
  const [type, place, text] = values;
  // An update that changes nothing, so that one that is there already is returned too.
  const { rows } = await sql<{ id: string }>`
    insert into launch_lines (instance_type, region, bound, spot) values (${type}, ${place}, ${text}::jsonb, ${isSpot})
    on conflict (instance_type, region, bound, spot) do update set region = excluded.region returning id`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error("BUG: a line was neither found nor made");
  return id;
}
