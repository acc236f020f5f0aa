// Makes stored metrics coarser as they age, and deletes those that are too old or whose instance is gone. Maintenance
// jobs (reconciler/maintenance).
//
// Invariant: a transaction moves the chunks of some instances from one level to the next, so that a point is never in
// none of them or counted twice; what is already there, because points came late, is combined with. So a job can run
// twice at once or be interrupted anywhere.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { beginOf, compactions, type LevelNumber, lastToCompact, lastToDelete, levels, placeOf } from "./levels.ts";
import { type Placed, packed, unpacked } from "./packed.ts";
import { combined, type Point } from "./point.ts";

/** Instances per transaction: some megabytes. */
const ordinaryBatch = 200;

interface Chunk {
  readonly instance: string;
  readonly chunk: number;
  readonly data: Buffer;
}

/** Moves all that is old enough. Returns how many chunks it wrote. `now`: for tests. */
export async function compactMetrics(
  db: Database,
  signal: AbortSignal,
  now = new Date(),
  batch = ordinaryBatch,
): Promise<number> {
  let written = 0;
  for (const { from, to } of compactions) {
    const [next] = to;
    const perChunk = levels[next].chunk / levels[from].chunk;
    // Only whole chunks of the next level, the oldest first: each is written once, unless points come late.
    const end = Math.floor((lastToCompact(from, seconds(now)) + 1) / perChunk);
    for (;;) {
      const at = await oldest(db, from);
      if (at === undefined || Math.floor(at / perChunk) >= end) break;
      const first = Math.floor(at / perChunk) * perChunk;
      const chunks = Array.from({ length: perChunk }, (_, index) => first + index);
      const ids = await instancesIn(db, from, chunks);
      for (let some = 0; some < ids.length; some += batch) {
        if (signal.aborted) return written;
        const part = ids.slice(some, some + batch);
        written += await inTransaction(db, (tx) => move(tx, from, to, chunks, part));
      }
    }
  }
  return written;
}

/** Deletes what is older than is kept. Returns how many chunks. `now`: for tests. */
export async function deleteOldMetrics(db: Database, now = new Date()): Promise<number> {
  let deleted = 0;
  for (const level of [2, 3] as const) {
    const { numAffectedRows } = await sql`
      delete from guest_metrics where level = ${level} and chunk <= ${lastToDelete(level, seconds(now))}`.execute(db);
    deleted += Number(numAffectedRows ?? 0n);
  }
  return deleted;
}

/** Deletes those of instances that were deleted before their metrics were too old. Returns how many chunks. */
export async function deleteMetricsWithoutInstance(db: Database): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from guest_metrics m where not exists (select from instances i where i.id = m.instance_id)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

async function oldest(db: Database, level: LevelNumber): Promise<number | undefined> {
  const query =
    level === 0
      ? sql<{ chunk: number | null }>`select min(minute) as chunk from guest_metrics_recent`
      : sql<{ chunk: number | null }>`select min(chunk) as chunk from guest_metrics where level = ${level}`;
  return (await query.execute(db)).rows[0]?.chunk ?? undefined;
}

async function instancesIn(db: Database, level: LevelNumber, chunks: readonly number[]): Promise<string[]> {
  const [first, last] = [chunks[0], chunks.at(-1)];
  const { rows } = await (level === 0
    ? sql<{ id: string }>`
        select distinct instance_id as id from guest_metrics_recent where minute between ${first} and ${last}`
    : sql<{ id: string }>`
        select distinct instance_id as id from guest_metrics
        where level = ${level} and chunk between ${first} and ${last}`
  ).execute(db);
  return rows.map(({ id }) => id).toSorted();
}

/** Moves the chunks of these instances. Returns how many were written. */
async function move(
  tx: Transaction,
  from: LevelNumber,
  to: readonly LevelNumber[],
  chunks: readonly number[],
  ids: readonly string[],
): Promise<number> {
  // Two jobs at once would combine the same points twice.
  await sql`select pg_advisory_xact_lock(hashtextextended('compaction of guest metrics', 0))`.execute(tx);
  const { rows } = await (from === 0
    ? sql<Chunk>`
        delete from guest_metrics_recent where minute = any(${chunks}::integer[]) and instance_id = any(${ids}::uuid[])
        returning instance_id as instance, minute as chunk, data`
    : sql<Chunk>`
        delete from guest_metrics
        where level = ${from} and chunk = any(${chunks}::integer[]) and instance_id = any(${ids}::uuid[])
        returning instance_id as instance, chunk, data`
  ).execute(tx);
  const byInstance = Map.groupBy(rows, ({ instance }) => instance);
  if (byInstance.size === 0) return 0;
  const begin = beginOf(from, chunks[0] ?? 0, 0);
  for (const level of to) await writeLevel(tx, from, level, placeOf(level, begin).chunk, byInstance);
  return byInstance.size * to.length;
}

async function writeLevel(
  tx: Transaction,
  from: LevelNumber,
  to: LevelNumber,
  chunk: number,
  byInstance: ReadonlyMap<string, readonly Chunk[]>,
): Promise<void> {
  const ids = [...byInstance.keys()];
  const there = await sql<{ instance: string; data: Buffer }>`
    select instance_id as instance, data from guest_metrics
    where level = ${to} and chunk = ${chunk} and instance_id = any(${ids}::uuid[])`.execute(tx);
  const before = new Map(there.rows.map(({ instance, data }) => [instance, unpacked(data)]));
  const rows = ids.map((id) => {
    const points = coarser(from, to, byInstance.get(id) ?? [], before.get(id) ?? []);
    return `${id} ${packed(points).toString("hex")}`;
  });
  await sql`
    insert into guest_metrics (level, chunk, instance_id, data)
    select ${to}, ${chunk}, id, decode(hex, 'hex')
    from (select split_part(line, ' ', 1)::uuid as id, split_part(line, ' ', 2) as hex
      from unnest(string_to_array(${rows.join("\n")}, ${"\n"})) as line) as given
    where exists (select from instances i where i.id = given.id)
    on conflict (level, chunk, instance_id) do update set data = excluded.data`.execute(tx);
}

function coarser(
  from: LevelNumber,
  to: LevelNumber,
  chunks: readonly Chunk[],
  before: readonly Placed[],
): readonly Placed[] {
  const places = new Map<number, Point[]>();
  const add = (place: number, point: Point) => {
    const there = places.get(place);
    if (there === undefined) places.set(place, [point]);
    else there.push(point);
  };
  for (const { place, point } of before) add(place, point);
  for (const { chunk, data } of chunks.toSorted((a, b) => a.chunk - b.chunk)) {
    for (const { place, point } of unpacked(data)) add(placeOf(to, beginOf(from, chunk, place)).place, point);
  }
  return [...places].sort(([a], [b]) => a - b).map(([place, points]) => ({ place, point: combined(points) }));
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
