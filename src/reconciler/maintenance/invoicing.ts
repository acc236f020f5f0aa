// Issues invoices, by one replica at a time (rental/invoices/issue.ts). Started by ../reconciler.ts. Not one of the
// maintenance jobs, because each replica first writes whether it is configured to.

import type { Database } from "../../database/connect.ts";
import { issueInvoices, keepInvoicing } from "../../rental/invoices/issue.ts";
import { takeScheduledJob } from "../job-store.ts";
import type { Log } from "../log.ts";
import { type Periodic, periodically } from "../periodic.ts";
import type { Settings } from "../settings.ts";

/** Starts at once. Without a database it does not fail but retries. */
export function startInvoicing(db: Database, { invoices, choreSeconds }: Settings, log: Log): Periodic {
  const name = "issuing invoices";
  let isKept = false;
  return periodically(name, choreSeconds, log, async (signal) => {
    if (!isKept) await keepInvoicing(db, invoices);
    isKept = true;
    if (invoices === undefined || !(await takeScheduledJob(db, name, choreSeconds))) return;
    const issued = await issueInvoices(db, invoices, signal);
    if (issued > 0) log.info({ issued }, "issued invoices; see events invoice.issued");
  });
}
