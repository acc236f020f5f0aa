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
import { type Database, inTransaction, type Transaction } from "../database/connect.ts";
import type { InstancesTable } from "../database/schema.ts";
import { recordEvents } from "../rental/events/record.ts";
import { instanceEvent, type Told } from "../rental/instances/instance-event.ts";
import { statesWhere } from "../rental/instances/lifecycle.ts";
import type { Settings } from "./settings.ts";
import { hasDeadline } from "./step.ts";

/** An instance to work on, and the lease on it. */
export interface Job extends Selectable<InstancesTable> {
  readonly lease_owner: string;
  /** Whether the wish is older than the boot deadline. */
  readonly overdue: boolean;
}

/**
 * Claims up to `limit` due instances of these engines, those that waited longest first. `array(…)`, because a plan may
 * run the inside of an `in (…)` more than once, and then it would lock more than the limit.
 */
export async function claim(
  db: Database,
  engines: readonly string[],
  limit: number,
  settings: Settings,
): Promise<Job[]> {
  const until = sql`now() + make_interval(secs => ${settings.leaseSeconds}::float8)`;
  const { rows } = await sql<Job>`
    update instances set lease_owner = gen_random_uuid(), lease_until = ${until}, next_look_at = ${until},
      attempts = attempts + 1
    where id = any(array(
      select id from instances
      where next_look_at <= now() and ${notLeased} and engine = any(${engines}::text[])
      order by next_look_at limit ${limit}
      for update skip locked))
    returning *, wished_at <= now() - make_interval(secs => ${settings.bootDeadlineSeconds}::float8) as overdue
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

/** Makes the leases run from now on again. */
export async function renew(
  db: Database,
  jobs: readonly Pick<Job, "id" | "lease_owner">[],
  settings: Settings,
): Promise<Renewed[]> {
  const until = sql`now() + make_interval(secs => ${settings.leaseSeconds}::float8)`;
  const { rows } = await sql<Renewed>`
    update instances set lease_until = ${until},
      next_look_at = case when next_look_at = lease_until then ${until} else next_look_at end
    from unnest(${jobs.map((job) => job.id)}::uuid[], ${jobs.map((job) => job.lease_owner)}::uuid[]) as mine (id, owner)
    where instances.id = mine.id and instances.lease_owner = mine.owner
    returning instances.lease_owner, instances.generation`.execute(db);
  return rows;
}

/**
 * How a job is laid down. `settled`: nothing to do until somebody wakes it. `wait`: it is on its way; look again, the
 * later the older the wish, or in `seconds`. `retry`: it failed; try again, twice as late each time, with jitter so that
 * what failed together does not come back together. `now`: somebody else may go on with it.
 */
export type Release =
  | { readonly as: "settled" }
  | { readonly as: "wait"; readonly progress: string | null; readonly seconds?: number }
  | { readonly as: "retry"; readonly progress: string | null }
  | { readonly as: "now" };

/**
 * Gives the lease up. Milliseconds until the instance is due again, 0 or less when it is; Infinity when it is not, or
 * when the lease was lost and nothing was changed. Progress that is new is told by an event, in one transaction with it;
 * while it stays the same, which is nearly always, this is one statement.
 */
export async function release(db: Database, job: Job, how: Release, settings: Settings): Promise<number> {
  const row = hasNews(job, how)
    ? await inTransaction(db, async (tx) => {
        const released = await layDown(tx, job, how, settings);
        if (released?.generation === job.generation) await recordEvents(tx, [instanceEvent(released, "progress")]);
        return released;
      })
    : await layDown(db, job, how, settings);
  return row?.ms ?? Number.POSITIVE_INFINITY;
}

/** Only who holds the lease changes the progress of a wish, so it still is as it was when the job was claimed. */
function hasNews(job: Job, how: Release): boolean {
  return "progress" in how && how.progress !== null && how.progress !== job.progress;
}

/** The instance as it is laid down, and in how many milliseconds it is due. */
type LaidDown = Told & { readonly ms: number | null };

async function layDown(
  db: Database | Transaction,
  job: Job,
  how: Release,
  settings: Settings,
): Promise<LaidDown | undefined> {
  const progress = "progress" in how ? how.progress : null;
  const { rows } = await sql<LaidDown>`
    update instances set
      lease_owner = null,
      lease_until = null,
      attempts = case when generation <> ${job.generation} or ${how.as === "retry"} then attempts else 0 end,
      progress = case when generation <> ${job.generation} or ${how.as === "now"} then progress else ${progress} end,
      fulfilled_generation = case when ${how.as === "settled"} then ${job.generation} else fulfilled_generation end,
      next_look_at = case when next_look_at = lease_until then ${nextLook(how, settings)} else next_look_at end
    where id = ${job.id} and lease_owner = ${job.lease_owner}
    returning id, account_id, name, state, health, generation, region, instance_type, ip, progress,
      failure_code, failure_message, extract(epoch from next_look_at - now())::float8 * 1000 as ms`.execute(db);
  return rows[0];
}

/**
 * Makes the instances due now: those whose look is planned for later, or not at all. Whoever holds a lease goes on, and
 * finds the wish for another look when it releases. Locks in order of id, as everybody who locks several.
 */
export async function wake(db: Database, ids: readonly string[]): Promise<void> {
  await sql`
    update instances set next_look_at = now()
    where id in (
      select id from instances
      where id = any(${ids}::uuid[]) and state <> 'terminated' and (next_look_at is null or next_look_at > now())
      order by id for update)`.execute(db);
}

const notLeased = sql<boolean>`(lease_until is null or lease_until <= now())`;

function nextLook(how: Release, { lookSeconds, retrySeconds, bootDeadlineSeconds }: Settings): RawBuilder<unknown> {
  // A boot that will have failed at its deadline is looked at then, however late the next look would be.
  const deadline = sql`case when state = any(${statesWhere(hasDeadline)}::text[])
    then nullif(greatest(wished_at + make_interval(secs => ${bootDeadlineSeconds}::float8), now()), now()) end`;
  const inSeconds = (seconds: RawBuilder<unknown>) =>
    sql`least(now() + make_interval(secs => (${seconds})::float8), ${deadline})`;
  switch (how.as) {
    case "settled":
      return sql`null::timestamptz`;
    case "now":
      return sql`now()`;
    case "wait": {
      if (how.seconds !== undefined) return inSeconds(sql`${how.seconds}::float8`);
      const [least, most] = lookSeconds;
      const age = sql`extract(epoch from now() - wished_at)`;
      return inSeconds(sql`least(${most}::float8, greatest(${least}::float8, ${age} / 4))`);
    }
    case "retry": {
      const [least, most] = retrySeconds;
      // 2^20 half seconds are six days: more than any `most`, and far from an overflow.
      const backoff = sql`least(${most}::float8, ${least}::float8 * 2 ^ least(attempts - 1, 20))`;
      return inSeconds(sql`${backoff} * (0.5 + random() / 2)`);
    }
  }
}
