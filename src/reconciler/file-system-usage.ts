// Measures how much file systems store, through their engines. Started by reconciler.ts for each engine.
//
// Invariant: a detached file system is measured once more and then left alone, because it cannot change. A result for a
// file system that was deleted meanwhile is discarded. Any replica can run this; the scheduled job only saves work.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import type { Engine, FileSystemRef } from "../engines/engine.ts";
import { engineCall } from "./engine-call.ts";
import { type Log, reason } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Per page, and per engine call. */
const PAGE = 200;
const AT_ONCE = 4;

/** Measures all that might have changed. One that cannot be measured is logged and keeps its last value. */
export async function measureFileSystems(
  db: Database,
  engine: Engine,
  settings: Settings,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let after: string | undefined;
  do {
    const page = await changing(db, engine.name, after);
    for (let at = 0; at < page.length && !signal.aborted; at += AT_ONCE) {
      const some = page.slice(at, at + AT_ONCE);
      await Promise.all(some.map((one) => measure(db, engine, settings, log, one, signal)));
    }
    after = page.length === PAGE ? page.at(-1)?.id : undefined;
  } while (after !== undefined && !signal.aborted);
}

interface Measured extends FileSystemRef {
  /** An attached file system keeps changing. */
  readonly attached: boolean;
}

async function changing(db: Database, engine: string, after: string | undefined): Promise<Measured[]> {
  const { rows } = await sql<{ id: string; host: string | null; attached: boolean }>`
    select id, host, attached_to <> '{}' as attached from file_systems
    where engine = ${engine} and lost_at is null and (attached_to <> '{}' or measured_at is null)
      and (${after ?? null}::uuid is null or id > ${after ?? null}::uuid)
    order by id limit ${PAGE}`.execute(db);
  return rows.map(({ host, ...one }) => ({ ...one, host: host ?? undefined }));
}

async function measure(
  db: Database,
  engine: Engine,
  { engineCallSeconds }: Settings,
  log: Log,
  { id, host, attached }: Measured,
  signal: AbortSignal,
): Promise<void> {
  try {
    const bytes = await engineCall(engineCallSeconds, signal, (late) => engine.measureFileSystem({ id, host }, late));
    // An unchanged value is not written: a write invalidates the account's cached responses.
    await sql`
      update file_systems set bytes_used = coalesce(${bytes ?? null}::bigint, bytes_used), measured_at = now()
      where id = ${id} and (attached_to <> '{}') = ${attached}
        and (bytes_used is distinct from ${bytes ?? null}::bigint or measured_at is null)`.execute(db);
  } catch (error) {
    if (!signal.aborted) {
      log.warn({ engine: engine.name, fileSystem: id, error: reason(error) }, "cannot measure a file system");
    }
  }
}
