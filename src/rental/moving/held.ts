// An instance that returned from the lost host that it was moved to (lost-moves.ts), and that may still run there: it does
// not start where it is until that host is surely off. Used by the reconciler, begin-move.ts and follow-move.ts.
//
// Invariant: nothing starts elsewhere while its first copy may still run (hosts/verified-off.ts). What ends a hold is the
// same: the host is verified to be off, has returned and is clean, or is deleted, and the record of the move with it.

import { type RawBuilder, sql } from "kysely";
import { lostMode } from "../../rules/host-lifecycle.ts";

/** The failure code of such a move. */
export const targetMayRun = "target-may-run";

/** The condition that the instance of `moves m` is held. */
export const isHeld: RawBuilder<boolean> = sql<boolean>`(m.failure_code = ${sql.lit(targetMayRun)} and exists (
  select from hosts lost where lost.name = m.to_host and lost.mode = ${sql.lit(lostMode)} and lost.off_since is null))`;
