// Maintenance jobs on the rental's own tables, each run by one replica at a time. Started by ../reconciler.ts. A new job is
// a file here and a line in the list.
//
// Invariant: a job can run twice, concurrently, or be interrupted anywhere without harm; the schedule (job-store.ts)
// only saves work.

import type { Database } from "../../database/connect.ts";
import type { Engine } from "../../engines/engine.ts";
import { deleteOldSessions } from "../../rental/accounts/console-sessions.ts";
import { deleteOldAuditEntries } from "../../rental/audit/audit-store.ts";
import { closeMonths } from "../../rental/billing/close-months.ts";
import type { CapacityCache } from "../../rental/capacity/cache.ts";
import { announceCapacity } from "../../rental/capacity-notices/announce.ts";
import { isAnnouncing } from "../../rental/capacity-notices/announced-capacity.ts";
import { deleteOldEvents } from "../../rental/events/retention.ts";
import { deleteOldMarks } from "../../rental/freshness.ts";
import { deleteOldBalanceNotices } from "../../rental/funds/exhausted.ts";
import { checkBalances } from "../../rental/funds/run-out.ts";
import { compactMetrics, deleteMetricsWithoutInstance, deleteOldMetrics } from "../../rental/guest-metrics/compact.ts";
import { deleteOldHostRecords } from "../../rental/hosts/retention.ts";
import { applyIdleRules } from "../../rental/idle/end-idle.ts";
import { deleteOldInstances, deleteUnusedUserData } from "../../rental/instances/past-instances.ts";
import { checkLedger } from "../../rental/ledger/differences.ts";
import { postUsage } from "../../rental/ledger/post-usage.ts";
import { checkBudgets } from "../../rental/limits/budget-alerts.ts";
import { endLifetimes } from "../../rental/limits/lifetimes.ts";
import { deleteOldNotices } from "../../rental/limits/retention.ts";
import { enforceSpendLimits } from "../../rental/limits/spend-limits.ts";
import { deleteOldWindows } from "../../rental/maintenance/retention.ts";
import { runWindows } from "../../rental/maintenance/run.ts";
import { emptyHosts } from "../../rental/moving/empty-hosts.ts";
import { deleteOldDevices } from "../../rental/people/device-sign-ins.ts";
import { deleteOldAttempts } from "../../rental/people/sign-in-attempts.ts";
import { deleteOldLinks } from "../../rental/people/sign-in-links.ts";
import { deleteOldReservations } from "../../rental/reservations/retention.ts";
import { runReservations } from "../../rental/reservations/run.ts";
import { deleteOldWaits } from "../../rental/waiting/retention.ts";
import { disableFailing } from "../../rental/webhooks/disable.ts";
import { deleteOldOrigins } from "../deliveries/pauses.ts";
import { deliveryDefaults } from "../deliveries/settings.ts";
import { deleteOldEmails, giveUpEmails } from "../emails/store.ts";
import { takeScheduledJob } from "../job-store.ts";
import type { Log } from "../log.ts";
import { afterStart, type Periodic, periodically } from "../periodic.ts";
import type { Settings } from "../settings.ts";
import { deleteOldDeliveries } from "./delivery-retention.ts";
import { deleteOldIdempotencyKeys } from "./idempotency-key-retention.ts";

export interface MaintenanceDependencies {
  readonly db: Database;
  readonly settings: Settings;
  readonly log: Log;
  readonly engines: ReadonlyMap<string, Engine>;
  /** What is free, for capacity notices. Undefined: none is given. */
  readonly capacity?: CapacityCache | undefined;
}

export interface MaintenanceJob {
  /** For the log, and the key of its schedule. */
  readonly name: string;
  readonly everySeconds: (settings: Settings) => number;
  /** Asked before each run, so that a frequent job writes nothing while there is nothing to do. Default: always. */
  readonly isNeeded?: (parts: MaintenanceDependencies) => Promise<boolean>;
  /** `signal`: aborted when the replica stops. */
  readonly run: (parts: MaintenanceDependencies, signal: AbortSignal) => Promise<unknown>;
}

