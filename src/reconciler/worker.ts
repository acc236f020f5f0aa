// The loop: claims what is due, lets up to `concurrency` turns run at once, renews their leases, and sleeps until the
// next look that is planned, a hint, or the poll. Any number of workers, in any number of servers, share one database.
//
// Polling is the truth and hints only make it early: a loop that got no hint finds everything within `pollSeconds`. At
// rest it asks twice in that time, by an index, and finds nothing.

import { Interrupted } from "./failure.ts";
import { type Clock, Lease, monotonic } from "./lease.ts";
import { claim, type Job, msUntilDue, renew, wake } from "./lease-store.ts";
import { reason } from "./log.ts";
import { type ReconcileDependencies, reconcile } from "./reconcile.ts";

const LOCKED_MS = 5;
/** With so many turns under way at once, */
const BUSY = 12;
/**
 * a claim waits so long for more to claim: what it costs hardly depends on how many it gets, and turns that begin
 * together call the engine and are written together. Little beside a boot, and nothing to a launch that comes alone.
 */
const GATHER_MS = 15;

interface Running {
  readonly job: Job;
  readonly lease: Lease;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class Worker {
  readonly #parts: ReconcileDependencies;
  readonly #clock: Clock;
  readonly #engines: readonly string[];
  /** By lease, not by instance: one whose lease was lost may still be running when its instance is claimed anew. */
  readonly #running = new Map<string, Running>();
  readonly #hinted = new Set<string>();
  readonly #toWake = new Set<string>();
  #waking: Promise<void> | undefined;
  /** What a claim under way got is neither due nor running yet. */
  #claiming = false;
  /** The loop found no room: whoever ends a turn has to tell it that there is some. */
  #hungry = false;
  #poked = false;
  #endPause: (() => void) | undefined;
  #endGathering: (() => void) | undefined;
  #stopping = false;
  #loop: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(parts: ReconcileDependencies) {
    this.#parts = parts;
    this.#clock = parts.clock ?? monotonic;
    this.#engines = [...parts.engines.keys()];
  }

  /** How many turns are under way. */
  get underWay(): number {
    return this.#running.size;
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

  /** This instance should be looked at: the next claim takes it, with all that are hinted at until then. */
  hint(instanceId: string): void {
    this.#hinted.add(instanceId);
    this.poke();
  }

  /** Ends the loop and waits for the turns under way; gives up those that take longer than `drainSeconds`. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.poke();
    this.#endGathering?.();
    await this.#loop;
    const patience = setTimeout(() => {
      for (const { controller } of this.#running.values()) controller.abort(new Interrupted("stopping"));
    }, this.#parts.settings.drainSeconds * 1000);
    await this.#turnsEnded();
    clearTimeout(patience);
    clearInterval(this.#renewal);
    await this.#waking;
    await this.#wake([...this.#hinted]);
  }

  /** Resolves when nothing is due and nothing runs. For tests. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#turnsEnded();
      await this.#waking;
      const ms = await msUntilDue(this.#parts.db, this.#engines);
      const isIdle =
        this.#running.size === 0 && this.#hinted.size === 0 && !this.#claiming && this.#waking === undefined;
      if (isIdle && (ms === undefined || ms > 0)) return;
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
      if (this.#running.size >= BUSY) await this.#gathered();
      await this.#pause(ms);
    }
  }

  /** Claims as much as there is room for. Gives back for how long there is nothing to do, in milliseconds. */
  async #claimDue(): Promise<number> {
    const { db, gate, settings, log } = this.#parts;
    const poll = settings.pollSeconds * 1000;
    const hinted = [...this.#hinted];
    this.#hinted.clear();
    try {
      const room = settings.concurrency - this.#running.size;
      this.#hungry = room === 0;
      const since = this.#clock();
      const jobs = room === 0 ? [] : await gate("claim", () => claim(db, this.#engines, room, settings, hinted));
      for (const job of jobs) this.#begin(job, new Lease(this.#clock, settings.leaseSeconds, since));
      const begun = new Set(jobs.map(({ id }) => id));
      // Somebody works on it, or nobody here can: it is due in the database then.
      this.#wakeBeside(hinted.filter((id) => !begun.has(id)));
      if (room === 0) return poll;
      // There may be more where there was room for no more.
      if (jobs.length > 0 && jobs.length + hinted.length >= room) return 0;
      // What is due and yet was not claimed is locked by somebody for a moment.
      return Math.min(poll, Math.max(LOCKED_MS, (await msUntilDue(db, this.#engines)) ?? poll));
    } catch (error) {
      log.warn({ error: reason(error) }, "cannot query due instances");
      for (const id of hinted) this.#hinted.add(id);
      return poll;
    }
  }

  #begin(job: Job, lease: Lease): void {
    const controller = new AbortController();
    const ended = reconcile(this.#parts, job, lease, controller.signal)
      .catch((error: unknown) => {
        // The database is away, or this is a bug. The lease ends by itself, and the instance is due again then.
        this.#parts.log.error(
          { instance: job.id, state: job.state, error: reason(error) },
          "reconciliation failed unexpectedly",
        );
        return Number.POSITIVE_INFINITY;
      })
      .then((dueInMs) => {
        this.#running.delete(job.lease_owner);
        if (dueInMs <= 0 || this.#hungry) this.poke();
        // The loop planned its pause when this one was still leased. What is due after the next poll, that poll finds.
        else if (dueInMs < this.#parts.settings.pollSeconds * 1000) this.#pokeIn(dueInMs);
      });
    this.#running.set(job.lease_owner, { job, lease, controller, ended });
  }

  #pokeIn(ms: number): void {
    setTimeout(() => this.poke(), Math.ceil(ms) + 1).unref();
  }

  /** While many turns are under way: what comes due meanwhile is claimed together, and goes on together. */
  async #gathered(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GATHER_MS);
    this.#endGathering = resolve;
    await promise;
    clearTimeout(timer);
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
    const { db, gate, settings, log } = this.#parts;
    try {
      const jobs = running.map(({ job }) => job);
      const since = this.#clock();
      const renewed = await gate("renew", () => renew(db, jobs, settings));
      const generations = new Map(renewed.map((row) => [row.lease_owner, row.generation]));
      for (const { job, lease, controller } of running) {
        const generation = generations.get(job.lease_owner);
        if (generation === undefined) controller.abort(new Interrupted("lease lost"));
        else if (generation !== job.generation) controller.abort(new Interrupted("a newer wish came"));
        else lease.renewed(since);
      }
    } catch (error) {
      log.warn({ error: reason(error) }, "cannot renew leases");
    }
  }

  /** Not waited for by the loop: whoever keeps one of these rows locked would keep everything else from being claimed. */
  #wakeBeside(ids: readonly string[]): void {
    for (const id of ids) this.#toWake.add(id);
    if (this.#toWake.size > 0) this.#waking ??= this.#wakeAll();
  }

  async #wakeAll(): Promise<void> {
    while (this.#toWake.size > 0) {
      const ids = [...this.#toWake];
      this.#toWake.clear();
      await this.#wake(ids);
      this.poke();
    }
    this.#waking = undefined;
  }

  async #wake(ids: readonly string[]): Promise<void> {
    const { db, gate, log } = this.#parts;
    if (ids.length === 0) return;
    try {
      await gate("wake", () => wake(db, ids));
    } catch (error) {
      // The look comes later: when it was planned, or when the sweep finds a reason for it.
      log.warn({ instances: ids.length, error: reason(error) }, "cannot wake instances");
    }
  }
}
