// All event streams of one replica. Events are read once for all of them, in the order of event-store.ts, and delivered
// by account: a stream costs no database connection and, without events, no query. One LISTEN connection, opened with
// the first stream, only speeds this up; polling every second or two guarantees it.
//
// One query checks the tokens of all streams, often enough to finish within a second; a stream with an invalid token
// ends, and so does one whose token could not be checked for some seconds. Limited: the streams of a token, of an
// account, and of the replica; what waits for a client (sink.ts); and how many streams catch up at once.

import type { Logger } from "pino";
import type { Database } from "../../../database/connect.ts";
import { type Listener, listen } from "../../../database/listen.ts";
import { cursorNow, readEvents } from "../../../rental/events/event-store.ts";
import { type Work, workChannel } from "../../../rental/instances/wake.ts";
import { revalidateAccess } from "../../auth/revalidation.ts";
import { HttpError } from "../../errors/api-error.ts";
import { EventStream, type StreamParts } from "./event-stream.ts";
import { OpenConnectionCounts } from "./places.ts";

export interface HubSettings {
  readonly pollMs: number;
  readonly beatMs: number;
  readonly checkMs: number;
  /** A stream ends if its token could not be verified for this long. */
  readonly uncheckedMs: number;
  /** Streams of one token on this replica. */
  readonly perToken: number;
  /** Streams of one account's tokens on this replica. */
  readonly perAccount: number;
  /** Streams of this replica. */
  readonly most: number;
}

/** Heartbeats come well before the server drops a silent connection (30 seconds). */
const defaults: HubSettings = {
  pollMs: 2000,
  beatMs: 10_000,
  checkMs: 400,
  uncheckedMs: 5000,
  perToken: 8,
  perAccount: 64,
  most: 2000,
};

/** The first pause after a notification: an event is visible when all older transactions have ended. */
const soonMs = 10;
const page = 500;
const readingAtOnce = 2;
/** When clients should reconnect: after a failure, and after a stop, when another replica may be there. */
const retryMs = 2000;
const retryAfterStopMs = 1000;

export interface HubParts {
  readonly db: Database;
  /** For the connection that listens; without it the hub only polls. */
  readonly databaseUrl: string | undefined;
  readonly log: Logger;
  /** Aborted when the server begins to stop: all streams end. */
  readonly closing: AbortSignal;
  readonly settings?: Partial<HubSettings>;
}

export class EventHub {
  readonly #parts: HubParts;
  readonly #settings: HubSettings;
  readonly #ofToken: OpenConnectionCounts;
  readonly #ofAccount: OpenConnectionCounts;
  /** All open streams, with when (performance.now()) the token was last verified. */
  readonly #streams = new Map<EventStream, number>();
  /** Streams that receive new events, by account; undefined: all accounts. */
  readonly #joined = new Map<string | undefined, Set<EventStream>>();
  #open = 0;
  #tail: Promise<void> | undefined;
  #ready: Promise<void> | undefined;
  #listener: Listener | undefined;
  #hinted = false;
  #endPause: (() => void) | undefined;
  #isChecking = false;
  #reading = 0;
  readonly #waitingToRead: (() => void)[] = [];

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#settings = { ...defaults, ...parts.settings };
    this.#ofToken = new OpenConnectionCounts(this.#settings.perToken, "event_streams");
    this.#ofAccount = new OpenConnectionCounts(this.#settings.perAccount, "event_streams");
    parts.closing.addEventListener("abort", () => this.#endAll(), { once: true });
  }

  /** How many streams are open. */
  get open(): number {
    return this.#open;
  }

