// Changes the mode of a host. Used by the control interface (cordon, uncordon, drain), declare-lost.ts and
// lost-hosts.ts. Invariant: the mode changes only as rules/host-lifecycle.ts says, under the host's row lock, with its
// event in the same transaction; so of two operators at once the second sees what the first has decided.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { afterHostAction, asHostMode, asHostState, type HostAction, hostStateOf } from "../../rules/host-lifecycle.ts";
import { type Host, readHost } from "../capacity/host-reading.ts";
import { invalid, RentalError } from "../errors.ts";
import { checkReason } from "../instances/reason.ts";
import { recordHostStates } from "./state-events.ts";

/** What is to be done, and who decided it. */
export interface HostModeChange {
  readonly action: HostAction;
  /** One line for other operators; undefined: none. */
  readonly reason: string | undefined;
  /** The operator's account; null: the service by itself. */
  readonly by: string | null;
}

/**
 * Carries it out. Repeated without a reason it changes nothing; with one it replaces the reason. Throws RentalError
 * unknown-object, invalid-parameters (the reason), and conflict where the host's mode does not allow it.
 */
export async function changeHostMode(tx: Transaction, name: string, change: HostModeChange): Promise<Host> {
  const { action, reason, by } = change;
  const problem = reason === undefined ? undefined : checkReason(reason);
  if (problem !== undefined) throw invalid("reason", problem);
  const { rows } = await sql<{ id: string; mode: string; state: string; available: boolean }>`
    select id, mode, state, available from hosts where name = ${name} for update`.execute(tx);
  const [before] = rows;
  if (before === undefined) throw new RentalError("unknown-object", { what: "host", ids: [name] });
  const mode = afterHostAction(asHostMode(before.mode), action);
  if (mode === undefined) {
    throw new RentalError("conflict", {
      message: `Host ${name} is ${before.mode}: ${action} is not possible.`,
      suggestion: "Read the host, and choose an action that its state allows.",
    });
  }
  if (mode === before.mode && reason === undefined) return readHost(tx, name);
  await tx
    .updateTable("hosts")
    .set({ mode, mode_reason: reason ?? null, mode_by: by })
    .where("name", "=", name)
    .execute();
  const [from, to] = [asHostState(before.state), hostStateOf(mode, before.available)];
  await recordHostStates(tx, [{ id: before.id, name, from, to, reason: reason ?? null }]);
  return readHost(tx, name);
}
