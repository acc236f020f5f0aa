// The maintenance that an instance has ahead or has now, as its account sees it. Read with the status of instances
// (instances/reconcile-status.ts).

import { type RawBuilder, sql } from "kysely";
import { asMaintenanceMode, asWindowPhase } from "../../rules/maintenance.ts";
import { isOpen, type MaintenanceWindow } from "./window.ts";

export type NextWindow = Pick<
  MaintenanceWindow,
  "id" | "beginsAt" | "endsAt" | "reason" | "mode" | "phase" | "deferrableUntil"
>;

/** In JSON, times are texts. */
export interface NextWindowColumns {
  readonly id: string;
  readonly begins_at: string;
  readonly ends_at: string;
  readonly reason: string;
  readonly mode: string;
  readonly phase: string;
  readonly deferrable_until: string | null;
}

/** The next or current window of the host of `instances i`, as JSON; null: none. */
export const nextWindow: RawBuilder<NextWindowColumns | null> = sql<NextWindowColumns | null>`(
  select jsonb_build_object('id', w.id, 'begins_at', w.begins_at, 'ends_at', w.ends_at, 'reason', w.reason,
    'mode', w.mode, 'phase', w.phase, 'deferrable_until', w.deferrable_until)
  from maintenance_windows w where w.host = i.host and ${isOpen} and i.terminated_at is null
  order by w.begins_at limit 1)`;

export function nextWindowFrom(row: NextWindowColumns): NextWindow {
  return {
    id: row.id,
    beginsAt: new Date(row.begins_at),
    endsAt: new Date(row.ends_at),
    reason: row.reason,
    mode: asMaintenanceMode(row.mode),
    phase: asWindowPhase(row.phase),
    deferrableUntil: row.deferrable_until === null ? null : new Date(row.deferrable_until),
  };
}
