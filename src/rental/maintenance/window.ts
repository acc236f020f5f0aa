// A maintenance window as the rental uses it, from its row. Used by every file of this folder and by the control
// interface.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { MaintenanceWindowsTable } from "../../database/tables/maintenance.ts";
import {
  asMaintenanceMode,
  asWindowPhase,
  type MaintenanceMode,
  movingModes,
  openPhases,
  phasesInForce,
  stoppingModes,
  type WindowPhase,
} from "../../rules/maintenance.ts";

export interface MaintenanceWindow {
  readonly id: string;
  /** Shared by the windows of one request. */
  readonly groupId: string;
  readonly host: string;
  readonly beginsAt: Date;
  readonly endsAt: Date;
  /** One line, which customers read. */
  readonly reason: string;
  readonly mode: MaintenanceMode;
  readonly phase: WindowPhase;
  readonly revision: number;
  /** The latest begin that customers can choose; null: they cannot defer it. */
  readonly deferrableUntil: Date | null;
  readonly deferredAt: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  /** When it ended or was canceled. */
  readonly endedAt: Date | null;
}

export type WindowRow = Selectable<MaintenanceWindowsTable>;

export function windowFrom(row: WindowRow): MaintenanceWindow {
  return {
    id: row.id,
    groupId: row.group_id,
    host: row.host,
    beginsAt: row.begins_at,
    endsAt: row.ends_at,
    reason: row.reason,
    mode: asMaintenanceMode(row.mode),
    phase: asWindowPhase(row.phase),
    revision: row.revision,
    deferrableUntil: row.deferrable_until,
    deferredAt: row.deferred_at,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

const words = (list: readonly string[]) => sql.join(list.map((word) => sql.lit(word)));

/** Conditions on `maintenance_windows w`, written so that the partial indexes serve them. */
export const isOpen: RawBuilder<boolean> = sql<boolean>`w.phase in (${words(openPhases)})`;
export const isInForce: RawBuilder<boolean> = sql<boolean>`w.phase in (${words(phasesInForce)})`;
export const stopsInstances: RawBuilder<boolean> = sql<boolean>`w.mode in (${words(stoppingModes)})`;
export const movesInstances: RawBuilder<boolean> = sql<boolean>`w.mode in (${words(movingModes)})`;
