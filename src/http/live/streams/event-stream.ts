// One client's stream of events: first what has happened since its cursor, read by itself, page by page, as fast as the
// client takes it; then what happens, handed to it by the hub.
//
// Between the two nothing may be missed and nothing repeated. So the stream first has the hub keep what comes in a queue,
// and reads once more: whatever the hub handed out before is in that reading, because events show in one order to
// everybody. Of the queue it then sends what lies behind its cursor.

import type { Database } from "../../../database/connect.ts";
import { compareCursors, type EventFilter, readEvents, type StoredEvent } from "../../../rental/events/event-store.ts";
import { wants } from "../../../rental/events/type-globs.ts";
import type { Holder } from "../../auth/revalidation.ts";
import type { Sink } from "./sink.ts";

const page = 200;
/** So many events may come while the last reading is under way; with more it is read once more. */
const longestQueue = 500;

export interface StreamParts {
  /** Who let it in. */
  readonly holder: Holder;
  readonly filter: EventFilter;
  readonly cursor: string;
  readonly sink: Sink;
  readonly view: (event: StoredEvent) => unknown;
}

export class EventStream {
  readonly holder: Holder;
  readonly accountId: string | undefined;
  readonly sink: Sink;
  readonly #filter: EventFilter;
  readonly #wants: (type: string) => boolean;
  readonly #view: (event: StoredEvent) => unknown;
  #cursor: string;
  #queue: StoredEvent[] | undefined;
  #overflowed = false;

  constructor({ holder, filter, cursor, sink, view }: StreamParts) {
    this.holder = holder;
    this.accountId = filter.accountId;
    this.sink = sink;
    this.#filter = filter;
    this.#wants = wants(filter.types ?? []);
    this.#view = view;
    this.#cursor = cursor;
  }

  /** Sends what has happened since the cursor. `join` has the hub hand on from now on what happens. */
  async catchUp(db: Database, read: <T>(body: () => Promise<T>) => Promise<T>, join: () => void): Promise<void> {
    const readToEnd = async () => {
      for (let more = true; more && this.sink.isOpen; ) {
        const { events, goOnAfter, hasMore } = await read(() => readEvents(db, this.#filter, this.#cursor, page));
        for (const event of events) await this.#sendInTime(event);
        // Past what is not wanted too; where events are rare a page may have none.
        this.#cursor = goOnAfter;
        more = hasMore;
      }
    };
    await readToEnd();
    do {
      const queue: StoredEvent[] = [];
      this.#queue = queue;
      this.#overflowed = false;
      join();
      await readToEnd();
      // While the client takes these, others may come behind them.
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.#sendInTime(next);
    } while (this.#overflowed && this.sink.isOpen);
    this.#queue = undefined;
  }

  /** From the hub: something happened to what the account has. */
  offer(event: StoredEvent): void {
    if (!this.#isWanted(event)) return;
    if (this.#queue === undefined) this.#send(event);
    else if (this.#queue.length < longestQueue) this.#queue.push(event);
    else this.#overflowed = true;
  }

  #isWanted({ type, subjectId }: StoredEvent): boolean {
    return (this.#filter.subjectId === undefined || this.#filter.subjectId === subjectId) && this.#wants(type);
  }

  /** Waits for a client that takes its time; what has happened can wait too. */
  async #sendInTime(event: StoredEvent): Promise<void> {
    this.#send(event);
    await this.sink.room();
  }

  #send(event: StoredEvent): void {
    if (compareCursors(event.cursor, this.#cursor) <= 0) return;
    this.sink.send(event.cursor, JSON.stringify(this.#view(event)));
    this.#cursor = event.cursor;
  }
}
