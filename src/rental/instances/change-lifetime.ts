// Changes an instance's lifetime after launch. Source: the control interface, `PATCH /instances/{id}`.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { isLive } from "../../rules/lifecycle.ts";
import { boundsOf, lifetimeWithin } from "../billing/launch-limits.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal, Service } from "../service.ts";
import { fromRow, type Instance } from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { lockAll } from "./instance-store.ts";

/**
 * Sets the lifetime of one of the account's instances; null: unlimited. It counts from the start of billing, as at
 * launch, and must end in the future; an expiry warning is sent again before the new end. Throws RentalError
 * unknown-object, conflict (it is terminated), invalid-parameters.
 */
export async function changeLifetime(
  tx: Transaction,
  service: Service,
  principal: Principal,
  id: string,
  seconds: number | null,
): Promise<Instance> {
  const field = "max_lifetime_seconds";
  const [instance] = await lockAll(tx, service, principal, [id]);
  if (instance === undefined) throw new Error("BUG: lockAll gives what it was asked for, or refuses");
  if (!isLive[instance.state]) {
    throw new RentalError("conflict", {
      message: `The instance ${instance.id} is terminated.`,
      suggestion: "Terminated instances are not running or billed.",
    });
  }
  lifetimeWithin(await boundsOf(tx, principal), seconds, field);
  if (seconds === instance.maxLifetimeSeconds) return instance;
  const { rows } = await sql<Selectable<InstancesTable> & { over: boolean }>`
    update instances set max_lifetime_seconds = ${seconds}, expiry_warned = false,
      expires_at = (select started_at from billing_spans where instance_id = ${instance.id})
        + make_interval(secs => ${seconds})
    where id = ${instance.id}
    returning *, coalesce(expires_at <= now(), false) as over`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an instance locked by this transaction was not updated");
  if (row.over) throw invalid(field, "It has already been billed for longer: terminate it, or set a longer lifetime.");
  await recordEvents(tx, [instanceEvent(row, "lifetime_changed")]);
  return fromRow(row);
}
