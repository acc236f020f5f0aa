// Who may use a host: a launch never takes what an earlier one that waits for capacity could use, unless it surely ends before
// that one is expected to fit, nor what is promised to a reservation (promised.ts). The only definition of it, for proposals
// from memory (proposal.ts) and on locked hosts (assign.ts), for launches of all interfaces and for waiting ones alike.
//
// Invariant: it depends on what is committed and on the host alone, so that every replica decides alike; a place is taken
// only after the lines were read under the host's lock. What is released is so kept from the moment on at which it is
// free, without anything being reserved for the launch that waits.

import { type RawBuilder, type Selectable, sql } from "kysely";
import { type Question, question } from "../../database/round-trips.ts";
import type { InstanceTypesTable } from "../../database/tables/catalog.ts";
import { comesBefore, type WaitingPlace } from "../../rules/spot.ts";
import { holdingBlocker, waitingState } from "../../rules/waiting-launches.ts";
import { instanceTypeOf } from "../catalog/instance-type-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type HostBound, isWithin, type OrderedHost } from "./host-order.ts";
import { noRoom, reservedRoom, roomUntil } from "./promised.ts";
import { howManyFit, type Room } from "./requirements.ts";

/** A waiting launch whose turn it is, of those that need the same of a host: the first, or one that can run before it. */
export interface Line extends WaitingPlace {
  readonly product: InstanceType;
  /** Undefined: every one. */
  readonly region: string | undefined;
  readonly bound: HostBound;
  /** When its instances would end at the latest if it were placed now, in milliseconds since 1970; undefined: not known. */
  readonly endsMs: number | undefined;
  /** When all of it is expected to fit, in milliseconds since 1970: what ends before is not in its way. Undefined: not known. */
  readonly startsMs?: number | undefined;
}

/** A host is kept for a waiting launch that fits nowhere yet. */
export interface Earmark {
  readonly position: number;
  /** When it is expected to fit, in milliseconds since 1970; undefined: not known. */
  readonly fromMs: number | undefined;
}

/** Of a row of hosts. */
export function earmarkOf(position: number | null, from: Date | string | null): Earmark | undefined {
  if (position === null) return undefined;
  return { position, fromMs: from === null ? undefined : new Date(from).getTime() };
}

/** A lifetime counts from the end of the boot, which takes so long at most unless the operator has set a longer deadline. */
const bootAllowanceMs = 600_000;

/** How long a boot takes at most, in milliseconds. `bootSeconds`: the operator's deadline; undefined: the default. */
export function longestBootMs(bootSeconds: number | undefined): number {
  return Math.max(bootAllowanceMs, (bootSeconds ?? 0) * 1000);
}

/**
 * When an instance that is launched now ends at the latest, in milliseconds since 1970; undefined: not known.
 * `lifetimeSeconds` null: unlimited. `bootSeconds`: as in `longestBootMs`.
 */
export function latestEndMs(lifetimeSeconds: number | null, bootSeconds: number | undefined): number | undefined {
  return lifetimeSeconds === null ? undefined : Date.now() + longestBootMs(bootSeconds) + lifetimeSeconds * 1000;
}

/** Whose turn it is. */
export interface Turn {
  /** The position of a launch that waited; undefined: behind all that wait. */
  readonly position?: number | undefined;
  /** When its instances end at the latest, in milliseconds since 1970; undefined: not known. */
  readonly endsMs?: number | undefined;
  /** Whether it is for spot instances: behind all that are not, and never on what is kept. Default: false. */
  readonly isSpot?: boolean | undefined;
  /** The reservation that it uses: only its slots, which no one waits for. */
  readonly reservation?: string | undefined;
}

/** The turn of what comes before all that wait, such as a move: its instances have capacity already. */
export const beforeAll: Turn = { position: -1 };

/** What a launch may take of the host. */
export function roomFor(host: OrderedHost, turn: Turn, lines: readonly Line[]): Room {
  if (turn.reservation !== undefined) return reservedRoom(host, turn.reservation);
  return mayTake(host, turn, lines) ? roomUntil(host, turn.endsMs) : noRoom;
}

