// The SQL of leases: which instance is due, who works on it, when to look again. The instance's row is the job.
//
// A lease is a token (`lease_owner`, a new one for each claim) and a time. Every write of the one who holds it asks for
// the token, so a worker whose lease ran out and was claimed anew, be it by the same process, can change nothing.
//
// While a lease runs, `next_look_at = lease_until`. That does two things. When the worker dies, the row becomes due by
// itself at the moment its lease ends. And whoever wants another look meanwhile (a new wish, the engine's hint) sets
// `next_look_at = now()` without minding the lease: the two then differ, and `release` leaves the row due instead of
// putting off, or forgetting, the look that was asked for. No wake-up is ever lost to the worker that is just finishing.

import { type RawBuilder, type Selectable, sql } from "kysely";
import { ask, type Database, inTransaction, type Question, question, together } from "../database/connect.ts";
import type { InstancesTable } from "../database/tables/instances.ts";
import { recordEvents } from "../rental/events/record.ts";
import { instanceEvent, type Told, told } from "../rental/instances/instance-event.ts";
import { lockedInOrder } from "../rental/instances/lock-in-order.ts";
import { finalState, isBooting, statesWhere } from "../rules/lifecycle.ts";
import type { Settings } from "./settings.ts";

/** An instance to work on, and the lease on it. */
export interface Job extends Selectable<InstancesTable> {
  readonly lease_owner: string;
  /** Whether the wish is older than the boot deadline. */
  readonly overdue: boolean;
  /** Whether its account has given firewall rules; without, everything comes in. */
  readonly has_rules: boolean;
}

/**
 * Claims up to `limit` due instances of these engines, those that waited longest first; before them those of `hinted`,
 * due or not, as if they had been woken. What of these is leased, locked or too much is not claimed. `array(…)`, because
 * a plan may run the inside of an `in (…)` more than once, and then it would lock more than the limit.
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
      attempts = attempts + 1
    where id = any(${first.length === 0 ? ofDue : sql`${ofHinted} || ${ofDue}`})
    returning *, wished_at <= now() - make_interval(secs => ${settings.bootDeadlineSeconds}::float8) as overdue,
      exists (select from firewall_rules r where r.account_id = instances.account_id) as has_rules
  `.execute(db);
  return rows;
}

/** Milliseconds until the next instance is due; 0 or less: one is. Undefined: none is planned. */
export async function msUntilDue(db: Database, engines: readonly string[]): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from next_look_at - now())::float8 * 1000 as ms from instances
    where next_look_at is not null and ${notLeased} and engine = any(${engines}::text[])
    order by next_look_at limit 1`.execute(db);
  return rows[0]?.ms;
}

/** A lease as `renew` found it. One that is not among the answers is lost. */
export interface Renewed {
  readonly lease_owner: string;
  readonly generation: number;
}

/** Makes the leases run from now on again. Locks in order of id, as everybody who locks several. */
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
 * How a job is laid down. `settled`: nothing to do until somebody wakes it. `wait`: it is on its way; look again, the
 * later the older the wish, or in `seconds`. `retry`: it failed; try again, twice as late each time, with jitter so that
 * what failed together does not come back together. `now`: somebody else may go on with it.
 */
export type Requeue =
  | { readonly as: "settled" }
  | { readonly as: "wait"; readonly progress: string | null; readonly seconds?: number }
  | { readonly as: "retry"; readonly progress: string | null }
  | { readonly as: "now" };

/** Gives one lease up: as releaseAll. */
export async function requeue(db: Database, job: Job, how: Requeue, settings: Settings): Promise<number> {
  return (await releaseAll(db, [{ job, how }], settings))[0] ?? Number.POSITIVE_INFINITY;
}

/** A job that is laid down. */
export interface ReleasedLease {
  readonly job: Job;
  readonly how: Requeue;
}

/**
 * Gives the leases up, of different instances. For each: milliseconds until the instance is due again, 0 or less when it
 * is; Infinity when it is not, or when the lease was lost and nothing was changed. Progress that is new is told by an
 * event, in one transaction with it. Locks in order of id, as everybody who locks several.
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

/** Only who holds the lease changes the progress of a wish, so it still is as it was when the job was claimed. */
function hasNews({ job, how }: ReleasedLease): boolean {
  return "progress" in how && how.progress !== null && how.progress !== job.progress;
}

/** The instance as it is laid down, and in how many milliseconds it is due. */
type Row = Told & { readonly ms: number | null };

/** Those whose lease was not lost. One statement, because what one costs is several times what a row more of it does. */
function released(all: readonly ReleasedLease[], settings: Settings): Question<Row[]> {
  const query = sql<Row>`
    update instances i set
      lease_owner = null,
      lease_until = null,
      attempts = case when i.generation <> r.generation or r.manner = 'retry' then attempts else 0 end,
      progress = case when i.generation <> r.generation or r.manner = 'now' then i.progress else r.progress end,
      fulfilled_generation = case when r.manner = 'settled' then r.generation else fulfilled_generation end,
      next_look_at = case when next_look_at = lease_until then ${nextLook(settings)} else next_look_at end
    from unnest(
        ${all.map(({ job }) => job.id)}::uuid[],
        ${all.map(({ job }) => job.lease_owner)}::uuid[],
        ${all.map(({ job }) => job.generation)}::bigint[],
        ${all.map(({ how }) => how.as)}::text[],
        ${all.map(({ how }) => ("progress" in how ? how.progress : null))}::text[],
        ${all.map(({ how }) => ("seconds" in how ? (how.seconds ?? null) : null))}::float8[]
      ) as r (id, owner, generation, manner, progress, seconds)
    where i.id = r.id and i.lease_owner = r.owner
    returning ${told("i")}, extract(epoch from next_look_at - now())::float8 * 1000 as ms`;
  return question(query, (rows) => rows);
}

/**
 * Makes the instances due now: those whose look is planned for later, or not at all. Whoever holds a lease goes on, and
 * finds the wish for another look when it releases. Locks in order of id, as everybody who locks several.
 *
 * Nobody waits until it is on the disk: where the database crashes before, the look comes when it was planned, as it does
 * when a hint is lost.
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

/** When `r` wants `i` to be looked at next. */
function nextLook({ lookSeconds, retrySeconds, bootDeadlineSeconds }: Settings): RawBuilder<unknown> {
  const [leastLook, mostLook] = lookSeconds;
  const [leastRetry, mostRetry] = retrySeconds;
  const age = sql`extract(epoch from now() - wished_at)`;
  const look = sql`coalesce(r.seconds, least(${mostLook}::float8, greatest(${leastLook}::float8, ${age} / 4)))`;
  // 2^20 half seconds are six days: more than any `most`, and far from an overflow.
  const backoff = sql`least(${mostRetry}::float8, ${leastRetry}::float8 * 2 ^ least(attempts - 1, 20))`;
  // A boot that will have failed at its deadline is looked at then, however late the next look would be.
  const deadline = sql`case when state = any(${statesWhere(isBooting)}::text[])
    then nullif(greatest(wished_at + make_interval(secs => ${bootDeadlineSeconds}::float8), now()), now()) end`;
  return sql`case r.manner
    when ${sql.lit("now" satisfies As)} then now()
    when ${sql.lit("wait" satisfies As)} then least(now() + make_interval(secs => ${look}), ${deadline})
    when ${sql.lit("retry" satisfies As)}
      then least(now() + make_interval(secs => ${backoff} * (0.5 + random() / 2)), ${deadline}) end`;
}

/** `settled` is looked at no more. */
type As = Requeue["as"];
