// Which reading of each host counts, in this process. Readings overlap: one of all hosts waits for those that do not
// respond, and single hosts are read meanwhile. Used by the resync and the host sync of one engine.
//
// Invariant: of each host, a reading is recorded only if none that began later is recorded; and one at a time, so that
// this cannot change while it is being recorded.

import type { HostScope } from "../rental/hosts/host-scope.ts";

export class LatestReadings {
  /** When the reading of all hosts began that was recorded last, by the process's monotonic clock. */
  #all = Number.NEGATIVE_INFINITY;
  /** The same of single hosts that were read later. */
  readonly #single = new Map<string, number>();
  #recording: Promise<unknown> = Promise.resolve();

  /**
   * Runs `record` when no other is running, with those hosts of the scope of which nothing newer is recorded. `began`:
   * by performance.now(). Throws what it throws, and then nothing counts as recorded.
   */
  async record<T>(began: number, scope: HostScope, record: (current: HostScope) => Promise<T>): Promise<T> {
    const before = this.#recording;
    const run = (async () => {
      await before.catch(() => {});
      const result = await record(this.#currentOf(began, scope));
      this.#note(began, scope);
      return result;
    })();
    this.#recording = run;
    return run;
  }

  #currentOf(began: number, { only }: HostScope): HostScope {
    if (only !== undefined) return { only: only.filter((host) => this.#latestOf(host) <= began) };
    return { except: [...this.#single].flatMap(([host, at]) => (at > began ? [host] : [])) };
  }

  #latestOf(host: string): number {
    return Math.max(this.#all, this.#single.get(host) ?? this.#all);
  }

  #note(began: number, { only }: HostScope): void {
    if (only === undefined) {
      this.#all = Math.max(this.#all, began);
      for (const [host, at] of this.#single) if (at <= this.#all) this.#single.delete(host);
    } else for (const host of only) if (this.#latestOf(host) < began) this.#single.set(host, began);
  }
}
