// Which spot instances can be evicted, which are under notice, and whether what they are under notice for still needs that:
// conditions on `instances i` and `waiting_launches w`. Used by this folder, and by capacity/host-future.ts for what
// reservations can count on, and billing/spans.ts for what costs nothing.

import { type RawBuilder, sql } from "kysely";
import { finalState, isLive, statesWhere } from "../../rules/lifecycle.ts";
import { scheduledReservation } from "../../rules/reservations.ts";
import { holdsPlace } from "../capacity/line.ts";
import { holdsBoth } from "../moving/move-sql.ts";

/** Live: it holds its capacity until it is evicted, or ends otherwise. */
const isStanding: RawBuilder<boolean> = sql<boolean>`i.state = any(${statesWhere(isLive)}::text[])`;

/** One that moves is on two hosts, and is left alone until it is on one. */
export const isEvictable: RawBuilder<boolean> = sql<boolean>`(i.spot and ${isStanding} and not exists (
  select from moves m where m.instance_id = i.id and ${holdsBoth}))`;

/** Its notice runs. */
export const isUnderNotice: RawBuilder<boolean> = sql<boolean>`(i.evict_at is not null and i.terminated_at is null and ${isStanding})`;

/** So long the removal of an instance is counted on: one that takes longer may never end. */
const removalMinutes = 10;

/** It is being removed: its capacity is free soon, and nothing has to be done for that. */
export const isLeaving: RawBuilder<boolean> = sql<boolean>`(coalesce(
  i.terminating_at > now() - make_interval(mins => ${removalMinutes}), false) and i.state <> ${sql.lit(finalState)})`;

/** Whether `waiting_launches w` holds its line and can have others evicted. */
export const holdsLine: RawBuilder<boolean> = sql<boolean>`(${holdsPlace} and not w.spot)`;

/**
 * The position of what `instances i` is evicted for: a launch that waits, or a reservation that has not begun, which is before
 * all launches. Null: that needs it no more.
 */
export const holderPosition: RawBuilder<number | null> = sql<number | null>`coalesce(
  (select w.position from waiting_launches w where w.id = i.evicted_for and ${holdsLine}),
  (select -1 from reservations r where r.id = i.evicted_for and r.state = ${sql.lit(scheduledReservation)}))`;

/** What it is evicted for is of its own account. */
export const isForOwnAccount: RawBuilder<boolean> = sql<boolean>`(
  exists (select from waiting_launches w where w.id = i.evicted_for and w.account_id = i.account_id)
  or exists (select from reservations r where r.id = i.evicted_for and r.account_id = i.account_id))`;
