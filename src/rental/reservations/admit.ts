// Makes a reservation, if hosts will surely have its capacity during all of its time. Used by the control interface.
//
// Invariant: nothing is promised twice. Hosts are chosen from what is committed, and again under their locks; what others
// have promised or taken meanwhile then counts, and other hosts are tried. So of two reservations at once that want the
// last of it one is rejected, and only when nothing that is committed leaves room for it. Quotas and limits are checked before
// hosts are locked, so that what they reject keeps no one waiting, and again under the lock of the account, which decides.
// Locks in the order of database/lock-order.ts.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import { ask, behind } from "../../database/round-trips.ts";
import { defaultInstanceName } from "../../rules/names.ts";
import { type ReservationBounds, reservationBounds } from "../../rules/reservations.ts";
import { type Account, lockedAccounts, readAccount } from "../accounts/account-store.ts";
import { quotaRefusal } from "../accounts/quotas.ts";
import { rowOf } from "../catalog/instance-type-store.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Principal, Service } from "../service.ts";
import { begin } from "./begin-end.ts";
import { candidatesForNew, chooseHosts, type SlotsWanted } from "./choose-hosts.ts";
import { insufficientFor } from "./insufficient.ts";
import type { ReservationOrder } from "./order.ts";
import type { Reservation } from "./reservation.ts";
import { reservationEvent } from "./reservation-events.ts";
import { lockHostRows, type ReadReservation, readReservation } from "./reservation-store.ts";
import { refuseOverLimit } from "./spending.ts";
import { wantedOf } from "./wanted.ts";

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
  const { accountId } = principal;
  const { wanted, times, now } = await wantedOf(tx, service, order);
  const { product, quantity } = wanted;
  const planned: Planned = { id: uuidv7(), product, quantity, ...times };
  await refuseMore(tx, service, principal, await readAccount(tx, accountId), planned);
  const hosts = await lockedHostsFor(tx, service, wanted, bounds);
  const { id } = planned;
  await write(tx, principal, planned, order.name, hosts);
  const made = await readReservation(tx, id);
  await recordEvents(tx, [reservationEvent(made)]);
  if (times.beginsAt <= now) await begin(tx, made, false);
  // Last, because all launches of the account need its row. Two reservations of it at once do not exceed its limits together.
  const account = (await ask(tx, lockedAccounts(tx, [accountId]))).get(accountId);
  if (account === undefined) throw new Error(`BUG: account ${accountId} is gone while it reserves`);
  await refuseMore(tx, service, principal, account, made);
  return readReservation(tx, id);
}

type Planned = Pick<Reservation, "id" | "product" | "quantity" | "beginsAt" | "endsAt" | "handoverSeconds">;

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
    const candidates = await candidatesForNew(tx, wanted, wanted.stay);
    const proposed = round < mostRounds ? chooseHosts(capacity.order, candidates, wanted) : undefined;
    if (proposed === undefined) throw insufficientFor(capacity.order, candidates, wanted, bounds);
    const among = [...proposed.keys()];
    await lockHostRows(tx, among);
    // By statements of their own, which see what was committed before the locks were taken. What launches that wait will
    // have on other hosts is read without locks: two reservations at once leave them the same places.
    const locked = await candidatesForNew(tx, { ...wanted, among }, wanted.stay);
    const slots = chooseHosts(capacity.order, locked, wanted);
    const region = locked.futures.find(({ host }) => slots?.has(host.name))?.host.region;
    if (slots !== undefined && region !== undefined) return { region, slots };
    await behind(sql`rollback to savepoint reserving`).execute(tx);
  }
}

async function write(
  tx: Transaction,
  { accountId, tokenId }: Principal,
  { id, product, quantity, beginsAt, endsAt, handoverSeconds }: Planned,
  name: string | undefined,
  { region, slots }: HostsLocked,
): Promise<void> {
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
}

/** `account`: as it is, locked or not. `made`: whether it is written already or not. */
async function refuseMore(
  tx: Transaction,
  service: Service,
  principal: Principal,
  account: Account,
  made: Planned,
): Promise<void> {
  const { perAccount } = service.limits.reservations ?? reservationBounds;
  const { gpus, vcpus } = made.product;
  const use = { instances: made.quantity, gpus: made.quantity * gpus, vcpus: made.quantity * vcpus };
  // Not what it has now, which may have ended by then, but what it has reserved for any of that time.
  const meanwhile = sql`r.begins_at < ${made.endsAt} and r.ends_at > ${made.beginsAt}`;
  const { rows } = await sql<Record<"open" | "instances" | "gpus" | "vcpus", number>>`
    select count(*)::integer as open,
      coalesce(sum(r.quantity) filter (where ${meanwhile}), 0)::integer as instances,
      coalesce(sum(r.quantity * (r.type ->> 'gpus')::integer) filter (where ${meanwhile}), 0)::integer as gpus,
      coalesce(sum(r.quantity * (r.type ->> 'vcpus')::integer) filter (where ${meanwhile}), 0)::integer as vcpus
    from reservations r where r.account_id = ${account.id} and r.ended_at is null and r.id <> ${made.id}`.execute(tx);
  const { open, ...reserved } = rows[0] ?? { open: 0, instances: 0, gpus: 0, vcpus: 0 };
  const used = { ...reserved, ssh_keys: 0, file_systems: 0 };
  const overQuota = quotaRefusal({ quotas: account.quotas, used }, use);
  if (overQuota !== undefined) throw overQuota;
  if (open >= perAccount)
    throw new RentalError("quota-exceeded", { what: "reservations", limit: perAccount, used: open, requested: 1 });
  await refuseOverLimit(tx, service, principal, made);
}
