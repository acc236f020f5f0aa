// The cluster's events, over one WebSocket that is reopened whenever it ends. Used by engine.ts.
//
// Invariant: while it is open, every instance event of the cluster is reported; after an interruption events might be
// missing, which `onGap` reports, so that the caller can check everything once.

import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { WebSocket } from "undici";
import type { Client } from "./client.ts";

const Lifecycle = Compile(
  Type.Object({
    type: Type.Literal("lifecycle"),
    metadata: Type.Object({ action: Type.String(), source: Type.String() }),
  }),
);

export interface EventListener {
  /** `action` such as "instance-started", `source` such as "/1.0/instances/name". */
  onEvent(action: string, source: string): void;
  /** It is open, again or for the first time: earlier events might be missing. */
  onGap(): void;
}

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [200, 10_000];

/** For tests. */
export interface EventStreamParts {
  /** Waits; rejects when the signal aborts. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export class EventStream {
  readonly #client: Client;
  readonly #listener: EventListener;
  readonly #pause: NonNullable<EventStreamParts["pause"]>;
  readonly #now: NonNullable<EventStreamParts["now"]>;
  readonly #closing = new AbortController();
  #socket: WebSocket | undefined;
  #openedAt = Number.POSITIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(client: Client, listener: EventListener, { pause, now }: EventStreamParts = {}) {
    this.#client = client;
    this.#listener = listener;
    this.#pause = pause ?? ((milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }));
    this.#now = now ?? (() => performance.now());
    this.#open();
  }

  close(): void {
    this.#closing.abort();
    if (this.#socket !== undefined) this.#client.hangUp(this.#socket);
  }

  #open(): void {
    const socket = this.#client.socket("/1.0/events", { type: "lifecycle" });
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#openedAt = this.#now();
      this.#listener.onGap();
    });
    socket.addEventListener("message", ({ data }) => {
      if (!this.#closing.signal.aborted) this.#heard(data);
    });
    // "close" always follows an error.
    socket.addEventListener("error", () => {});
    socket.addEventListener("close", () => void this.#openAgain());
  }

  async #openAgain(): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    this.#client.tryAnother();
    // A connection that ends at once does not reset the pause: each opening costs a full resync.
    if (this.#now() - this.#openedAt >= LONGEST_PAUSE_MS) this.#pauseMs = FIRST_PAUSE_MS;
    this.#openedAt = Number.POSITIVE_INFINITY;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    await this.#pause(pauseMs, signal).catch(() => {});
    if (!signal.aborted) this.#open();
  }

  #heard(data: unknown): void {
    const text = data instanceof ArrayBuffer ? Buffer.from(data).toString() : String(data);
    let event: unknown;
    try {
      event = JSON.parse(text);
    } catch {
      return;
    }
    if (Lifecycle.Check(event)) this.#listener.onEvent(event.metadata.action, event.metadata.source);
  }
}
