// Checks payments and payment methods that are due, and reads what changed at their provider. Started by ../reconciler.ts; any number of replicas
// can run it on the same database: a payment is checked by one of them at a time, and the changes are read by one.
//
// Invariant: the log has ids and the provider's codes: nothing that it was sent or says.

import type { Database } from "../../database/connect.ts";
import type { Payments } from "../../payments/driver.ts";
import { takeScheduledJob } from "../job-store.ts";
import { type Log, reason } from "../log.ts";
import { type Periodic, periodically } from "../periodic.ts";

export interface PaymentJobParts {
  readonly db: Database;
  readonly payments: Payments;
  /** The poll interval, between two readings of the changes, and between two looks for automatic top-ups. */
  readonly seconds: readonly [poll: number, changes: number, automatic: number];
  readonly log: Log;
}

/** Starts at once. Without a database or a provider it does not fail but retries. */
export function startPayments({ db, payments, seconds: [poll, changes, automatic], log }: PaymentJobParts): Periodic {
  return periodically(
    "checking payments",
    poll,
    log,
    async (stop) => {
      if (await takeScheduledJob(db, "payment changes", changes)) {
        await payments.readChanges().catch((error: unknown) => {
          log.warn({ error: reason(error) }, "changes of payments not read");
        });
      }
      if (await takeScheduledJob(db, "auto top-ups", automatic)) await payments.orderAutomatic();
      while (!stop.aborted) {
        const checked = await payments.checkNext();
        if (checked === undefined) break;
        if (checked.problem !== undefined)
          log.warn({ payment: checked.id, error: checked.problem }, "payment not checked");
      }
      while (!stop.aborted) {
        const checked = await payments.methods.checkNext();
        if (checked === undefined) break;
        if (checked.problem !== undefined)
          log.warn({ paymentMethod: checked.id, error: checked.problem }, "payment method not checked");
      }
    },
    { rest: 0 },
  );
}
