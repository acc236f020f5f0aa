// One client's stream of events: first the events since its cursor, read page by page, as fast as the client takes
// them; then new events, from the hub.
//
// Between the two no event may be missed or repeated. So the stream first has the hub queue new events, and reads once
// more: events that the hub delivered before are in that read, because all readers see events in one order. Of the
// queue it then sends the events after its cursor.

import type { Database } from "../../../database/connect.ts";
import { compareCursors, type EventFilter, readEvents, type StoredEvent } from "../../../rental/events/event-store.ts";
import { wants } from "../../../rental/events/type-globs.ts";
import type { Holder } from "../../auth/revalidation.ts";
import type { Sink } from "./sink.ts";

const page = 200;
/** How many events may arrive during the last read; with more it reads again. */
const longestQueue = 500;

export interface StreamParts {
  /** Who opened it. */
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

  /** Sends the events since the cursor. `join` makes the hub deliver new events from now on. */
  async catchUp(db: Database, read: <T>(body: () => Promise<T>) => Promise<T>, join: () => void): Promise<void> {
    const readToEnd = async () => {
      for (let more = true; more && this.sink.isOpen; ) {
        const { events, goOnAfter, hasMore } = await read(() => readEvents(db, this.#filter, this.#cursor, page));
        for (const event of events) await this.#sendInTime(event);
        // Also past filtered events; a page may contain no others.
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
      // While the client takes these, more may be queued.
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.#sendInTime(next);
    } while (this.#overflowed && this.sink.isOpen);
    this.#queue = undefined;
  }

  /** From the hub: a new event of the account. */
  offer(event: StoredEvent): void {
    if (!this.#isWanted(event)) return;
    if (this.#queue === undefined) this.#send(event);
    else if (this.#queue.length < longestQueue) this.#queue.push(event);
    else this.#overflowed = true;
  }

  #isWanted({ type, subjectId }: StoredEvent): boolean {
    return (this.#filter.subjectId === undefined || this.#filter.subjectId === subjectId) && this.#wants(type);
  }

  /** Waits for a slow client; further events wait too. */
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