export const maintenanceJobs: readonly MaintenanceJob[] = [
  {
    name: "enforcing spend limits",
    everySeconds: ({ limitCheckSeconds }) => limitCheckSeconds,
    run: async ({ db, log }) => {
      const ended = await enforceSpendLimits(db);
      if (ended > 0)
        log.warn(
          { ended },
          "terminated instances that reached a spend limit; see events account.spend_limit_reached and token.spend_limit_reached",
        );
      await checkBudgets(db);
    },
  },
  {
    name: "checking balances",
    everySeconds: ({ limitCheckSeconds }) => limitCheckSeconds,
    run: async ({ db, settings, log }) => {
      const ended = await checkBalances(db, settings.balance);
      if (ended > 0)
        log.info({ ended }, "stopped or terminated instances whose account has no money; see events balance.exhausted");
    },
  },
  {
    name: "ending lifetimes",
    everySeconds: ({ limitCheckSeconds }) => limitCheckSeconds,
    run: async ({ db, log }) => {
      const { ended } = await endLifetimes(db);
      if (ended > 0) log.info({ ended }, "terminated instances whose lifetime ended");
    },
  },
  {
    name: "applying idle rules",
    everySeconds: ({ limitCheckSeconds }) => limitCheckSeconds,
    run: async ({ db, log }) => {
      const applied = await applyIdleRules(db);
      if (applied > 0) log.info({ applied }, "applied idle rules; see events instance.idle");
    },
  },
  {
    name: "announcing capacity",
    everySeconds: ({ capacityReadSeconds }) => capacityReadSeconds,
    isNeeded: async ({ db, capacity }) => capacity !== undefined && (await isAnnouncing(db)),
    run: async ({ db, log, capacity }) => {
      const announced = capacity === undefined ? 0 : await announceCapacity(db, capacity);
      if (announced > 0) log.info({ announced }, "announced capacity; see events capacity.available");
    },
  },
  {
    name: "moving instances off hosts",
    everySeconds: ({ sweepSeconds }) => sweepSeconds,
    run: async ({ db, log, engines }, signal) => {
      const able = [...engines.values()].filter(({ mover }) => mover !== undefined).map(({ name }) => name);
      const begun = await emptyHosts(db, new Set(able), signal);
      if (begun > 0) log.info({ begun }, "began to move stopped instances off hosts that are emptied");
    },
  },
  {
    name: "running maintenance windows",
    everySeconds: ({ limitCheckSeconds }) => limitCheckSeconds,
    run: async ({ db, settings, log }, signal) => {
      const done = await runWindows(db, { isBilled: settings.downtime.policy === "none", signal });
      if (Object.values(done).some((count) => count > 0)) log.info({ ...done }, "ran maintenance windows of hosts");
    },
  },
  {
    name: "running reservations",
    everySeconds: ({ limitCheckSeconds }) => limitCheckSeconds,
    run: async ({ db, settings, log }, signal) => {
      const bootSeconds = settings.bootDeadlineSeconds;
      const done = await runReservations(db, { settings: settings.reservations, bootSeconds, signal });
      if (Object.values(done).some((count) => count > 0)) log.info({ ...done }, "ran reservations");
      if (done.atRisk > 0)
        log.warn(
          { slots: done.atRisk },
          "hosts cannot keep what is promised to reservations; see events reservation.at_risk",
        );
    },
  },
  {
    name: "deleting old reservations",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db, settings }) => deleteOldReservations(db, settings.auditDays),
  },
  {
    name: "closing months",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: async ({ db, log }) => {
      for (const month of await closeMonths(db)) log.info({ month }, "month closed");
    },
  },
  {
    name: "posting usage to the ledger",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }) => postUsage(db),
  },
  {
    // Reads all of it.
    name: "checking the ledger",
    everySeconds: ({ choreSeconds }) => 4 * choreSeconds,
    run: async ({ db, log }) => {
      for (const difference of await checkLedger(db)) log.error({ difference }, "the books of the ledger disagree");
    },
  },
  {
    name: "deleting idempotency keys",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }) => deleteOldIdempotencyKeys(db),
  },
  {
    name: "deleting sessions of the console",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: async ({ db }) => {
      await deleteOldSessions(db);
      await deleteOldLinks(db);
      await deleteOldAttempts(db);
      await deleteOldDevices(db);
    },
  },
  {
    name: "deleting old marks of changes",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }) => deleteOldMarks(db),
  },
  {
    name: "switching off webhooks that fail",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: async ({ db, settings, log }) => {
      const disabled = await disableFailing(db, deliveryDefaults(settings.deliveries).disableAfterSeconds);
      if (disabled > 0) log.info({ disabled }, "disabled webhooks; see events webhook.disabled");
      await deleteOldOrigins(db);
    },
  },
  {
    name: "deleting webhook deliveries",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }, signal) => deleteOldDeliveries(db, signal),
  },
  {
    name: "deleting old emails",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: async ({ db, settings }) => {
      // Nothing sends those that wait from a time when email was configured; elsewhere emails.ts gives them up.
      if (settings.email === undefined) await giveUpEmails(db);
      await deleteOldEmails(db);
    },
  },
  {
    name: "deleting old audit entries",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db, settings }) => deleteOldAuditEntries(db, settings.auditDays),
  },
  {
    name: "deleting old maintenance windows",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db, settings }) => deleteOldWindows(db, settings.auditDays),
  },
  {
    name: "deleting old events",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db, settings }, signal) => deleteOldEvents(db, settings.eventDays, signal),
  },
  {
    name: "deleting terminated instances",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db, settings }, signal) => deleteOldInstances(db, settings.terminatedReadableDays, signal),
  },
  {
    name: "deleting launches that waited",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db, settings }, signal) => deleteOldWaits(db, settings.terminatedReadableDays, signal),
  },
  {
    name: "deleting unused user data",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }, signal) => deleteUnusedUserData(db, signal),
  },
  {
    name: "deleting old outages of hosts",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }) => deleteOldHostRecords(db),
  },
  {
    name: "making old metrics of guests coarser",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }, signal) => compactMetrics(db, signal),
  },
  {
    name: "deleting old metrics of guests",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: ({ db }) => deleteOldMetrics(db),
  },
  {
    // Reads all of them, and hardly ever finds one.
    name: "deleting metrics of deleted instances",
    everySeconds: ({ choreSeconds }) => Math.min(36 * choreSeconds, 86_400),
    run: ({ db }) => deleteMetricsWithoutInstance(db),
  },
  {
    name: "deleting old notices of spend limits",
    everySeconds: ({ choreSeconds }) => choreSeconds,
    run: async ({ db }) => {
      await deleteOldNotices(db);
      await deleteOldBalanceNotices(db);
    },
  },
];

/** Starts all of them. */
export function startMaintenance(parts: MaintenanceDependencies): Periodic[] {
  return maintenanceJobs.map(({ name, everySeconds, isNeeded, run }) => {
    const seconds = everySeconds(parts.settings);
    const inTurn = async (signal: AbortSignal) => {
      if (isNeeded !== undefined && !(await isNeeded(parts))) return;
      if (await takeScheduledJob(parts.db, name, seconds)) await run(parts, signal);
    };
    const firstAfter = afterStart(seconds, parts.settings.firstJobsSeconds);
    return periodically(name, seconds, parts.log, inTurn, { firstAfter });
  });
}
