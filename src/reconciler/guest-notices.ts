// Tells the guests of one engine that they are evicted, or no longer: by a file in each. Started by reconciler.ts for engines
// that can write into guests.
//
// Invariant: everything here is best effort. Nothing waits for a guest, each has a deadline, and one that does not respond is
// tried again until its notice is over. A file that is written twice is the same file.

import type { Database } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { type GuestNotice, noteTold, untoldGuests } from "../rental/spot/guest-notices.ts";
import { preemptionFile, preemptionText } from "../rules/spot.ts";
import { engineCall } from "./engine-call.ts";
import type { FailpointRunner } from "./failpoints.ts";
import { type Log, reason } from "./log.ts";

export interface GuestNoticesDependencies {
  readonly db: Database;
  readonly engine: Pick<Engine, "name" | "writeGuestFile">;
  readonly log: Log;
  readonly gate: FailpointRunner;
}

/** Of a guest that writes a line. */
const DEADLINE_SECONDS = 10;
/** Until one that did not respond is tried again. */
const PAUSE_MS = 5000;
/** At once. */
const MOST = 50;

export class GuestNotices {
  readonly #parts: GuestNoticesDependencies;
  /** By instance, when it may be tried again. */
  readonly #paused = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: GuestNoticesDependencies) {
    this.#parts = parts;
  }

  /** Begins to tell those that are to be told, and does not wait for them. */
  async begin(signal: AbortSignal): Promise<void> {
    const { db, engine } = this.#parts;
    if (engine.writeGuestFile === undefined) return;
    const now = performance.now();
    for (const [id, until] of this.#paused) if (until <= now) this.#paused.delete(id);
    const room = MOST - this.#running.size;
    if (room <= 0) return;
    const notices = await untoldGuests(db, engine.name, [...this.#running.keys(), ...this.#paused.keys()], room);
    for (const notice of notices) {
      const ended = this.#tell(notice, signal).finally(() => this.#running.delete(notice.id));
      this.#running.set(notice.id, ended);
    }
  }

  /** Resolves when all that was begun has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Never fails. */
  async #tell(notice: GuestNotice, signal: AbortSignal): Promise<void> {
    const { db, engine, gate, log } = this.#parts;
    const { id, host, evictAt } = notice;
    const file = { path: preemptionFile, text: evictAt === null ? null : preemptionText(evictAt) };
    try {
      await gate("guestTold", () =>
        engineCall(DEADLINE_SECONDS, signal, async (late) => engine.writeGuestFile?.({ id, host }, file, late)),
      );
      await gate("guestToldNoted", () => noteTold(db, notice));
    } catch (error) {
      this.#paused.set(id, performance.now() + PAUSE_MS);
      if (!signal.aborted) log.info({ instance: id, error: reason(error) }, "cannot tell a guest of its eviction");
    }
  }
}
