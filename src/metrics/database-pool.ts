// The pool's side of the database metrics: who has a connection, and who waits for one.

import { type Database, poolState } from "../database/connect.ts";
import type { Metrics } from "./metrics.ts";

/** Shows the state of the pool behind `db` at each scrape. Shows nothing of a database that has no pool of ours. */
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
