// When the first boot of an instance began or will begin at the latest, from which its lifetime is reckoned while it was never
// active. Used where the ends of instances are expected.

import { type RawBuilder, sql } from "kysely";

/** Of a row `of` of instances. One whose engine has no capacity waits for it (reconciler/room.ts). */
export function bootBegan(of: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`greatest(${of}.wished_at, case when ${of}.room_try_at is not null then ${of}.waits_until end)`;
}
