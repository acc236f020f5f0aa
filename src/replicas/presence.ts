// Keeps a replica's row fresh while it runs, and deletes it at a clean stop. A failed heartbeat is harmless: the
// service keeps running, and joins again when the database responds. Used by encryption/.

import type { Logger } from "pino";
import type { Database } from "../database/connect.ts";
import { leave, sendHeartbeat } from "./replica-store.ts";

/** A fifth of `expirySeconds`, so that some may fail. */
export const heartbeatSeconds = 3;

export interface Presence {
  /** Ends the heartbeats and deletes the row. Does not throw: without a database the row expires. */
  stop(): Promise<void>;
}

/**
 * Sends heartbeats until stopped. `rejoin` is called if this replica has expired, for instance after its computer was
 * asleep; if it throws, the next heartbeat retries.
 */
export function keepPresent(
  db: Database,
  id: string,
  log: Logger,
  rejoin: () => Promise<void>,
  seconds = heartbeatSeconds,
): Presence {
  let failing = false;
  let stopped = false;
  let current = Promise.resolve();
  const once = async () => {
    try {
      if (!(await sendHeartbeat(db, id))) await rejoin();
      failing = false;
    } catch (error) {
      // One line for each outage, not for each heartbeat.
      if (!failing && !stopped) log.warn({ error: String(error) }, "cannot send the heartbeat of this replica");
      failing = true;
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const next = () => {
    timer = setTimeout(() => {
      current = once().then(() => (stopped ? undefined : next()));
    }, seconds * 1000);
  };
  next();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await current;
      clearTimeout(timer);
      await leave(db, id).catch(() => {});
    },
  };
}
