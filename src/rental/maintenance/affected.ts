// Which instances a maintenance window affects, and which windows an instance or an account has. Used by window-store.ts
// and window-events.ts.
//
// Invariant: a customer learns of windows of hosts with own instances only, and never the host or another account.

import { type RawBuilder, sql } from "kysely";
import { finalState } from "../../rules/lifecycle.ts";

/**
 * The condition that `instances i` is affected by `maintenance_windows w`: it is on the host, and was before the window
 * was over.
 */
export const isAffected: RawBuilder<boolean> = sql<boolean>`(
  i.host = w.host and i.state <> ${sql.lit(finalState)} and i.created_at < coalesce(w.ended_at, 'infinity'))`;

/** The same, or it was stopped for the window and has ended since, as with a lost host. */
export const wasAffected: RawBuilder<boolean> = sql<boolean>`(${isAffected} or i.stopped_for = w.id)`;
