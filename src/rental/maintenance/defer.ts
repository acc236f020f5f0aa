// Defers a maintenance window to a later time within its operator's limit, by an account with an instance on the host.
// The window is the host's, so it moves for all who have instances there; they are told by the event. Used by the control
// interface.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import { type ClearingParts, clearForWindow } from "../reservations/clear-windows.ts";
import { databaseNow } from "./begin-end.ts";
import { refuseUnless, rewrite } from "./schedule.ts";
import { windowFrom } from "./window.ts";
import { lockWithHost, overlapping, type ReadWindow, readWindow } from "./window-store.ts";
import { deferredTimes } from "./window-times.ts";

/**
 * `until`: the new begin; undefined: the latest that is allowed. `accountId`: the customer's. Throws RentalError
 * unknown-object (a window that does not affect the account is unknown to it), invalid-parameters (field `until`) and
 * conflict.
 */
export async function deferWindow(
  tx: Transaction,
  accountId: string,
  id: string,
  until: Date | undefined,
  parts?: ClearingParts,
): Promise<ReadWindow> {
  const seen = await readWindow(tx, id, accountId);
  refuseUnless(seen, "defer");
  // Before the window is locked, as all hosts are.
  const planned = deferredTimes(seen, until, await databaseNow(tx));
  await clearForWindow(tx, [seen.host], planned, parts).catch((error: unknown) => {
    // Whose it is then, and on which host, only operators read.
    throw error instanceof RentalError ? taken(seen.id, planned.beginsAt, "its host is promised to others") : error;
  });
  const window = windowFrom(await lockWithHost(tx, id));
  refuseUnless(window, "defer");
  const times = deferredTimes(window, until, await databaseNow(tx));
  if (times.beginsAt.getTime() !== window.beginsAt.getTime()) {
    if ((await overlapping(tx, [window.host], times, window.id)) !== undefined) {
      throw taken(window.id, times.beginsAt, "other maintenance is scheduled");
    }
    await sql`
      update maintenance_windows set deferred_by = ${accountId}, deferred_at = now() where id = ${window.id}`.execute(
      tx,
    );
    await rewrite(tx, window.id, { ...window, ...times });
  }
  return readWindow(tx, window.id, accountId);
}

function taken(id: string, beginsAt: Date, reason: string): RentalError {
  return new RentalError("conflict", {
    message: `The maintenance window ${id} cannot be deferred to ${beginsAt.toISOString()}, because ${reason} then.`,
    suggestion: "Choose another time before that limit.",
  });
}
