// How many calendars and quotes a replica computes at once. Each reads all hosts of a type, which takes a part of a second
// in a large fleet, and the loop has to serve others meanwhile. Used by this folder.

import { HttpError } from "../../errors/api-error.ts";

/** Of one account fewer, so that it leaves some to others. */
const most = { ofAll: 8, ofAccount: 4 } as const;

export class AtOnce {
  readonly #running = new Map<string, number>();

  /** Runs the work, or throws HttpError unavailable if too much runs already. */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const own = this.#running.get(accountId) ?? 0;
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0);
    if (own >= most.ofAccount || all >= most.ofAll) throw new HttpError("unavailable", { overloaded: true });
    this.#running.set(accountId, own + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(accountId) ?? 1) - 1;
      if (left > 0) this.#running.set(accountId, left);
      else this.#running.delete(accountId);
    }
  }
}
