// Whether what an instance is under notice for still needs it: a launch that waits and holds its line, or a reservation that
// has not begun. Used by fleet.ts and withdraw.ts.

import { type RawBuilder, sql } from "kysely";
import { scheduledReservation } from "../../rules/reservations.ts";
import { holdsLine } from "./beneficiaries.ts";

/** The position of what `instances i` is evicted for; null: that needs it no more. A reservation is before all launches. */
export const holderPosition: RawBuilder<number | null> = sql<number | null>`coalesce(
  (select w.position from waiting_launches w where w.id = i.evicted_for and ${holdsLine}),
  (select -1 from reservations r where r.id = i.evicted_for and r.state = ${sql.lit(scheduledReservation)}))`;
