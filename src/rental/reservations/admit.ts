// Makes a reservation, if hosts will surely have its capacity during all of its time. Used by the control interface.
//
// Invariant: nothing is promised twice. Hosts are chosen from what is committed, and again under their locks; what others
// have promised or taken meanwhile then counts, and other hosts are tried. So of two reservations at once that want the
// last of it one is rejected, and only when nothing that is committed leaves room for it. Locks in the order of
// database/lock-order.ts.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import { ask, behind } from "../../database/round-trips.ts";
import { defaultInstanceName } from "../../rules/names.ts";
import { type ReservationBounds, reservationBounds } from "../../rules/reservations.ts";
import { lockedAccounts } from "../accounts/account-store.ts";
import { quotaRefusal } from "../accounts/quotas.ts";
import { rowOf } from "../catalog/instance-type-store.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal, Service } from "../service.ts";
import { begin } from "./begin-end.ts";
import { candidatesFor, chooseHosts, type SlotsWanted } from "./choose-hosts.ts";
import { insufficientFor } from "./insufficient.ts";
import type { ReservationOrder } from "./order.ts";
import type { Reservation } from "./reservation.ts";
import { reservationEvent } from "./reservation-events.ts";
import { lockHostRows, type ReadReservation, readReservation } from "./reservation-store.ts";
import { refuseOverLimit } from "./spending.ts";
import { type WantedReservation, wantedOf } from "./wanted.ts";

/** How often hosts are chosen again, because others were faster. */
const mostRounds = 8;

/**
 * Throws RentalError invalid-parameters, unknown-name, insufficient-capacity, quota-exceeded (also `reservations`),
 * spend-limit-exceeded: roll back then. Refresh `service.capacity` before the call: it ranks hosts.
 */
export async function reserveCapacity(
  tx: Transaction,
  service: Service,
  principal: Principal,
  order: ReservationOrder,
): Promise<ReadReservation> {
  const bounds = service.limits.reservations ?? reservationBounds;
  const { wanted, times, now } = await wantedOf(tx, service, order);
  const hosts = await lockedHostsFor(tx, service, wanted, bounds);
  const id = await write(tx, principal, { ...order, product: wanted.product }, times, hosts);
  const made = await readReservation(tx, id);
  await recordEvents(tx, [reservationEvent(made)]);
  if (times.beginsAt <= now) await begin(tx, made, false);
  // Last, because all launches of the account need its row.
  await refuseMore(tx, service, principal, made, bounds);
  return readReservation(tx, id);
}

interface HostsLocked {
  readonly region: string;
  readonly slots: ReadonlyMap<string, number>;
}

async function lockedHostsFor(
  tx: Transaction,
  { capacity }: Service,
  wanted: SlotsWanted,
  bounds: ReservationBounds,
): Promise<HostsLocked> {
  await behind(sql`savepoint reserving`).execute(tx);
  for (let round = 0; ; round++) {
    const candidates = await candidatesFor(tx, wanted);
    const proposed = round < mostRounds ? chooseHosts(capacity.order, candidates, wanted) : undefined;
    if (proposed === undefined) throw insufficientFor(capacity.order, candidates, wanted, bounds);
    const among = [...proposed.keys()];
    await lockHostRows(tx, among);
    // By statements of their own, which see what was committed before the locks were taken.
    const locked = await candidatesFor(tx, { ...wanted, among });
    const slots = chooseHosts(capacity.order, locked, wanted);
    const region = locked.futures.find(({ host }) => slots?.has(host.name))?.host.region;
    if (slots !== undefined && region !== undefined) return { region, slots };
    await behind(sql`rollback to savepoint reserving`).execute(tx);
  }
}

async function write(
  tx: Transaction,
  { accountId, tokenId }: Principal,
  { product, quantity, name }: ReservationOrder & { readonly product: InstanceType },
  { beginsAt, endsAt, handoverSeconds }: WantedReservation["times"],
  { region, slots }: HostsLocked,
): Promise<string> {
  const id = uuidv7();
  await tx
    .insertInto("reservations")
    .values({
      ...{ id, account_id: accountId, token_id: tokenId, name: name ?? defaultInstanceName(product.name, id) },
      ...{ region, instance_type: product.name, type: JSON.stringify(rowOf(product)), quantity },
      ...{ price_cents_per_hour: product.priceCentsPerHour, handover_seconds: handoverSeconds },
      ...{ begins_at: beginsAt, ends_at: endsAt },
    })
    .execute();
  await sql`
    insert into reservation_hosts (reservation_id, host, slots)
    select ${id}, * from unnest(${[...slots.keys()]}::text[], ${[...slots.values()]}::integer[])`.execute(tx);
  return id;
}

/** Under the lock of the account: two reservations of it at once do not exceed its limits together. */
async function refuseMore(
  tx: Transaction,
  service: Service,
  principal: Principal,
  made: Reservation,
  { perAccount }: ReservationBounds,
): Promise<void> {
  const { accountId } = principal;
  const account = (await ask(tx, lockedAccounts(tx, [accountId]))).get(accountId);
  if (account === undefined) throw new Error(`BUG: account ${accountId} is gone while it reserves`);
  const { gpus, vcpus } = made.product;
  const use = { instances: made.quantity, gpus: made.quantity * gpus, vcpus: made.quantity * vcpus };
  // Not what it has now, which may have ended by then, but what it has reserved for any of that time.
  const { rows: reserved } = await sql<{ instances: number; gpus: number; vcpus: number }>`
    select coalesce(sum(r.quantity), 0)::integer as instances,
      coalesce(sum(r.quantity * (r.type ->> 'gpus')::integer), 0)::integer as gpus,
      coalesce(sum(r.quantity * (r.type ->> 'vcpus')::integer), 0)::integer as vcpus
    from reservations r where r.account_id = ${accountId} and r.ended_at is null and r.id <> ${made.id}
      and r.begins_at < ${made.endsAt} and r.ends_at > ${made.beginsAt}`.execute(tx);
  const used = { ...(reserved[0] ?? { instances: 0, gpus: 0, vcpus: 0 }), ssh_keys: 0, file_systems: 0 };
  const overQuota = quotaRefusal({ quotas: account.quotas, used }, use);
  if (overQuota !== undefined) throw overQuota;
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as open from reservations r
    where r.account_id = ${accountId} and r.ended_at is null and r.id <> ${made.id}`.execute(tx);
  const open = rows[0]?.open ?? 0;
  if (open >= perAccount)
    throw new RentalError("quota-exceeded", { what: "reservations", limit: perAccount, used: open, requested: 1 });
  await refuseOverLimit(tx, service, principal, made);
}
