// Keeps a server's row fresh while it runs, and takes it out at a clean stop. A beat that fails harms nothing: the
// service goes on, and joins again when the database answers. Used by encryption/.

import type { Logger } from "pino";
import type { Database } from "../database/connect.ts";
import { leave, sendHeartbeat } from "./replica-store.ts";

/** A third of what `expirySeconds` would bear, and then some. */
export const heartbeatSeconds = 3;

export interface Presence {
  /** Ends the beats and takes the row out. Does not throw: without a database the row goes by itself. */
  stop(): Promise<void>;
}

/**
 * Beats until stopped. `rejoin` is called when the others have counted this server as gone, for instance after the
 * machine was asleep; when it throws, the next beat tries again.
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
      // One line for each outage, not for each beat.
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