/** Whether nothing of the host is kept for an earlier launch. */
export function mayTake(
  host: OrderedHost,
  { position = Number.POSITIVE_INFINITY, endsMs = Number.POSITIVE_INFINITY, isSpot = false }: Turn,
  lines: readonly Line[],
): boolean {
  const { earmark } = host;
  if (earmark !== undefined && isKeptFrom({ position, isSpot, endsMs }, earmark)) return false;
  const turn = { position, isSpot, endsMs };
  return !lines.some((line) => comesBefore(line, turn) && !isOverBefore(turn, line.startsMs) && couldUse(host, line));
}

/** Spot would have to be evicted again before its time. */
function isOverBefore({ isSpot, endsMs }: WaitingPlace & { readonly endsMs: number }, startsMs = 0): boolean {
  return !isSpot && endsMs <= startsMs;
}

/** Nothing is kept for spot, so that all spot launches are behind. */
function isKeptFrom(
  { position, isSpot, endsMs }: WaitingPlace & { readonly endsMs: number },
  earmark: Earmark,
): boolean {
  return isSpot || (earmark.position < position && endsMs > (earmark.fromMs ?? 0));
}

/** Whether the launch that waits could be placed on the host. */
export function couldUse(host: OrderedHost, { product, region, bound, endsMs }: Line): boolean {
  const isThere = (region === undefined || region === host.region) && isWithin(host, bound);
  return isThere && howManyFit(roomUntil(host, endsMs), product) > 0;
}

/** When instances of a launch that waits would end at the latest if it were placed now; null: not known. */
export const endsOf = (maxLifetimeSeconds: RawBuilder<unknown>, bootMs = bootAllowanceMs) =>
  sql`extract(epoch from now() + make_interval(secs => ${maxLifetimeSeconds})) * 1000 + ${sql.lit(bootMs)}`;

/** Whether `waiting_launches w` holds its place before others: capacity alone blocks it. */
export const holdsPlace: RawBuilder<boolean> = sql<boolean>`(
  w.state = ${sql.lit(waitingState)} and w.blocked_by = ${sql.lit(holdingBlocker)})`;

/**
 * Those of `launch_lines l` whose turn it is, as far as capacity alone blocks them: the first, and if it is known when that
 * will fit, the first behind it that would surely end before.
 */
export const turnsOfLine: RawBuilder<unknown> = sql`(
  with first as materialized (
    select w.id, w.position, w.quantity, w.max_lifetime_seconds, w.next_try_at, w.starts_at from waiting_launches w
    where w.line_id = l.id and ${holdsPlace} order by w.position limit 1)
  select * from first
  union all
  select behind.*, null from first cross join lateral (
    select w.id, w.position, w.quantity, w.max_lifetime_seconds, w.next_try_at from waiting_launches w
    where w.line_id = l.id and ${holdsPlace} and w.position > first.position
      and ${endsOf(sql`w.max_lifetime_seconds`)} <= extract(epoch from first.starts_at) * 1000
    order by w.position limit 1) behind
  where first.starts_at > now())`;

/**
 * One whose instance type was deleted holds nothing. As with the default deadline of boots: with a longer one, more is left
 * to it than it can use.
 */
export const lineRows = sql<LineRow>`
  select turn.position, l.region, l.bound, l.spot, to_jsonb(t) as type, ${endsOf(sql`turn.max_lifetime_seconds`)} as ends,
    extract(epoch from turn.starts_at) * 1000 as starts
  from launch_lines l join instance_types t on t.name = l.instance_type cross join lateral ${turnsOfLine} turn`;

/** To be asked after hosts are locked. */
export const linesNow: Question<readonly Line[]> = question(lineRows, (rows: LineRow[]) => rows.map(lineFrom));

export function lineFrom({ position, region, bound, spot, type, ends, starts }: LineRow): Line {
  const place = { position, isSpot: spot, region: region ?? undefined, bound };
  return { ...place, product: instanceTypeOf(type), endsMs: moment(ends), startsMs: moment(starts) };
}

function moment(ms: number | string | null): number | undefined {
  return ms === null ? undefined : Number(ms);
}

export interface LineRow {
  position: number;
  region: string | null;
  bound: HostBound;
  spot: boolean;
  type: Selectable<InstanceTypesTable>;
  /** A number in JSON, and numeric as text. */
  ends: number | string | null;
  starts: number | string | null;
}
