// Defers a maintenance window to a later time within its operator's limit, by an account with an instance on the host.
// The window is the host's, so it moves for all who have instances there; they are told by the event. Used by the control
// interface.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
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
): Promise<ReadWindow> {
  await readWindow(tx, id, accountId);
  const window = windowFrom(await lockWithHost(tx, id));
  refuseUnless(window, "defer");
  const times = deferredTimes(window, until, await databaseNow(tx));
  if (times.beginsAt.getTime() !== window.beginsAt.getTime()) {
    if ((await overlapping(tx, [window.host], times, window.id)) !== undefined) {
      throw new RentalError("conflict", {
        message: `The maintenance window ${window.id} cannot be deferred to ${times.beginsAt.toISOString()}, because other maintenance is scheduled then.`,
        suggestion: "Choose another time before that limit.",
      });
    }
    await sql`
      update maintenance_windows set deferred_by = ${accountId}, deferred_at = now() where id = ${window.id}`.execute(
      tx,
    );
    await rewrite(tx, window.id, { ...window, ...times });
  }
  return readWindow(tx, window.id, accountId);
}
