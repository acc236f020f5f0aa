// The event of a host whose state has changed, for operators: it belongs to no account. Written in the transaction of
// the change, by change-mode.ts (an operator decided) and capacity/host-store.ts (its engine reports another availability).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { HostState } from "../../rules/host-lifecycle.ts";
import { recordEvents } from "../events/record.ts";

export interface HostStateChange {
  readonly id: string;
  readonly name: string;
  readonly from: HostState;
  readonly to: HostState;
  /** The operator's, for the mode that the host has now. */
  readonly reason: string | null;
}

/** Writes an event for each change, with who decided the host's mode and its note; none where the state is the same. */
export async function recordHostStates(tx: Transaction, changes: readonly HostStateChange[]): Promise<void> {
  const changed = changes.filter(({ from, to }) => from !== to);
  if (changed.length === 0) return;
  const { rows } = await sql<{ id: string; note: string; mode_set_by: string | null }>`
    select h.id, h.note, a.name as mode_set_by from hosts h left join accounts a on a.id = h.mode_by
    where h.id = any(${changed.map(({ id }) => id)}::uuid[])`.execute(tx);
  const hosts = new Map(rows.map(({ id, ...host }) => [id, host]));
  await recordEvents(
    tx,
    changed.map(({ id, name, from, to, reason }) => ({
      accountId: null,
      type: "host.state_changed",
      subjectId: id,
      data: { host_id: id, name, state: to, state_before: from, reason, ...hosts.get(id) },
    })),
  );
}
