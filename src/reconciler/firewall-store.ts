// The SQL of firewall rules that were applied at an engine. Every change of an instance's rules (rental/firewall)
// increments `firewall_wished`; `firewall_applied` follows. Used by reconcile.ts.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { Job } from "./lease-store.ts";

/** Records the rules of the time of the claim as applied. Does nothing if the lease was lost. */
export async function filtered(db: Database, job: Pick<Job, "id" | "lease_owner" | "firewall_wished">): Promise<void> {
  await sql`
    update instances set firewall_applied = ${job.firewall_wished}
    where id = ${job.id} and lease_owner = ${job.lease_owner} and firewall_applied < ${job.firewall_wished}`.execute(
    db,
  );
}
