// Tells the reconciler, on every replica, that there is work. A hint only: the committed row is the job, and polling finds
// it too. One notification a transaction for each kind of work, sent by the database when it commits.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";

/** The channel the reconciler listens on. */
export const workChannel = "lessor_work";

/** What there is to do; the notification's payload. */
export type Work = "instances" | "file systems" | "events" | "webhooks";

export async function wakeReconciler(tx: Transaction, work: Work = "instances"): Promise<void> {
  await behind(sql`select pg_notify(${workChannel}, ${work})`).execute(tx);
}
