// Changes the mode of a host. Used by the control interface (cordon, uncordon, drain), declare-lost.ts, lost-hosts.ts
// and maintenance/begin-end.ts. Invariant: the mode changes only as rules/host-lifecycle.ts says, under the host's row lock, with its
// event in the same transaction; so of two operators at once the second sees what the first has decided.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import {
  afterHostAction,
  asHostMode,
  asHostState,
  drainingMode,
  type HostAction,
  type HostMode,
  hostStateOf,
  maintenanceMode,
} from "../../rules/host-lifecycle.ts";
import { asDrainMode, type DrainMode, initialDrainMode } from "../../rules/moves.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { invalid, RentalError } from "../errors.ts";
import { checkReason } from "../instances/reason.ts";
import { recordHostStates } from "./state-events.ts";

/** What is to be done, and who decided it. */
export interface HostModeChange {
  readonly action: HostAction;
  /** One line for other operators; undefined: none. */
  readonly reason: string | undefined;
  /** Of the action `drain`: how it is emptied. Undefined: as before, and at first `wait`. */
  readonly drainMode?: DrainMode | undefined;
  /** The operator's account; null: the service by itself. */
  readonly by: string | null;
  /** At the end of a maintenance window: the mode that the host had before. */
  readonly before?: HostMode;
}

/**
 * Carries it out. Repeated as it was it changes nothing; with another reason or drain mode it replaces that. Throws RentalError
 * unknown-object, invalid-parameters (the reason), and conflict where the host's mode does not allow it.
 */
export async function changeHostMode(tx: Transaction, name: string, change: HostModeChange): Promise<Host> {
  const { action, reason, by, drainMode, before: modeBefore } = change;
  const problem = reason === undefined ? undefined : checkReason(reason);
  if (problem !== undefined) throw invalid("reason", problem);
  const { rows } = await sql<{
    id: string;
    mode: string;
    state: string;
    available: boolean;
    drain_mode: string | null;
  }>`
    select id, mode, state, available, drain_mode from hosts where name = ${name} for update`.execute(tx);
  const [before] = rows;
  if (before === undefined) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  const mode = afterHostAction(asHostMode(before.mode), action, modeBefore);
  if (mode === undefined) throw rejected(name, before.mode, action);
  const emptying = mode === drainingMode ? (drainMode ?? emptyingOf(before)) : heldBack(mode, before);
  const isSame = mode === before.mode && emptying === before.drain_mode;
  if (isSame && reason === undefined) return readHost(tx, name);
  await tx
    .updateTable("hosts")
    .set({ mode, mode_reason: reason ?? null, mode_by: by, drain_mode: emptying })
    .where("name", "=", name)
    .execute();
  const [from, to] = [asHostState(before.state), hostStateOf(mode, before.available)];
  await recordHostStates(tx, [{ id: before.id, name, from, to, reason: reason ?? null }]);
  return readHost(tx, name);
}

/** How a host is emptied if that is not said. */
function emptyingOf({ drain_mode: before }: { drain_mode: string | null }): DrainMode {
  return before === null ? initialDrainMode : asDrainMode(before);
}

/** A host that was draining before its maintenance is emptied as before when that has ended. */
function heldBack(mode: HostMode, { drain_mode: before }: { drain_mode: string | null }): DrainMode | null {
  return mode === maintenanceMode && before !== null ? asDrainMode(before) : null;
}

function rejected(name: string, mode: string, action: HostAction): RentalError {
  if (mode !== maintenanceMode) {
    return new RentalError("conflict", {
      message: `Host ${name} is ${mode}: ${action} is not possible.`,
      suggestion: "Read the host, and choose an action that its state allows.",
    });
  }
  return new RentalError("conflict", {
    message: `Host ${name} is in maintenance: ${action} is not possible.`,
    suggestion: "End its maintenance window, or wait until it ends. The host then returns to the state it had before.",
  });
}
