// The table of announced capacity: of which instance types and regions accounts with a notice were told. Used by
// notice-store.ts and announce.ts.
//
// Invariant: it is kept while there are notices, and changes under one lock for all replicas. A notice is created under it
// too: so the first one finds the table as it begins, and none is created between a change and its events.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { Announced } from "../../rules/capacity-notices.ts";
import type { SeenCapacity } from "./seen-capacity.ts";

/** Until the transaction ends. */
export async function lockAnnouncements(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('capacity notices', 0))`.execute(tx);
}

export async function someNotices(db: Database): Promise<boolean> {
  const { rows } = await sql<{ some: boolean }>`select exists (select from capacity_notices) as some`.execute(db);
  return rows[0]?.some === true;
}

/** Whether there is something to announce or to clear. One statement, because it is asked also where no account has one. */
export async function isAnnouncing(db: Database): Promise<boolean> {
  const { rows } = await sql<{ some: boolean }>`
    select exists (select from capacity_notices) or exists (select from announced_capacity) as some`.execute(db);
  return rows[0]?.some === true;
}

/** Begins with what is seen now, of which no event tells. */
export async function beginAnnouncing(tx: Transaction, seen: readonly SeenCapacity[]): Promise<void> {
  await clearAnnouncements(tx);
  await sql`
    insert into announced_capacity (instance_type, region, is_available, since)
    select instance_type, region, true, now()
    from unnest(${seen.map((one) => one.instanceType)}::text[], ${seen.map((one) => one.region)}::text[])
      as seen (instance_type, region)`.execute(tx);
}

export async function clearAnnouncements(tx: Transaction): Promise<void> {
  await sql`delete from announced_capacity`.execute(tx);
}

/** Deletes what was announced of instance types and regions that are gone. */
export async function forgetRemoved(tx: Transaction): Promise<void> {
  await sql`
    delete from announced_capacity a
    where not exists (select from instance_types t where t.name = a.instance_type)
      or not exists (select from regions r where r.name = a.region)`.execute(tx);
}

/** Of an instance type in a region. */
export interface Announcement extends Announced {
  readonly instanceType: string;
  readonly region: string;
}

export async function announcements(tx: Transaction): Promise<Announcement[]> {
  const rows = await tx.selectFrom("announced_capacity").selectAll().execute();
  return rows.map((row) => ({
    instanceType: row.instance_type,
    region: row.region,
    isAvailable: row.is_available,
    sinceMs: row.since.getTime(),
    oppositeSinceMs: row.opposite_since?.getTime(),
  }));
}

/** Writes those that have changed. */
export async function writeAnnouncements(tx: Transaction, changed: readonly Announcement[]): Promise<void> {
  if (changed.length === 0) return;
  await sql`
    insert into announced_capacity as a (instance_type, region, is_available, since, opposite_since)
    select * from unnest(${changed.map((one) => one.instanceType)}::text[], ${changed.map((one) => one.region)}::text[],
      ${changed.map((one) => one.isAvailable)}::boolean[], ${changed.map((one) => timeOf(one.sinceMs))}::timestamptz[],
      ${changed.map((one) => timeOf(one.oppositeSinceMs))}::timestamptz[])
    on conflict (instance_type, region) do update
    set is_available = excluded.is_available, since = excluded.since, opposite_since = excluded.opposite_since`.execute(
    tx,
  );
}

/** Announces capacity where all is still as `before` says, and gives the ids of those rows. */
export async function announceAvailable(tx: Transaction, before: readonly Announcement[], at: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update announced_capacity a set is_available = true, since = ${at}, opposite_since = null
    from unnest(${before.map((one) => one.instanceType)}::text[], ${before.map((one) => one.region)}::text[],
      ${before.map((one) => timeOf(one.oppositeSinceMs))}::timestamptz[]) as b (instance_type, region, opposite_since)
    where a.instance_type = b.instance_type and a.region = b.region and not a.is_available
      and a.opposite_since = b.opposite_since
    returning a.id`.execute(tx);
  return rows.map(({ id }) => id);
}

const timeOf = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());
