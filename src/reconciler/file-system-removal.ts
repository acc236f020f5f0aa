// Removes the data of deleted file systems at one engine. A failure is logged and retried until it succeeds, across
// crashes. Any number of replicas can run this. Each removal is one engine call, with a deadline and no transaction
// open.

import type { Database } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { engineCall } from "./engine-call.ts";
import {
  claimRemovals,
  finishRemoval,
  putRemovalOff,
  type Removal,
  releaseRemoval,
} from "./file-system-removal-store.ts";
import { type Log, reason } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Limits how many others one unresponsive host delays. */
const AT_ONCE = 8;

/** Removes all that is due. Throws what the database throws. */
export async function removeFileSystems(
  db: Database,
  engine: Engine,
  settings: Settings,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const due = await claimRemovals(db, engine.name, AT_ONCE, settings);
    if (due.length === 0) return;
    await Promise.all(due.map((one) => removeOne(db, engine, settings, log, one, signal)));
  }
}

async function removeOne(
  db: Database,
  engine: Engine,
  settings: Settings,
  log: Log,
  removal: Removal,
  signal: AbortSignal,
): Promise<void> {
  const { id, host, attempts } = removal;
  const told = { engine: engine.name, fileSystem: id, ...(host !== null && { host }), attempts };
  try {
    const place = { id, host: host ?? undefined };
    await engineCall(settings.engineCallSeconds, signal, (late) => engine.removeFileSystem(place, late));
  } catch (error) {
    if (signal.aborted) return releaseRemoval(db, removal);
    log.warn({ ...told, error: reason(error) }, "cannot remove a file system");
    return putRemovalOff(db, removal, settings);
  }
  await finishRemoval(db, removal);
  log.info(told, "file system removed");
}
