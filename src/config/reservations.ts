// The settings of reservations (lessor.yaml `reservations` and `limits.reservations`): what follows from capacity that is
// missing, what hosts need between two customers, and the bounds of reservations. Schema and parsed form. Used by
// config.ts and file-schema.ts.

import { type Static, Type } from "typebox";
import {
  type ReservationBounds,
  type ReservationSettings,
  reservationBounds,
  reservationSettings,
  undeliveredPolicies,
} from "../rules/reservations.ts";
import { choice, group, integer, seconds } from "../settings/schema-parts.ts";

export const ReservationsSchema = Type.Optional(
  group({
    unfulfilled: choice(undeliveredPolicies),
    tolerance_seconds: seconds(0, 86_400),
    handover_seconds: integer(0, 86_400),
  }),
);

export const ReservationBoundsSchema = Type.Optional(
  group({
    max_days_ahead: integer(0, 3650),
    max_days: integer(1, 3650),
    min_minutes: integer(1, 1_000_000),
    per_account: integer(0, 100_000),
    cancel_notice_hours: integer(0, 8760),
  }),
);

export function resolveReservations(settings: Static<typeof ReservationsSchema> | undefined): ReservationSettings {
  return {
    unfulfilled: settings?.unfulfilled ?? reservationSettings.unfulfilled,
    toleranceSeconds: settings?.tolerance_seconds ?? reservationSettings.toleranceSeconds,
    handoverSeconds: settings?.handover_seconds ?? reservationSettings.handoverSeconds,
  };
}

export function resolveReservationBounds(
  settings: Static<typeof ReservationBoundsSchema> | undefined,
): ReservationBounds {
  return {
    mostDaysAhead: settings?.max_days_ahead ?? reservationBounds.mostDaysAhead,
    longestDays: settings?.max_days ?? reservationBounds.longestDays,
    shortestMinutes: settings?.min_minutes ?? reservationBounds.shortestMinutes,
    perAccount: settings?.per_account ?? reservationBounds.perAccount,
    cancelNoticeHours: settings?.cancel_notice_hours ?? reservationBounds.cancelNoticeHours,
  };
}
