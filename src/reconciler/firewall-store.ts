// The SQL of firewall rules that an engine was told of. The wish is a number in the instance's row that every change of its
// rules raises (rental/firewall); what was applied follows it. Used by reconcile.ts.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { Job } from "./lease-store.ts";

/** Its engine was told of the rules that were wished when the job was claimed. Nothing where the lease was lost since. */
export async function filtered(db: Database, job: Pick<Job, "id" | "lease_owner" | "firewall_wished">): Promise<void> {
  await sql`
    update instances set firewall_applied = ${job.firewall_wished}
    where id = ${job.id} and lease_owner = ${job.lease_owner} and firewall_applied < ${job.firewall_wished}`.execute(
    db,
  );
}