  /**
   * Reserves a place for a stream of this token and account, until the returned function is called. Throws RentalError
   * quota-exceeded, HttpError unavailable.
   */
  admit({ tokenId, accountId }: { readonly tokenId: string; readonly accountId: string }): () => void {
    this.#ofToken.refuseWhenFull(tokenId);
    this.#ofAccount.refuseWhenFull(accountId);
    if (this.#parts.closing.aborted) throw new HttpError("unavailable", { why: "stopping" });
    if (this.#open >= this.#settings.most) throw new HttpError("unavailable", { why: "too many event streams" });
    this.#ofToken.take(tokenId);
    this.#ofAccount.take(accountId);
    this.#open += 1;
    return () => {
      this.#open -= 1;
      this.#ofToken.giveBack(tokenId);
      this.#ofAccount.giveBack(accountId);
    };
  }

  /** Runs a stream until it ends. Never throws. */
  async run(parts: StreamParts): Promise<void> {
    const stream = new EventStream(parts);
    const { sink } = stream;
    this.#streams.set(stream, performance.now());
    try {
      sink.begin(parts.cursor, retryMs);
      // Its client may have left before the head was sent.
      if (sink.isOpen) await this.#serve(stream);
    } catch (error) {
      this.#parts.log.warn({ err: error }, "event stream failed");
      sink.end("the service cannot read events now", retryMs);
    }
    if (this.#parts.closing.aborted) sink.end("the server is shutting down", retryAfterStopMs);
    await sink.closed;
    this.#streams.delete(stream);
    this.#joined.get(stream.accountId)?.delete(stream);
    if (this.#joined.get(stream.accountId)?.size === 0) this.#joined.delete(stream.accountId);
    if (this.#streams.size === 0) this.#wake();
  }

  async #serve(stream: EventStream): Promise<void> {
    await this.#follow();
    await stream.catchUp(
      this.#parts.db,
      (body) => this.#inTurn(body),
      () => this.#join(stream),
    );
  }

  /** Ends all streams and waits for work in progress. */
  async close(): Promise<void> {
    this.#endAll();
    await this.#tail;
    await this.#listener?.close();
  }

  #join(stream: EventStream): void {
    const others = this.#joined.get(stream.accountId);
    if (others === undefined) this.#joined.set(stream.accountId, new Set([stream]));
    else others.add(stream);
  }

  #endAll(): void {
    for (const { sink } of this.#streams.keys()) sink.end("the server is shutting down", retryAfterStopMs);
    this.#wake();
  }

  /** Resolves when the hub reads new events; throws what the database throws. */
  async #follow(): Promise<void> {
    const { db, databaseUrl } = this.#parts;
    if (databaseUrl !== undefined) {
      const hint = () => this.#wake();
      const heard = (work: string) => {
        if (work === ("events" satisfies Work)) hint();
      };
      this.#listener ??= listen({ url: databaseUrl }, workChannel, heard, hint);
    }
    this.#ready ??= (async () => {
      // A loop that is just ending has its own cursor.
      await this.#tail;
      const cursor = await cursorNow(db);
      this.#tail = this.#readAll(cursor);
    })().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
  }

  /** Reads while there are streams. */
  async #readAll(from: string): Promise<void> {
    const { db, log, closing } = this.#parts;
    const { pollMs, beatMs, checkMs } = this.#settings;
    const beat = setInterval(() => {
      for (const { sink } of this.#streams.keys()) sink.beat();
    }, beatMs);
    const check = setInterval(() => void this.#checkTokens(), checkMs);
    let cursor = from;
    let pause = pollMs;
    while (this.#streams.size > 0 && !closing.aborted) {
      pause = this.#hinted ? soonMs : Math.min(pollMs, pause * 2);
      this.#hinted = false;
      try {
        const { events, hasMore } = await readEvents(db, { accountId: undefined }, cursor, page);
        for (const event of events) {
          const ofAccount = event.accountId === null ? undefined : this.#joined.get(event.accountId);
          for (const stream of ofAccount ?? []) stream.offer(event);
          for (const stream of this.#joined.get(undefined) ?? []) stream.offer(event);
          cursor = event.cursor;
        }
        if (hasMore) continue;
      } catch (error) {
        log.warn({ err: error }, "cannot read events for event streams");
        pause = pollMs;
      }
      if (!this.#hinted && !closing.aborted) await this.#sleep(pause);
    }
    clearInterval(beat);
    clearInterval(check);
    // In the same turn as the loop's last check, so that a stream which opens now sees that the loop has ended.
    this.#ready = undefined;
  }

  /** One query at a time: while the database is slow, more would only queue. */
  async #checkTokens(): Promise<void> {
    if (this.#isChecking) return this.#endUnchecked();
    const { db, log } = this.#parts;
    const streams = [...this.#streams.keys()];
    const asked = performance.now();
    this.#isChecking = true;
    try {
      const good = await revalidateAccess(
        db,
        streams.map(({ holder }) => holder),
      );
      for (const stream of streams) {
        if (!good(stream.holder)) stream.sink.end("the token is no longer valid");
        else if (this.#streams.has(stream)) this.#streams.set(stream, asked);
      }
    } catch (error) {
      log.warn({ err: error }, "cannot verify the tokens of event streams");
      this.#endUnchecked();
    }
    this.#isChecking = false;
  }

  /** Their tokens may have been revoked meanwhile; clients with a valid one reconnect and continue. */
  #endUnchecked(): void {
    const latest = performance.now() - this.#settings.uncheckedMs;
    for (const [{ sink }, goodAt] of this.#streams) {
      if (goodAt < latest) sink.end("the token cannot be verified now", retryMs);
    }
  }

  async #inTurn<T>(body: () => Promise<T>): Promise<T> {
    if (this.#reading >= readingAtOnce) await new Promise<void>((resolve) => this.#waitingToRead.push(resolve));
    else this.#reading += 1;
    try {
      return await body();
    } finally {
      const next = this.#waitingToRead.shift();
      if (next === undefined) this.#reading -= 1;
      else next();
    }
  }

  #wake(): void {
    this.#hinted = true;
    this.#endPause?.();
  }

  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#endPause = resolve;
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }
}
