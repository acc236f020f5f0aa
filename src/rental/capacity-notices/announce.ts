// Announces where capacity has come or gone, and tells the accounts whose notices that concerns. A job of the reconciler:
// it can run twice at once or be interrupted anywhere, because what is announced and its events are one transaction, only
// the first of two changes a row, and a reading that is older than one that was counted changes nothing.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { announcedAfter } from "../../rules/capacity-notices.ts";
import type { CapacityCache } from "../capacity/cache.ts";
import type { EventType } from "../events/event-types.ts";
import { recordEventsOf } from "../events/record.ts";
import {
  type Announcement,
  announceAvailable,
  announcements,
  clearAnnouncements,
  forgetRemoved,
  lockAnnouncements,
  someNotices,
  writeAnnouncements,
} from "./announced-capacity.ts";
import { type SeenCapacity, seenCapacity } from "./seen-capacity.ts";

/** Instance types in a region, told of in one transaction: limits how many events it writes, which is all its accounts. */
const batch = 10;

/** Reads what is free, and gives of how many instance types and regions it has announced capacity. */
export async function announceCapacity(db: Database, capacity: Pick<CapacityCache, "view">): Promise<number> {
  // Before the reading, so that no later one is taken for an earlier one.
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(db);
  const at = rows[0]?.at;
  if (at === undefined) throw new Error("BUG: a select without from gave no row");
  const seen = await seenCapacity(db, capacity);
  const come = await inTransaction(db, (tx) => count(tx, seen, at));
  let announced = 0;
  for (let from = 0; from < come.length; from += batch) {
    announced += await inTransaction(db, (tx) => tell(tx, come.slice(from, from + batch), at));
  }
  return announced;
}

/** Capacity that has lasted long enough: as it is announced until now. */
interface Come extends Announcement {
  /** How many instances fit now. */
  readonly fits: number;
}

/** Counts a reading, and gives what is to be announced and told. */
async function count(tx: Transaction, seen: readonly SeenCapacity[], at: Date): Promise<Come[]> {
  await lockAnnouncements(tx);
  if (!(await isLatest(tx, at))) return [];
  if (!(await someNotices(tx))) {
    await clearAnnouncements(tx);
    return [];
  }
  await forgetRemoved(tx);
  const changes = changesOf(await announcements(tx), seen, at.getTime());
  const [come, others] = [changes.filter(hasCome), changes.filter((one) => !hasCome(one))];
  await writeAnnouncements(
    tx,
    others.map(({ after }) => after),
  );
  return come.map(({ before, fits }) => ({ ...before, fits }));
}

/** Whether no later reading was counted, of any replica. */
async function isLatest(tx: Transaction, at: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into settings as s (name, value) values ('capacity read', to_jsonb(${at}::timestamptz))
    on conflict (name) do update set value = excluded.value
    where (s.value #>> '{}')::timestamptz < (excluded.value #>> '{}')::timestamptz
    returning 1`.execute(tx);
  return rows.length > 0;
}

interface Change {
  readonly before: Announcement;
  readonly after: Announcement;
  readonly fits: number;
}

const hasCome = ({ before, after }: Change): boolean => after.isAvailable && !before.isAvailable;

/** Of what something else is announced, or seen, than before. */
function changesOf(known: readonly Announcement[], seen: readonly SeenCapacity[], atMs: number): Change[] {
  const fitsOf = new Map(seen.map((one) => [keyOf(one), one.fits]));
  const all = new Map<string, Announcement>(seen.map((one) => [keyOf(one), notAnnounced(one, atMs)]));
  for (const one of known) all.set(keyOf(one), one);
  return [...all].flatMap(([key, before]) => {
    const fits = fitsOf.get(key) ?? 0;
    const after = announcedAfter(before, fits > 0, atMs);
    return after === before ? [] : [{ before, after, fits }];
  });
}

function notAnnounced({ instanceType, region }: SeenCapacity, sinceMs: number): Announcement {
  return { instanceType, region, isAvailable: false, sinceMs, oppositeSinceMs: undefined };
}

const keyOf = ({ instanceType, region }: Pick<SeenCapacity, "instanceType" | "region">): string =>
  JSON.stringify([instanceType, region]);

/** Announces those of which nothing else was seen meanwhile: one event for each account, however many of its notices match. */
async function tell(tx: Transaction, come: readonly Come[], at: Date): Promise<number> {
  await lockAnnouncements(tx);
  const ids = await announceAvailable(tx, come, at);
  if (ids.length === 0) return 0;
  await recordEventsOf(
    tx,
    sql`
      select n.account_id, ${"capacity.available" satisfies EventType}::text, a.id, jsonb_build_object(
        'capacity', jsonb_build_object('instance_type', a.instance_type, 'region', a.region, 'available', come.fits),
        'notice_ids', jsonb_agg(n.id order by n.id))
      from unnest(${come.map((one) => one.instanceType)}::text[], ${come.map((one) => one.region)}::text[],
        ${come.map((one) => one.fits)}::integer[]) as come (instance_type, region, fits)
      join announced_capacity a using (instance_type, region)
      join capacity_notices n on (n.instance_type = a.instance_type or n.instance_type is null)
        and (n.region = a.region or n.region is null)
      where a.id = any(${ids}::uuid[])
      group by n.account_id, a.id, come.fits
      order by n.account_id, a.instance_type, a.region`,
  );
  return ids.length;
}
