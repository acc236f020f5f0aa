// The loop: claims what is due, lets up to `concurrency` turns run at once, renews their leases, and sleeps until the
// next look that is planned, a hint, or the poll. Any number of workers, in any number of servers, share one database.
//
// Polling is the truth and hints only make it early: a loop that got no hint finds everything within `pollSeconds`. At
// rest it asks twice in that time, by an index, and finds nothing.

import { Interrupted } from "./failure.ts";
import { claim, type Job, msUntilDue, renew, wake } from "./lease-store.ts";
import { reason } from "./log.ts";
import { type TurnParts, takeTurn } from "./perform.ts";

const LOCKED_MS = 5;

interface Running {
  readonly job: Job;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class Worker {
  readonly #parts: TurnParts;
  readonly #engines: readonly string[];
  /** By lease, not by instance: one whose lease was lost may still be running when its instance is claimed anew. */
  readonly #running = new Map<string, Running>();
  readonly #hinted = new Set<string>();
  #waking: Promise<void> | undefined;
  /** What a claim under way got is neither due nor running yet. */
  #claiming = false;
  /** The loop found no room: whoever ends a turn has to tell it that there is some. */
  #hungry = false;
  #poked = false;
  #endPause: (() => void) | undefined;
  #stopping = false;
  #loop: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#engines = [...parts.engines.keys()];
  }

  start(): void {
    this.#loop = this.#work();
    // Three chances before a lease ends.
    this.#renewal = setInterval(() => void this.#renewAll(), (this.#parts.settings.leaseSeconds * 1000) / 3);
  }

  /** There may be work. */
  poke(): void {
    this.#poked = true;
    this.#endPause?.();
  }

  /** This instance should be looked at. Hints of one turn of the event loop go to the database together. */
  hint(instanceId: string): void {
    this.#hinted.add(instanceId);
    this.#waking ??= this.#wakeHinted();
  }

  /** Ends the loop and waits for the turns under way; gives up those that take longer than `drainSeconds`. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.poke();
    await this.#loop;
    const patience = setTimeout(() => {
      for (const { controller } of this.#running.values()) controller.abort(new Interrupted("stopping"));
    }, this.#parts.settings.drainSeconds * 1000);
    await this.#turnsEnded();
    clearTimeout(patience);
    clearInterval(this.#renewal);
    await this.#waking;
  }

  /** Resolves when nothing is due and nothing runs. For tests. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#waking;
      await this.#turnsEnded();
      const ms = await msUntilDue(this.#parts.db, this.#engines);
      if (this.#running.size === 0 && !this.#claiming && this.#waking === undefined && (ms === undefined || ms > 0))
        return;
      this.poke();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      this.#poked = false;
      this.#claiming = true;
      const ms = await this.#claimDue();
      this.#claiming = false;
      await this.#pause(ms);
    }
  }

  /** Claims as much as there is room for. Gives back for how long there is nothing to do, in milliseconds. */
  async #claimDue(): Promise<number> {
    const { db, settings, log } = this.#parts;
    const poll = settings.pollSeconds * 1000;
    try {
      const room = settings.concurrency - this.#running.size;
      this.#hungry = room === 0;
      if (room === 0) return poll;
      const jobs = await claim(db, this.#engines, room, settings);
      for (const job of jobs) this.#begin(job);
      if (jobs.length > 0) return 0;
      // What is due and yet was not claimed is locked by somebody for a moment.
      return Math.min(poll, Math.max(LOCKED_MS, (await msUntilDue(db, this.#engines)) ?? poll));
    } catch (error) {
      log.warn({ error: reason(error) }, "cannot look for due instances");
      return poll;
    }
  }

  #begin(job: Job): void {
    const controller = new AbortController();
    const ended = takeTurn(this.#parts, job, controller.signal)
      .catch((error: unknown) => {
        // The database is away, or this is a bug. The lease ends by itself, and the instance is due again then.
        this.#parts.log.error({ instance: job.id, state: job.state, error: reason(error) }, "turn broke off");
        return Number.POSITIVE_INFINITY;
      })
      .then((dueInMs) => {
        this.#running.delete(job.lease_owner);
        if (dueInMs <= 0 || this.#hungry) this.poke();
        // The loop planned its pause when this one was still leased. What is due after the next poll, that poll finds.
        else if (dueInMs < this.#parts.settings.pollSeconds * 1000) this.#pokeIn(dueInMs);
      });
    this.#running.set(job.lease_owner, { job, controller, ended });
  }

  #pokeIn(ms: number): void {
    setTimeout(() => this.poke(), Math.ceil(ms) + 1).unref();
  }

  /** Sleeps, unless poked since the last claim began. A little longer than asked for: timers may be a part early. */
  async #pause(ms: number): Promise<void> {
    if (this.#poked || this.#stopping || ms <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.ceil(ms) + 1);
    this.#endPause = resolve;
    await promise;
    clearTimeout(timer);
    this.#endPause = undefined;
  }

  async #turnsEnded(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  /** A turn whose lease was lost, or whose wish is no longer the newest, is given up: its engine call may take long. */
  async #renewAll(): Promise<void> {
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    const { db, settings, log } = this.#parts;
    try {
      const jobs = running.map(({ job }) => job);
      const generations = new Map((await renew(db, jobs, settings)).map((row) => [row.lease_owner, row.generation]));
      for (const { job, controller } of running) {
        const generation = generations.get(job.lease_owner);
        if (generation === undefined) controller.abort(new Interrupted("lease lost"));
        else if (generation !== job.generation) controller.abort(new Interrupted("a newer wish came"));
      }
    } catch (error) {
      log.warn({ error: reason(error) }, "cannot renew leases");
    }
  }

  async #wakeHinted(): Promise<void> {
    while (this.#hinted.size > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const ids = [...this.#hinted];
      this.#hinted.clear();
      try {
        await wake(this.#parts.db, ids);
      } catch (error) {
        // The look comes later: when it was planned, or when the sweep finds a reason for it.
        this.#parts.log.warn({ instances: ids.length, error: reason(error) }, "cannot wake instances");
      }
      this.poke();
    }
    this.#waking = undefined;
  }
}
