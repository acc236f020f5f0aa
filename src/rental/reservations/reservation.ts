// A reservation as the rental uses it, from its row. rules/reservations.ts has its states. Used by every file of this
// folder and by the control interface.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import type { ReservationsTable } from "../../database/tables/reservations.ts";
import {
  asReservationState,
  openReservationStates,
  type ReservationState,
  reservationStatesInForce,
} from "../../rules/reservations.ts";
import type { Stay } from "../capacity/host-future.ts";
import { instanceTypeOf } from "../catalog/instance-type-store.ts";
import type { InstanceType } from "../instances/instance.ts";

export interface Reservation {
  readonly id: string;
  readonly accountId: string;
  readonly tokenId: string;
  readonly name: string;
  readonly state: ReservationState;
  readonly region: string;
  /** As it was when the reservation was made, with the price of one. */
  readonly product: InstanceType;
  readonly quantity: number;
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** What its hosts need before it and after it. */
  readonly handoverSeconds: number;
  readonly createdAt: Date;
  /** Null: it has not begun. It is billed from then on. */
  readonly startedAt: Date | null;
  /** Capacity was missing at its begin: it is billed from when that is there. */
  readonly beginsLate: boolean;
  /** Null: it is not over. */
  readonly endedAt: Date | null;
  /** Why it is unfulfilled. */
  readonly reason: string | null;
  /** The last warning before its end, in seconds before it. */
  readonly warnedSeconds: number | null;
  /** Since when hosts cannot keep what is promised, and no others can; null: all is promised. */
  readonly atRiskSince: Date | null;
}

export type ReservationRow = Selectable<ReservationsTable>;

export function reservationFrom(row: ReservationRow): Reservation {
  // As admit.ts has written it.
  const type = instanceTypeOf(row.type as Selectable<InstanceTypesTable>);
  return {
    id: row.id,
    accountId: row.account_id,
    tokenId: row.token_id,
    name: row.name,
    state: asReservationState(row.state),
    region: row.region,
    product: { ...type, priceCentsPerHour: row.price_cents_per_hour },
    quantity: row.quantity,
    beginsAt: row.begins_at,
    endsAt: row.ends_at,
    handoverSeconds: row.handover_seconds,
    createdAt: row.created_at,
    startedAt: row.started_at,
    beginsLate: row.begins_late,
    endedAt: row.ended_at,
    reason: row.reason,
    warnedSeconds: row.warned_seconds,
    atRiskSince: row.at_risk_since,
  };
}

/** What is left of its time. Spot instances that have what is promised are evicted in time (spot/for-reservations.ts). */
export function stayOf({ beginsAt, endsAt, handoverSeconds }: Reservation, nowMs: number): Stay {
  return {
    fromMs: Math.max(beginsAt.getTime(), nowMs),
    endsMs: endsAt.getTime(),
    handoverMs: handoverSeconds * 1000,
    noticeMs: 0,
  };
}

const words = (list: readonly string[]) => sql.join(list.map((word) => sql.lit(word)));

/** Conditions on `reservations r`, written so that the partial indexes serve them. */
export const isOpenReservation: RawBuilder<boolean> = sql<boolean>`r.state in (${words(openReservationStates)})`;
export const isReservationInForce: RawBuilder<boolean> = sql<boolean>`r.state in (${words(reservationStatesInForce)})`;
