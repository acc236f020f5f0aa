// What guests are told of their eviction: of each instance the end of its notice, in a file (rules/spot.ts). Used by
// reconciler/guest-notices.ts, which writes the files.
//
// Invariant: `evict_told` is what the guest of this boot was told last; actions that end the boot clear it.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { isReady, statesWhere } from "../../rules/lifecycle.ts";

/** An instance whose guest is to be told. */
export interface GuestNotice {
  readonly id: string;
  readonly host: string;
  /** Null: its notice was withdrawn. */
  readonly evictAt: Date | null;
  /** The same, exactly: as the database writes it. */
  readonly version: string | null;
}

/** Those of the engine's that are up, at most `most`, except these. */
export async function untoldGuests(
  db: Database,
  engine: string,
  except: readonly string[],
  most: number,
): Promise<GuestNotice[]> {
  const { rows } = await sql<GuestNotice>`
    select id, host, evict_at as "evictAt", evict_at::text as version from instances
    where engine = ${engine} and terminated_at is null and evict_told is distinct from evict_at
      and state = any(${statesWhere(isReady)}::text[]) and id <> all(${[...except]}::uuid[])
    order by evict_at nulls last, id limit ${most}`.execute(db);
  return rows;
}

/** Notes that its guest was told that; nothing if it was given another notice since. */
export async function noteTold(db: Database, { id, version }: GuestNotice): Promise<void> {
  await sql`
    update instances set evict_told = evict_at
    where id = ${id} and evict_at::text is not distinct from ${version}`.execute(db);
}
