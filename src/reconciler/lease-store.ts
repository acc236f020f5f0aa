// The SQL of leases: which instance is due, which worker holds it, and when to check next. The instance's row is the
// job.
//
// A lease is a token (`lease_owner`, new for each claim) and a time. Every write of its holder checks the token, so a
// worker whose lease expired and was claimed again, even by the same process, can change nothing.
//
// While a lease runs, `next_look_at = lease_until`. So when the worker dies, the row becomes due when its lease
// expires. A new action or an engine hint sets `next_look_at = now()` regardless of the lease; the two then differ, and
// `release` leaves the row due instead of postponing the check. So no wake-up is lost to a worker that is just
// finishing.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { ask, type Question, question, together } from "../database/round-trips.ts";
import type { InstancesTable } from "../database/tables/instances.ts";
import { inTransaction } from "../database/transaction.ts";
import { recordEvents } from "../rental/events/record.ts";
import { hasPartition } from "../rental/gpus/partitions/waiting.ts";
import { instanceEvent, type Told, told } from "../rental/instances/instance-event.ts";
import { lockedInOrder } from "../rental/instances/lock-in-order.ts";
import { isHeld } from "../rental/moving/held.ts";
import { isCopying } from "../rental/moving/move-sql.ts";
import { finalState, isBooting, statesWhere } from "../rules/lifecycle.ts";
import type { MovePhase } from "../rules/moves.ts";
import { bootBegins, hasDeadline, roomRetryIn, roomTryAt, roomTryIn } from "./room.ts";
import type { Settings } from "./settings.ts";

/** The part of a move that its reconciliation needs. */
export interface JobMove {
  readonly from: string;
  readonly to: string;
  readonly phase: MovePhase;
  readonly copiedBytes: number;
  /** It may still run on the host that it was moved to, and so does not start here (rental/moving/held.ts). */
  readonly isHeld: boolean;
  /** Its GPUs on the new host. */
  readonly gpuAddresses: readonly string[];
}

/** A claimed instance and the lease on it. */
export interface Job extends Selectable<InstancesTable> {
  readonly lease_owner: string;
  /** Whether the desired state is older than the boot deadline, which counts from the end of a copy, or from the last try. */
  readonly overdue: boolean;
  /** Its move; null: none. */
  readonly move: JobMove | null;
  /** Whether its account has firewall rules; without any, all inbound traffic is allowed. */
  readonly has_rules: boolean;
  /** Whether it has an NVSwitch partition of its host, which must be active before it starts. */
  readonly has_partition: boolean;
  /** Seconds until it may be tried again, as its engine had no capacity (room.ts); null or negative: it may. */
  readonly room_try_in: number | null;
  /** Seconds until the next try if its engine has no capacity; null: its launch does not wait. */
  readonly room_retry_in: number | null;
}

/**
 * Claims up to `limit` due instances of these engines, longest due first; before them those of `hinted`, due or not.
 * Skips leased and locked rows. `array(…)`, because a plan can execute the inside of an `in (…)` more than once and
 * then lock more than the limit.
 */
export async function claim(
  db: Database,
  engines: readonly string[],
  limit: number,
  settings: Settings,
  hinted: readonly string[] = [],
): Promise<Job[]> {
  const until = sql`now() + make_interval(secs => ${settings.leaseSeconds}::float8)`;
  const mine = sql`${notLeased} and engine = any(${engines}::text[])`;
  const first = hinted.slice(0, limit);
  const ofHinted = sql`array(
      select id from instances where id = any(${first}::uuid[]) and state <> ${sql.lit(finalState)} and ${mine}
      for update skip locked)`;
  const ofDue = sql`array(
      select id from instances where next_look_at <= now() and ${mine}
      order by next_look_at limit ${limit - first.length}
      for update skip locked)`;
  const { rows } = await sql<Job>`
    update instances set lease_owner = gen_random_uuid(), lease_until = ${until}, next_look_at = ${until},
      attempts = attempts + 1, wished_at = ${bootBegins}
    where id = any(${first.length === 0 ? ofDue : sql`${ofHinted} || ${ofDue}`})
    returning *, wished_at <= now() - make_interval(secs => ${settings.bootDeadlineSeconds}::float8)
        and ${hasDeadline} and not exists (select from moves m where m.instance_id = instances.id and ${isCopying}) as overdue,
      (select jsonb_build_object('from', m.from_host, 'to', m.to_host, 'phase', m.phase, 'copiedBytes', m.copied_bytes,
          'isHeld', ${isHeld}, 'gpuAddresses', (
            select coalesce(jsonb_agg(g.address order by g.address), '[]') from gpus g
            where g.host = m.to_host and g.instance_id = m.instance_id))
        from moves m where m.instance_id = instances.id) as move,
      exists (select from firewall_rules r where r.account_id = instances.account_id) as has_rules,
      ${hasPartition} as has_partition, ${roomTryIn} as room_try_in, ${roomRetryIn(settings)} as room_retry_in
  `.execute(db);
  return rows;
}

