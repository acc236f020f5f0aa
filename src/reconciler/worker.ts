// The worker loop: claims due instances, reconciles up to `concurrency` at once, renews their leases, and sleeps until
// the next scheduled check, hint or poll. Any number of workers in any number of replicas share one database.
//
// Polling is the truth; hints only make it earlier: without hints the loop finds everything within `pollSeconds`. At
// rest it sends one indexed query in that time.

import { Interrupted } from "./failure.ts";
import { type Clock, Lease, monotonic } from "./lease.ts";
import { claim, type Job, msUntilDue, renew, wake } from "./lease-store.ts";
import { reason } from "./log.ts";
import { type ReconcileDependencies, reconcile } from "./reconcile.ts";

const LOCKED_MS = 5;
/** With this many reconciliations in progress, */
const BUSY = 12;
/**
 * a claim waits this long for more to claim: its cost hardly depends on how many it gets, and reconciliations that
 * begin together are written together. Short compared to a boot, and a single launch does not wait.
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
  /** By lease, not by instance: one whose lease was lost can still run when its instance is claimed again. */
  readonly #running = new Map<string, Running>();
  readonly #hinted = new Set<string>();
  readonly #toWake = new Set<string>();
  #waking: Promise<void> | undefined;
  /** Instances of a claim in progress are neither due nor running yet. */
  #claiming = false;
  /** The loop found no capacity: the end of a reconciliation must wake it. */
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

  /** How many reconciliations are in progress. */
  get underWay(): number {
    return this.#running.size;
  }

  start(): void {
    this.#loop = this.#work();
    // Three tries before a lease expires.
    this.#renewal = setInterval(() => void this.#renewAll(), (this.#parts.settings.leaseSeconds * 1000) / 3);
  }

  /** There might be work. */
  poke(): void {
    this.#poked = true;
    this.#endPause?.();
  }

  /** This instance should be checked: the next claim takes it, with all others hinted until then. */
  hint(instanceId: string): void {
    this.#hinted.add(instanceId);
    this.poke();
  }

  /** Ends the loop and waits for reconciliations in progress; aborts those that take longer than `drainSeconds`. */
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
      // Asked only at rest, because it costs as much as a claim that gets nothing.
      const ms = this.#isAtRest ? await msUntilDue(this.#parts.db, this.#engines) : 0;
      if (this.#isAtRest && (ms === undefined || ms > 0)) return;
      // Several that wait at once would keep each other waiting with a claim after each claim.
      if (!this.#claiming) this.poke();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  get #isAtRest(): boolean {
    return this.#running.size === 0 && this.#hinted.size === 0 && !this.#claiming && this.#waking === undefined;
  }

  async #work(): Promise<void> {
    let ms = 0;
    while (!this.#stopping) {
      const quiet = ms >= this.#pollMs && !this.#poked;
      this.#poked = false;
      this.#claiming = true;
      ms = quiet ? await this.#msOfRest() : 0;
      if (ms === 0) ms = await this.#claimDue();
      this.#claiming = false;
      if (this.#running.size >= BUSY) await this.#gathered();
      await this.#pause(ms);
    }
  }

  get #pollMs(): number {
    return this.#parts.settings.pollSeconds * 1000;
  }

  /**
   * For how many milliseconds nothing is due; 0 if something is, or that cannot be told. Asked after a whole poll
   * without a hint: it costs half as much as a claim that gets nothing.
   */
  async #msOfRest(): Promise<number> {
    const ms = await msUntilDue(this.#parts.db, this.#engines).catch(() => 0);
    return Math.max(0, Math.min(this.#pollMs, ms ?? this.#pollMs));
  }

  /** Claims as many as there is capacity for. Returns for how many milliseconds there is nothing to do. */
  async #claimDue(): Promise<number> {
    const { db, gate, settings, log } = this.#parts;
    const poll = this.#pollMs;
    const hinted = [...this.#hinted];
    this.#hinted.clear();
    try {
      const room = settings.concurrency - this.#running.size;
      this.#hungry = room === 0;
      const since = this.#clock();
      const jobs = room === 0 ? [] : await gate("claim", () => claim(db, this.#engines, room, settings, hinted));
      for (const job of jobs) this.#begin(job, new Lease(this.#clock, settings.leaseSeconds, since));
      const begun = new Set(jobs.map(({ id }) => id));
      // Leased, or no capacity here: make it due in the database.
      this.#wakeBeside(hinted.filter((id) => !begun.has(id)));
      if (room === 0) return poll;
      // All capacity was used: there might be more.
      if (jobs.length > 0 && jobs.length + hinted.length >= room) return 0;
      // An instance that is due but was not claimed is briefly locked.
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
        // The database is unavailable, or this is a bug. The lease expires, and the instance is due again.
        this.#parts.log.error(
          { instance: job.id, state: job.state, error: reason(error) },
          "reconciliation failed unexpectedly",
        );
        return Number.POSITIVE_INFINITY;
      })
      .then((dueInMs) => {
        this.#running.delete(job.lease_owner);
        if (dueInMs <= 0 || this.#hungry) this.poke();
        // The loop chose its pause while this one was leased. A later poll finds what is due after it.
        else if (dueInMs < this.#parts.settings.pollSeconds * 1000) this.#pokeIn(dueInMs);
      });
    this.#running.set(job.lease_owner, { job, lease, controller, ended });
  }

  #pokeIn(ms: number): void {
    setTimeout(() => this.poke(), Math.ceil(ms) + 1).unref();
  }

  /** Under load, waits so that what becomes due meanwhile is claimed together. */
  async #gathered(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GATHER_MS);
    this.#endGathering = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Sleeps, unless poked since the last claim began. Slightly longer than requested: timers can fire early. */
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

  /** Aborts reconciliations whose lease was lost or whose action was replaced: an engine call can take long. */
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

  /** Not awaited by the loop: a lock on one of these rows would block all claims. */
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
      // The check happens later: when scheduled, or after a resync finds a reason.
      log.warn({ instances: ids.length, error: reason(error) }, "cannot wake instances");
    }
  }
}
