// Control interface: a maintenance window in requests and responses. Used by maintenance.ts and by the view of an
// instance. Invariant: an account sees neither the host nor who decided, nor instances of others.

import { Type } from "typebox";
import type { NextWindow } from "../../../rental/maintenance/next-window.ts";
import type { ReadWindow } from "../../../rental/maintenance/window-store.ts";
import type { Principal } from "../../../rental/service.ts";
import {
  type MaintenanceMode,
  maintenanceModes,
  modeTraits,
  phaseTraits,
  windowPhases,
} from "../../../rules/maintenance.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";

const from = () => Type.String({ format: "date-time", description: "When it begins." });
const to = () => Type.String({ format: "date-time", description: "When it ends." });
const reason = () => Type.String({ description: "Why, in the operator's words." });
export const maintenanceMode = () =>
  Type.Enum(maintenanceModes, {
    title: "MaintenanceMode",
    description: maintenanceModes.map((mode) => `\`${mode}\`: ${modeTraits[mode].meaning}`).join(" "),
  });
export const phase = () =>
  Type.Enum(windowPhases, {
    title: "MaintenancePhase",
    description: windowPhases.map((one) => `\`${one}\`: ${phaseTraits[one].meaning}`).join(" "),
  });
const deferrableUntil = () =>
  field.orNull(field.timestamp(), "The latest begin that an account can choose for it; null: it cannot be deferred.");

/** In an instance. */
export const InstanceMaintenance = Type.Object(
  {
    id: field.uuid(),
    from: from(),
    to: to(),
    reason: reason(),
    mode: maintenanceMode(),
    phase: phase(),
    deferrable_until: deferrableUntil(),
  },
  { title: "InstanceMaintenance" },
);

export function instanceMaintenance(window: NextWindow) {
  return {
    id: window.id,
    from: window.beginsAt.toISOString(),
    to: window.endsAt.toISOString(),
    reason: window.reason,
    mode: window.mode,
    phase: window.phase,
    deferrable_until: window.deferrableUntil?.toISOString() ?? null,
  };
}

/** The account's view; the operator scope sees all fields. */
export const ShownWindow = Type.Object(
  {
    ...InstanceMaintenance.properties,
    deferred_at: field.orNull(field.timestamp(), "When an account last deferred it; null: none did."),
    instance_ids: Type.Array(field.uuid(), {
      description: "The instances on the host; without the operator scope only yours.",
    }),
    created_at: field.timestamp(),
    started_at: field.orNull(field.timestamp()),
    ended_at: field.orNull(field.timestamp(), "When it ended or was canceled."),
    host: Type.Optional(field.name("us-east-1-h100-01")),
    group_id: Type.Optional(Type.String({ format: "uuid", description: "Shared by the windows of one request." })),
    revision: Type.Optional(Type.Integer({ description: "Increases with every change." })),
    created_by: Type.Optional(Type.String({ description: "The name of the operator's account." })),
    deferred_by: Type.Optional(field.orNull(Type.String(), "The name of the account that last deferred it.")),
  },
  { title: "MaintenanceWindow" },
);

export function windowFor(principal: Pick<Principal, "scopes">, window: ReadWindow) {
  return principal.scopes.has("operator") ? forOperators(window) : forAccount(window);
}

export function forAccount(window: ReadWindow) {
  return {
    ...instanceMaintenance(window),
    deferred_at: window.deferredAt?.toISOString() ?? null,
    instance_ids: [...window.instanceIds],
    created_at: window.createdAt.toISOString(),
    started_at: window.startedAt?.toISOString() ?? null,
    ended_at: window.endedAt?.toISOString() ?? null,
  };
}

function forOperators(window: ReadWindow) {
  return {
    ...forAccount(window),
    host: window.host,
    group_id: window.groupId,
    revision: window.revision,
    created_by: window.createdBy,
    deferred_by: window.deferredBy,
  };
}

const exampleWindow: ReadWindow = {
  id: "0198c5c1-11aa-7bb2-8cc3-dd44ee55ff66",
  groupId: "0198c5c1-0000-7bb2-8cc3-dd44ee55ff66",
  host: "us-east-1-h100-01",
  beginsAt: new Date("2026-03-07T02:00:00.000Z"),
  endsAt: new Date("2026-03-07T06:00:00.000Z"),
  reason: "New firmware of the GPUs",
  mode: "stop" satisfies MaintenanceMode,
  phase: "scheduled",
  revision: 1,
  deferrableUntil: new Date("2026-03-09T02:00:00.000Z"),
  deferredAt: null,
  createdAt: new Date("2026-03-01T12:00:00.000Z"),
  startedAt: null,
  endedAt: null,
  instanceIds: [sample.id],
  createdBy: "operator",
  deferredBy: null,
};

/** For the document. */
export const examples = {
  forOperators: forOperators(exampleWindow),
  deferred: forAccount({
    ...exampleWindow,
    beginsAt: new Date("2026-03-09T02:00:00.000Z"),
    endsAt: new Date("2026-03-09T06:00:00.000Z"),
    revision: 2,
    deferredAt: new Date("2026-03-02T09:30:00.000Z"),
  }),
};
