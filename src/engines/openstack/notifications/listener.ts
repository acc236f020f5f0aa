// Hears of changed servers from the RabbitMQ of the cloud. Whatever happens to the connection, another is made. Used by
// changes.ts.
//
// Invariant: a hint is a reason to look, never the truth, and none is needed: changes are also asked for. So nothing is
// told twice, stored, or confirmed to Nova. Of a machine at most one hint a second is passed on.

import { setTimeout as sleep } from "node:timers/promises";
import type { NotificationSettings } from "../settings/notifications.ts";
import { type Hint, hintIn } from "./message.ts";
import { subscribe as realSubscribe } from "./subscription.ts";

const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 60_000;
/** A connection that stood this long was a good one: the next pause is short. */
const CALM_MS = 30_000;
const HINTS_APART_MS = 1000;

export interface ListenerParts {
  readonly settings: NotificationSettings;
  /** Begins the name of its queue. */
  readonly owner: string;
  /** The id of the project whose servers are ours. Throws if Keystone does not respond. */
  readonly project: (signal: AbortSignal) => Promise<string>;
  readonly onHint: (hint: Hint) => void;
  /** It hears from now on, or not any more: changes might have been missed. */
  readonly onBreak: () => void;
  /** For tests. */
  readonly subscribe?: typeof realSubscribe;
  /** For tests. Waits; rejects when the signal aborts. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

export class NotificationListener {
  readonly #parts: ListenerParts;
  readonly #closing = new AbortController();
  /** By machine, of which a hint was just passed on: the next one, if there is one. */
  readonly #held = new Map<string, Hint | undefined>();
  #isConnected = false;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    void this.#follow();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    const pause =
      this.#parts.pause ?? ((milliseconds, within) => sleep(milliseconds, undefined, { signal: within, ref: false }));
    const { brokers } = this.#parts.settings;
    let pauseMs = FIRST_PAUSE_MS;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const broker = brokers[attempt % brokers.length];
      if (broker === undefined) throw new Error("BUG: no broker");
      const began = performance.now();
      await this.#listen(broker, signal);
      if (performance.now() - began > CALM_MS) pauseMs = FIRST_PAUSE_MS;
      // Another broker of the cluster may take over at once.
      if (!signal.aborted) await pause(pauseMs / brokers.length, signal).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS);
    }
  }

  /** Returns when the connection is lost, or was not made. */
  async #listen(broker: NotificationSettings["brokers"][number], signal: AbortSignal): Promise<void> {
    const { settings, owner, project, onBreak, subscribe = realSubscribe } = this.#parts;
    try {
      const id = await project(signal);
      const queue = `${owner}-${crypto.randomUUID()}`;
      const { ended } = await subscribe(settings, broker, queue, (body) => this.#hear(body, id), signal);
      this.#isConnected = true;
      onBreak();
      await ended;
    } catch {
      // `lessor engine check` says why; meanwhile changes are asked for.
    } finally {
      const was = this.#isConnected;
      this.#isConnected = false;
      if (was && !signal.aborted) onBreak();
    }
  }

  #hear(body: Buffer, project: string): void {
    const hint = hintIn(body, project);
    if (hint === undefined || this.#closing.signal.aborted) return;
    if (this.#held.has(hint.machineId)) this.#held.set(hint.machineId, hint);
    else this.#tell(hint);
  }

  #tell(hint: Hint): void {
    this.#held.set(hint.machineId, undefined);
    setTimeout(() => {
      const next = this.#held.get(hint.machineId);
      this.#held.delete(hint.machineId);
      if (next !== undefined && !this.#closing.signal.aborted) this.#tell(next);
    }, HINTS_APART_MS).unref();
    this.#parts.onHint(hint);
  }
}
