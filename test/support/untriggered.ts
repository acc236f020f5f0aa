// A connection beside the rental's own, on which neither triggers nor foreign keys fire: for what tests do behind the
// rental's back, such as to empty a database and to let time pass. Each such connection is that from its start: to say so
// on one of the rental's, as was usual, discards the plans of all its statements, which then are made again after each
// move of time. Used by world.ts, stage.ts and time-travel.ts; database.ts says which databases have one.

import { connect, type Database, type DatabaseConfig } from "../../src/database/connect.ts";

const configs = new WeakMap<Database, DatabaseConfig>();
const opened = new WeakMap<Database, Database>();

/** `db` may have one, which opens when it is first needed. */
export function mayHaveUntriggered(db: Database, config: DatabaseConfig): void {
  configs.set(db, config);
}

/** That of `db`, if tests made it (`freshDatabase`). One statement or transaction at a time. */
export function untriggeredOf(db: Database): Database | undefined {
  const known = opened.get(db);
  const config = configs.get(db);
  if (known !== undefined || config === undefined) return known;
  const url = `${config.url}&options=${encodeURIComponent("-c session_replication_role=replica")}`;
  const made = connect({ url, maxConnections: 1 });
  opened.set(db, made);
  return made;
}

/** Closes it, if there is one. */
export async function closeUntriggered(db: Database): Promise<void> {
  configs.delete(db);
  const made = opened.get(db);
  opened.delete(db);
  await made?.destroy();
}
