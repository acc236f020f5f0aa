// A dedicated connection that waits for NOTIFY. A notification is only a hint: one sent while the connection was lost
// is gone, so the listener reports each reconnect, and polling remains the source of truth. Used by the reconciler to
// wake early.

import pg from "pg";

export interface Listener {
  /** Fulfilled when first listening; never rejected, because the listener retries forever. */
  ready: Promise<void>;
  /** Stops listening and closes the connection. No callback comes after this call. */
  close(): Promise<void>;
}

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;

/**
 * Listens on `channel` until closed, and reconnects (after 50 ms, with exponential backoff up to 5 s) whenever the
 * connection is lost. Never throws if the database is unavailable. `onNotify` gets the payload; `onReconnect` is called
 * each time it listens again after a loss, when missed changes must be looked up. The callbacks must not throw.
 */
export function listen(
  config: { url: string },
  channel: string,
  onNotify: (payload: string) => void,
  onReconnect: () => void,
): Listener {
  const ready = Promise.withResolvers<void>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let connectedBefore = false;
  let delayMs = FIRST_DELAY_MS;

  const tryAgain = () => {
    timer = setTimeout(attempt, delayMs * (0.5 + Math.random() / 2));
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
  };

  const attempt = async () => {
    const current = new pg.Client({
      connectionString: config.url,
      application_name: "lessor listener",
      connectionTimeoutMillis: 15_000,
      // TCP detects a server that vanished silently, not a query: this connection never sends any.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client = current;
    // A loss emits `error` and then `end`; only `end` acts. Without a listener, `error` would end the program.
    current.on("error", () => {});
    current.on("notification", (message) => {
      if (!closed && message.channel === channel) onNotify(message.payload ?? "");
    });
    try {
      await current.connect();
      await current.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch {
      current.end().catch(() => {});
      if (!closed) tryAgain();
      return;
    }
    if (closed) return;
    current.once("end", () => {
      if (!closed) tryAgain();
    });
    delayMs = FIRST_DELAY_MS;
    if (connectedBefore) onReconnect();
    connectedBefore = true;
    ready.resolve();
  };

  const closeConnection = async () => {
    closed = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };

  void attempt();
  return { ready: ready.promise, close: closeConnection };
}
