// The event of a host whose state has changed, for operators: it belongs to no account. Written in the transaction of
// the change, by change-mode.ts (an operator decided) and capacity/host-store.ts (its engine reports another availability).

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

/** Writes an event for each change; none where the state is the same. */
export async function recordHostStates(tx: Transaction, changes: readonly HostStateChange[]): Promise<void> {
  await recordEvents(
    tx,
    changes
      .filter(({ from, to }) => from !== to)
      .map(({ id, name, from, to, reason }) => ({
        accountId: null,
        type: "host.state_changed",
        subjectId: id,
        data: { host_id: id, name, state: to, state_before: from, reason },
      })),
  );
}
