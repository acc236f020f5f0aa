// The events of maintenance windows: for each account with instances on the host one with the ids of its instances, and
// for operators one of no account, with the host. Written in the transaction of the change, by every file of this folder
// that changes a window.
//
// Invariant: what accounts get names neither the host nor another account's instances.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { EventWord } from "../events/event-types.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { wasAffected } from "./affected.ts";
import type { MaintenanceWindow } from "./window.ts";

/** Writes the events of these windows, as they are after the change. */
export async function recordWindowEvents(
  tx: Transaction,
  word: EventWord<"maintenance">,
  windows: readonly MaintenanceWindow[],
): Promise<void> {
  const { rows } = await sql<{ id: string; account_id: string; instance_ids: string[] }>`
    select w.id, i.account_id, array_agg(i.id order by i.id) as instance_ids
    from maintenance_windows w join instances i on ${wasAffected}
    where w.id = any(${windows.map(({ id }) => id)}::uuid[])
    group by w.id, i.account_id order by w.id, i.account_id`.execute(tx);
  const accounts = Map.groupBy(rows, ({ id }) => id);
  await recordEvents(
    tx,
    windows.flatMap((window): NewEvent[] => [
      ...(accounts.get(window.id) ?? []).map((row) => ({
        accountId: row.account_id,
        ...eventOf(window, word, { instance_ids: row.instance_ids }),
      })),
      { accountId: null, ...eventOf(window, word, { host: window.host, group_id: window.groupId }) },
    ]),
  );
}

function eventOf(window: MaintenanceWindow, word: EventWord<"maintenance">, more: Record<string, unknown>) {
  return {
    type: `maintenance.${word}` as const,
    subjectId: window.id,
    data: {
      window_id: window.id,
      from: window.beginsAt.toISOString(),
      to: window.endsAt.toISOString(),
      mode: window.mode,
      reason: window.reason,
      phase: window.phase,
      revision: window.revision,
      deferrable_until: window.deferrableUntil?.toISOString() ?? null,
      deferred: window.deferredAt !== null,
      ...more,
    },
  };
}
