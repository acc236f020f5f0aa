// The pool metrics of the database: connections in use, and waiting requests.

import { type Database, poolState } from "../database/connect.ts";
import type { Metrics } from "./metrics.ts";

/** Reports the state of the pool behind `db` at each scrape. Nothing for a database without our pool. */
export function showPool(metrics: Metrics, db: Database): void {
  metrics.onScrape(() => {
    const state = poolState(db);
    if (state === undefined) return;
    metrics.set("lessor_database_connections", { state: "in use" }, state.inUse);
    metrics.set("lessor_database_connections", { state: "idle" }, state.idle);
    metrics.set("lessor_database_connections_most", {}, state.most);
    metrics.set("lessor_database_waiting", {}, state.waiting);
  });
}
