// Whether an instance can start now: not while a maintenance window keeps it stopped. Asked by apply-action.ts before a
// restart. A window that begins at the same moment finds what started, and stops it (instances.ts).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import { isInForce, stopsInstances } from "./window.ts";

/** Throws RentalError conflict if one of these instances cannot start now, because maintenance keeps it stopped. */
export async function refuseStartInMaintenance(tx: Transaction, instances: readonly Instance[]): Promise<void> {
  const { rows } = await sql<{ id: string; ends_at: Date }>`
    select i.id, w.ends_at from instances i join maintenance_windows w on w.host = i.host
    where i.id = any(${instances.map(({ id }) => id)}::uuid[]) and ${isInForce} and ${stopsInstances}
    order by i.id limit 1`.execute(tx);
  const [kept] = rows;
  if (kept === undefined) return;
  throw new RentalError("conflict", {
    message: `The host of instance ${kept.id} is in maintenance until ${kept.ends_at.toISOString()}.`,
    suggestion: "Restart it then. An instance that ran when the maintenance began starts again by itself.",
  });
}
