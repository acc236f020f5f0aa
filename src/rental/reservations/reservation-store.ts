// Reads reservations: an account's own, and all of them for operators; and locks one with its hosts, as all who change it
// do. Used by this folder and by the control interface.
//
// Invariant: hosts are locked before reservations, in order of name (database/lock-order.ts). The hosts of a reservation
// change only under its lock.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { ReservationState } from "../../rules/reservations.ts";
import { usedSlots } from "../capacity/promised.ts";
import { RentalError } from "../errors.ts";
import { everything, type Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";
import { type Reservation, type ReservationRow, reservationFrom } from "./reservation.ts";

/** The slots of a reservation on one host. */
export interface ReservedSlots {
  readonly host: string;
  readonly slots: number;
  /** By instances. */
  readonly used: number;
  /** How many cannot be used, because of the host. */
  readonly undelivered: number;
  readonly undeliveredSince: Date | null;
  /** Until when that is settled. */
  readonly settledUntil: Date | null;
}

export interface ReadReservation extends Reservation {
  /** By host name; none when it is over. For operators. */
  readonly hosts: readonly ReservedSlots[];
  /** How many instances use it. */
  readonly used: number;
  /** Of all its slots. */
  readonly undelivered: number;
  /** What does not have to be paid of its cost. */
  readonly creditMicroCents: bigint;
}

export interface ReservationFilter extends Page {
  /** Undefined: of all accounts, for operators. */
  readonly accountId?: string | undefined;
  readonly states?: readonly ReservationState[] | undefined;
  /** Only those that end after `from` and begin before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** In the order in which they were made. */
export async function listReservations(
  db: Database,
  filter: ReservationFilter = everything,
): Promise<ReadReservation[]> {
  const { after, limit, accountId, states, from, to } = filter;
  const conditions = [
    ...(after === undefined ? [] : [sql<boolean>`r.id > ${after}::uuid`]),
    ...(accountId === undefined ? [] : [sql<boolean>`r.account_id = ${asUuid(accountId)}`]),
    ...(states === undefined ? [] : [sql<boolean>`r.state = any(${[...states]}::text[])`]),
    ...(from === undefined ? [] : [sql<boolean>`coalesce(r.ended_at, r.ends_at) > ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`r.begins_at < ${to}`]),
  ];
  return select(db, conditions, limit);
}

/** `id` as the client wrote it; with an account only its own. Throws RentalError unknown-object. */
export async function readReservation(db: Database, id: string, accountId?: string): Promise<ReadReservation> {
  const own = accountId === undefined ? [] : [sql<boolean>`r.account_id = ${accountId}`];
  const [reservation] = await select(db, [sql<boolean>`r.id = ${asUuid(id)}`, ...own], 1);
  if (reservation === undefined) throw unknownReservation(id);
  return reservation;
}

export function unknownReservation(id: string): RentalError {
  return new RentalError("unknown-object", { what: "reservation", ids: [id] });
}

/** `limit null` means no limit in SQL. */
async function select(
  db: Database,
  conditions: readonly RawBuilder<boolean>[],
  limit: number | undefined,
): Promise<ReadReservation[]> {
  const { rows } = await sql<ReservationRow & { hosts: SlotsRow[] | null; used: number; credit: string }>`
    select r.*, (
        select jsonb_agg(jsonb_build_object('host', rh.host, 'slots', rh.slots, 'undelivered', rh.undelivered,
          'since', rh.undelivered_since, 'settled', rh.settled_until, 'used', (
            select ${usedSlots} from (select rh.host as name) h)) order by rh.host)
        from reservation_hosts rh where rh.reservation_id = r.id) as hosts,
      (select count(*) from instances i where i.reservation_id = r.id and i.terminated_at is null)::integer as used,
      (select coalesce(sum(c.cost_micro_cents), 0)::text from billing_credits c where c.instance_id = r.id) as credit
    from reservations r
    where ${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)}
    order by r.id limit ${limit ?? null}`.execute(db);
  return rows.map((row) => {
    const hosts = slotsFrom(row.hosts);
    const undelivered = hosts.reduce((sum, one) => sum + one.undelivered, 0);
    return { ...reservationFrom(row), hosts, used: row.used, undelivered, creditMicroCents: BigInt(row.credit) };
  });
}

interface SlotsRow {
  host: string;
  slots: number;
  undelivered: number;
  since: string | null;
  settled: string | null;
  used: number;
}

function slotsFrom(rows: readonly SlotsRow[] | null): ReservedSlots[] {
  const time = (text: string | null) => (text === null ? null : new Date(text));
  return (rows ?? []).map(({ since, settled, ...row }) => ({
    ...row,
    undeliveredSince: time(since),
    settledUntil: time(settled),
  }));
}

/**
 * Locks these hosts and all of the reservation, and then the reservation. Undefined: it is gone, or its hosts have changed
 * meanwhile, and the next attempt may do better. Call it before anything else is locked.
 */
export async function lockWithHosts(
  tx: Transaction,
  id: string,
  hosts: readonly string[] = [],
): Promise<ReadReservation | undefined> {
  const { rows: locked } = await sql<{ host: string }>`
    select host from reservation_hosts where reservation_id = ${id}`.execute(tx);
  await lockHostRows(tx, [...hosts, ...locked.map(({ host }) => host)]);
  const { rows } = await sql`select from reservations where id = ${id} for update`.execute(tx);
  if (rows.length === 0) return undefined;
  const reservation = await readReservation(tx, id);
  const known = new Set(locked.map(({ host }) => host));
  return reservation.hosts.every(({ host }) => known.has(host)) ? reservation : undefined;
}

/** In order of name; those that are gone are left out. */
export async function lockHostRows(tx: Transaction, names: readonly string[]): Promise<void> {
  await sql`select from hosts where name = any(${[...new Set(names)]}::text[]) order by name for update`.execute(tx);
}
