// Finds servers that Nova has forgotten: it accepted their order and lost it, as when its conductor dies, and leaves them in
// "scheduling" permanently. Used by engine.ts, which has them made again; none of them ever ran.
//
// Invariant: counted from when this process first saw it so, by a clock that only grows: the clocks of the cloud do not
// matter, and after a restart the count begins again.

import type { Server } from "./api.ts";

/** Nova finds a host within seconds, or says within a minute that its own services do not answer. */
const FORGOTTEN_MS = 90_000;

export class Forgotten {
  readonly #now: () => number;
  readonly #since = new Map<string, number>();

  /** `now`: in milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** To be asked of every server that is read: one in another state is no longer counted. */
  has(server: Server): boolean {
    if (server.status !== "BUILD" || server["OS-EXT-STS:task_state"] !== "scheduling") {
      this.#since.delete(server.id);
      return false;
    }
    const since = this.#since.get(server.id) ?? this.#now();
    this.#since.set(server.id, since);
    return this.#now() - since >= FORGOTTEN_MS;
  }

  remove(server: Server): void {
    this.#since.delete(server.id);
  }
}