/** Milliseconds until the next instance is due; 0 or less: one is due. Undefined: none is scheduled. */
export async function msUntilDue(db: Database, engines: readonly string[]): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from next_look_at - now())::float8 * 1000 as ms from instances
    where next_look_at is not null and ${notLeased} and engine = any(${engines}::text[])
    order by next_look_at limit 1`.execute(db);
  return rows[0]?.ms;
}

/** A renewed lease. Leases missing from the result are lost. */
export interface Renewed {
  readonly lease_owner: string;
  readonly generation: number;
}

/** Extends the leases from now. Locks in order of id, like every statement that locks several instances. */
export async function renew(
  db: Database,
  jobs: readonly Pick<Job, "id" | "lease_owner">[],
  settings: Settings,
): Promise<Renewed[]> {
  const until = sql`now() + make_interval(secs => ${settings.leaseSeconds}::float8)`;
  const { rows } = await sql<Renewed>`
    with mine as materialized (
      select i.id from instances i
      join unnest(${jobs.map((job) => job.id)}::uuid[], ${jobs.map((job) => job.lease_owner)}::uuid[]) as held (id, owner)
        on i.id = held.id and i.lease_owner = held.owner
      order by i.id for update of i
    )
    update instances set lease_until = ${until},
      next_look_at = case when next_look_at = lease_until then ${until} else next_look_at end
    from mine where instances.id = mine.id
    returning instances.lease_owner, instances.generation`.execute(db);
  return rows;
}

/**
 * How a lease is released. `settled`: nothing to do until the instance is woken. `wait`: in progress; check again in
 * `seconds`, or the later the older the desired state is; `isFull`: its engine has no capacity, and is tried then. `retry`: it failed; retry with exponential backoff and
 * jitter. `now`: due at once, for any worker.
 */
export type Requeue =
  | { readonly as: "settled" }
  | { readonly as: "wait"; readonly progress: string | null; readonly seconds?: number; readonly isFull?: true }
  | { readonly as: "retry"; readonly progress: string | null }
  | { readonly as: "now" };

/** Releases one lease, as releaseAll. */
export async function requeue(db: Database, job: Job, how: Requeue, settings: Settings): Promise<number> {
  return (await releaseAll(db, [{ job, how }], settings))[0] ?? Number.POSITIVE_INFINITY;
}

export interface ReleasedLease {
  readonly job: Job;
  readonly how: Requeue;
}

/**
 * Releases the leases of different instances. For each: milliseconds until the instance is due again, 0 or less if it
 * is due; Infinity if none is scheduled or the lease was lost. New progress is recorded with its event in one
 * transaction. Locks in order of id, like every statement that locks several instances.
 */
export async function releaseAll(db: Database, all: readonly ReleasedLease[], settings: Settings): Promise<number[]> {
  const ids = all.map(({ job }) => job.id);
  const rows =
    all.length === 1 && !all.some(hasNews)
      ? await ask(db, released(all, settings))
      : await inTransaction(db, async (tx) => {
          const [, changed] = await together(tx, [lockedInOrder(ids), released(all, settings)] as const);
          const news = new Map(all.filter(hasNews).map(({ job }) => [job.id, job.generation]));
          const inOrder = changed.toSorted((x, y) => (x.id < y.id ? -1 : 1));
          await recordEvents(
            tx,
            inOrder.filter((row) => news.get(row.id) === row.generation).map((row) => instanceEvent(row, "progress")),
          );
          return changed;
        });
  const ms = new Map(rows.map((row) => [row.id, row.ms]));
  return all.map(({ job }) => ms.get(job.id) ?? Number.POSITIVE_INFINITY);
}

/** Only the lease holder changes the progress, so it is unchanged since the claim. */
function hasNews({ job, how }: ReleasedLease): boolean {
  return "progress" in how && how.progress !== null && how.progress !== job.progress;
}

/** The instance after release, and in how many milliseconds it is due. */
type Row = Told & { readonly ms: number | null };

/** Those whose lease was not lost. One statement, because a statement costs several times as much as another row. */
function released(all: readonly ReleasedLease[], settings: Settings): Question<Row[]> {
  const query = sql<Row>`
    update instances i set
      lease_owner = null,
      lease_until = null,
      attempts = case when i.generation <> r.generation or r.manner = 'retry' then attempts else 0 end,
      progress = case when i.generation <> r.generation or r.manner = 'now' then i.progress else r.progress end,
      room_try_at = ${roomTryAt},
      fulfilled_generation = case when r.manner = 'settled' then r.generation else fulfilled_generation end,
      next_look_at = case when next_look_at = lease_until then ${nextLook(settings)} else next_look_at end
    from unnest(
        ${all.map(({ job }) => job.id)}::uuid[],
        ${all.map(({ job }) => job.lease_owner)}::uuid[],
        ${all.map(({ job }) => job.generation)}::bigint[],
        ${all.map(({ how }) => how.as)}::text[],
        ${all.map(({ how }) => ("progress" in how ? how.progress : null))}::text[],
        ${all.map(({ how }) => ("seconds" in how ? (how.seconds ?? null) : null))}::float8[],
        ${all.map(({ how }) => "isFull" in how)}::boolean[]
      ) as r (id, owner, generation, manner, progress, seconds, is_full)
    where i.id = r.id and i.lease_owner = r.owner
    returning ${told("i")}, extract(epoch from next_look_at - now())::float8 * 1000 as ms`;
  return question(query, (rows) => rows);
}

/**
 * Makes the instances due now, if their check is scheduled later or not at all. A lease holder continues, and notices
 * on release. Locks in order of id, like every statement that locks several instances.
 *
 * Committed without waiting for the disk: after a database crash the check happens when it was scheduled, as if a hint
 * was lost.
 */
export async function wake(db: Database, ids: readonly string[]): Promise<void> {
  await sql`
    with woken as (
      update instances set next_look_at = now()
      where id in (
        select id from instances
        where id = any(${ids}::uuid[]) and state <> ${sql.lit(finalState)} and (next_look_at is null or next_look_at > now())
        order by id for update)
    )
    select set_config('synchronous_commit', 'off', true)`.execute(db);
}

const notLeased = sql<boolean>`(lease_until is null or lease_until <= now())`;

/** When `i` is checked next, according to `r`. */
function nextLook({ lookSeconds, retrySeconds, bootDeadlineSeconds }: Settings): RawBuilder<unknown> {
  const [leastLook, mostLook] = lookSeconds;
  const [leastRetry, mostRetry] = retrySeconds;
  const age = sql`extract(epoch from now() - wished_at)`;
  const look = sql`coalesce(r.seconds, least(${mostLook}::float8, greatest(${leastLook}::float8, ${age} / 4)))`;
  // 2^20 half seconds are six days: more than any `most`, and far from an overflow.
  const backoff = sql`least(${mostRetry}::float8, ${leastRetry}::float8 * 2 ^ least(attempts - 1, 20))`;
  // A boot is checked at its deadline at the latest, because it has failed then.
  const deadline = sql`case when state = any(${statesWhere(isBooting)}::text[])
    then nullif(greatest(wished_at + make_interval(secs => ${bootDeadlineSeconds}::float8), now()), now()) end`;
  return sql`case r.manner
    when ${sql.lit("now" satisfies As)} then now()
    when ${sql.lit("wait" satisfies As)} then least(now() + make_interval(secs => ${look}), ${deadline})
    when ${sql.lit("retry" satisfies As)}
      then least(now() + make_interval(secs => ${backoff} * (0.5 + random() / 2)), ${deadline}) end`;
}

/** `settled` has no next check. */
type As = Requeue["as"];
