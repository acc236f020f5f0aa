// Notifies the reconciler on every replica that there is work. Only a hint: the committed row is the job, and polling
// finds it too. One notification per transaction and kind of work, sent by the database on commit.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";

/** The channel the reconciler listens on. */
export const workChannel = "lessor_work";

/** The kind of work; the notification's payload. */
export type Work =
  | "instances"
  | "file systems"
  | "events"
  | "webhooks"
  | "gpus"
  | "launches"
  | "evictions"
  | "emails"
  | "payments";

export async function wakeReconciler(tx: Transaction, work: Work = "instances"): Promise<void> {
  await behind(sql`select pg_notify(${workChannel}, ${work})`).execute(tx);
}
