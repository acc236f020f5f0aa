// Whether Nova's services have come up: each counts its heartbeats in the database, the first some seconds after it listens
// to the bus. What its row says of before is of no use: a service that was killed seems up for a while.

import { sql } from "./databases.ts";
import type { Layout } from "./layout.ts";

/** A row of Nova's: "nova-compute gpu1". */
export type Beating = `nova-${"compute" | "conductor" | "scheduler"} ${string}`;

/** A check that holds when each of them has sent a heartbeat since now. */
export async function beatsFromNow(layout: Layout, services: readonly Beating[]): Promise<() => Promise<boolean>> {
  const before = await counts(layout);
  return async () => {
    const now = await counts(layout);
    return services.every((one) => (now.get(one) ?? 0) > (before.get(one) ?? 0));
  };
}

async function counts(layout: Layout): Promise<ReadonlyMap<string, number>> {
  const rows = await sql(layout, "select `binary`, host, report_count from nova_cell1.services where deleted = 0");
  return new Map(
    rows.split("\n").map((row) => {
      const [binary, host, count] = row.split("\t");
      return [`${binary} ${host}`, Number(count)];
    }),
  );
}
