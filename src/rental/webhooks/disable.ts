// Disables webhooks automatically, with an event that says why. Used by the reconciler: after an attempt
// (deliveries/outcome.ts), and periodically for those without attempts (maintenance/).

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { recordEvents } from "../events/record.ts";
import { type DisabledReason, webhookEvent } from "./webhook.ts";

/** The caller holds the lock of its row, and it is active. */
export async function disableWebhook(tx: Transaction, id: string, reason: DisabledReason): Promise<void> {
  const row = await tx
    .updateTable("webhooks")
    .set({ active: false, disabled_reason: reason })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordEvents(tx, [webhookEvent(row, "disabled")]);
}

/**
 * Disables webhooks that have failed for this long and have nothing pending, so that no attempt decides about them.
 * Returns how many.
 */
export async function disableFailing(db: Database, afterSeconds: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: string }>`
      select w.id from webhooks w
      where w.active and w.failing_since <= now() - make_interval(secs => ${afterSeconds}::float8)
        and w.pending = 0 and (w.lease_until is null or w.lease_until <= now())
      order by w.id limit 100
      for update skip locked`.execute(tx);
    for (const { id } of rows) await disableWebhook(tx, id, "failing");
    return rows.length;
  });
}
