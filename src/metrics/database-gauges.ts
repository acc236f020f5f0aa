// The metrics from the database, for scrapes that never wait long for it: readings are cached for some seconds, one
// reading at a time is in progress, and a scrape waits for it up to a deadline. An unavailable or slow database makes
// these values old (lessor_database_gauges_age_seconds is their age), and after a minute absent; it never makes a
// scrape fail.

import type { Database } from "../database/connect.ts";
import type { Metrics } from "./metrics.ts";
import { readGauges } from "./readings.ts";
import { metricNames, metricTable, type NameOf } from "./table.ts";

export interface DatabaseGauges {
  /** Resolves when no reading is in progress. No reading starts after this call. */
  close(): Promise<void>;
}

/** Younger values are not read again: two scrapers, or a person who reloads, cost nothing. */
const freshMs = 5_000;
/** How long a scrape waits. Prometheus gives up after ten seconds by default. */
const deadlineMs = 2_000;
/** Older values would be misleading. */
const oldMs = 60_000;

/** `read` is a parameter for the test. */
export function showDatabase(
  metrics: Metrics,
  db: Database,
  onError: (error: unknown) => void,
  { read = readGauges, waitMs = deadlineMs } = {},
): DatabaseGauges {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let isClosed = false;
  const forget = () => {
    for (const name of fromDatabase) metrics.setAll(name, []);
  };
  // A value that was never read is not 0.
  forget();

  async function readNow(): Promise<void> {
    const began = performance.now();
    try {
      const apply = await read(db);
      apply(metrics);
      readAt = began;
    } catch (error) {
      onError(error);
    }
    reading = undefined;
  }

  metrics.onScrape(async () => {
    if (!isClosed && performance.now() - readAt > freshMs) {
      reading ??= readNow();
      await withinMs(waitMs, reading);
    }
    const age = performance.now() - readAt;
    if (age > oldMs) forget();
    metrics.setAll("lessor_database_gauges_age_seconds", Number.isFinite(age) ? [[{}, age / 1000]] : []);
  });

  return {
    close: async () => {
      isClosed = true;
      await reading;
    },
  };
}

const fromDatabase = metricNames.filter(
  (name): name is NameOf<"gauge"> => metricTable[name].from === "database" && metricTable[name].kind === "gauge",
);

async function withinMs(ms: number, work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, late]);
  clearTimeout(timer);
}
