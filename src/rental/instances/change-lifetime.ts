// Changes an instance's lifetime after launch. Source: the control interface, `PATCH /instances/{id}`.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { boundsOf, lifetimeWithin } from "../billing/launch-limits.ts";
import { canStay, hostsWithout } from "../capacity/host-future.ts";
import { couldUse, holdsPlace, latestEndMs, linesNow } from "../capacity/line.ts";
import { invalid } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal, Service } from "../service.ts";
import { fromRow, type Instance } from "./instance.ts";
import { instanceEvent } from "./instance-event.ts";
import { lockLive } from "./instance-store.ts";

/**
 * Sets the lifetime of one of the account's instances; null: unlimited. It counts from the start of billing, as at
 * launch, and must end in the future; an expiry warning is sent again before the new end. With a reservation it ends with
 * that at the latest. Throws RentalError unknown-object, conflict (it is terminated), invalid-parameters: also if it came
 * after a launch that waits, and would keep that waiting, or if its capacity is promised to a reservation.
 */
export async function changeLifetime(
  tx: Transaction,
  service: Service,
  principal: Principal,
  id: string,
  seconds: number | null,
): Promise<Instance> {
  const field = "max_lifetime_seconds";
  const instance = await lockLive(tx, service, principal, id);
  lifetimeWithin(await boundsOf(tx, principal), seconds, field);
  if (seconds === instance.maxLifetimeSeconds) return instance;
  const { rows } = await sql<Selectable<InstancesTable> & { over: boolean }>`
    update instances set max_lifetime_seconds = ${seconds}, expiry_warned = false,
      expires_at = least((select started_at from billing_spans where instance_id = ${instance.id})
        + make_interval(secs => ${seconds}), (select ends_at from reservations where id = instances.reservation_id))
    where id = ${instance.id}
    returning *, coalesce(expires_at <= now(), false) as over`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: an instance locked by this transaction was not updated");
  if (row.over) throw invalid(field, "It has already been billed for longer: terminate it, or set a longer lifetime.");
  if (isLonger(instance.maxLifetimeSeconds, seconds)) {
    await refuseKeptHost(tx, instance, field);
    await refuseInTheWay(tx, service, instance, row, field);
    await refusePromised(tx, service, instance, row, field);
  }
  await recordEvents(tx, [instanceEvent(row, "lifetime_changed")]);
  return fromRow(row);
}

function isLonger(before: number | null, after: number | null): boolean {
  return before !== null && (after === null || after > before);
}

/** Otherwise a short lifetime would be a way past everyone who waits (capacity/line.ts). After the change. */
async function refuseKeptHost(tx: Transaction, { id }: Instance, field: string): Promise<void> {
  const { rows } = await sql<{ until: Date }>`
    select h.earmark_from as until from instances i join hosts h on h.name = i.host
      join waiting_launches w on w.id = h.earmarked_for
    where i.id = ${id} and w.created_at < i.created_at and h.earmark_from is not null
      and coalesce(i.expires_at, now() + make_interval(secs => i.max_lifetime_seconds), 'infinity') > h.earmark_from`.execute(
    tx,
  );
  const [row] = rows;
  if (row === undefined) return;
  throw invalid(field, `Its host is kept for a launch that waited before it, from ${row.until.toISOString()} on.`);
}

/** As refuseKeptHost, before launches of several instances, which wait for more than one place (waiting/computed-start.ts). */
async function refuseInTheWay(
  tx: Transaction,
  { limits }: Service,
  instance: Instance,
  changed: Selectable<InstancesTable>,
  field: string,
): Promise<void> {
  const { rows } = await sql<{ position: number }>`
    select w.position from waiting_launches w join instances i on i.id = ${instance.id}
    where ${holdsPlace} and w.starts_at > now() and w.created_at < i.created_at and not i.spot`.execute(tx);
  if (rows.length === 0) return;
  const before = new Set(rows.map(({ position }) => position));
  const endsMs = endOf(changed, limits) ?? Number.POSITIVE_INFINITY;
  const hosts = await hostsWithout(tx, instance);
  const lines = await ask(tx, linesNow);
  const inTheWay = lines.find(
    (line) =>
      before.has(line.position) &&
      line.startsMs !== undefined &&
      endsMs > line.startsMs &&
      hosts.some((host) => couldUse(host, line)),
  );
  if (inTheWay?.startsMs === undefined) return;
  const from = new Date(inTheWay.startsMs).toISOString();
  throw invalid(field, `A launch of several instances that waited before it needs its capacity from ${from} on.`);
}

/** When it ends at the latest, in milliseconds since 1970; undefined: not known. */
function endOf(
  { expires_at: end, max_lifetime_seconds: seconds }: Selectable<InstancesTable>,
  { bootSeconds }: Service["limits"],
): number | undefined {
  return end?.getTime() ?? latestEndMs(seconds, bootSeconds);
}

/** Otherwise a short lifetime would be a way around what is promised (capacity/promised.ts). After the change. */
async function refusePromised(
  tx: Transaction,
  { limits }: Service,
  instance: Instance,
  changed: Selectable<InstancesTable>,
  field: string,
): Promise<void> {
  // What a reservation pays for has its capacity to the end of that.
  if (instance.reservationId !== null || (await canStay(tx, instance, endOf(changed, limits)))) return;
  throw invalid(
    field,
    "The capacity of its host is promised to a reservation that begins before it would end. Set a shorter lifetime.",
  );
}
