// The duty of one engine: every so often its world is recognized, its hosts are read and its machines are swept; by one of
// the servers, or by each that missed something. When that fails again and again, the engine is out. Used by index.ts.

import type { Database } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { recordResync } from "../rental/capacity/engine-health.ts";
import type { EngineIdentities } from "./engine-identities.ts";
import { takeScheduledJob } from "./job-store.ts";
import { type Log, reason } from "./log.ts";
import { noteOutage } from "./outage.ts";
import { type Periodic, periodically } from "./periodic.ts";
import { Resync } from "./resync.ts";
import type { Settings } from "./settings.ts";
import { syncHosts } from "./sync-hosts.ts";

/** A sweep is long because the engine is slow, as when a host has just died, more often than because there is so much. */
const REST = 1;

/**
 * A sweep costs a core four to six microseconds for each instance, so with this it takes less than half a hundredth of one,
 * however many there are. It is a net below what engines tell by themselves: a gap in that has a sweep follow at once.
 */
const secondsForEach = 0.0015;

/** So many sweeps that fail one after the other are an outage; when a server starts the first one is. */
const FAILURES_OF_AN_OUTAGE = 2;

export interface ResyncJobDependencies {
  readonly db: Database;
  readonly engine: Engine;
  readonly worlds: EngineIdentities;
  readonly settings: Settings;
  readonly log: Log;
  /** There may be work now. */
  readonly onWork: () => void;
}

export class ResyncJob {
  readonly #parts: ResyncJobDependencies;
  readonly #sweep: Resync;
  readonly #periodic: Periodic;
  /** What happened while no server ran was told to nobody. */
  #missedSomething = true;
  #failures = FAILURES_OF_AN_OUTAGE - 1;

  /** Begins at once. */
  constructor(parts: ResyncJobDependencies) {
    const { db, engine, settings, log } = parts;
    this.#parts = parts;
    this.#sweep = new Resync(db, engine, settings, log);
    const name = `sweep of ${engine.name}`;
    this.#periodic = periodically(
      name,
      settings.sweepSeconds,
      log,
      async (signal) => {
        const isOurTurn = await takeScheduledJob(
          db,
          name,
          settings.sweepSeconds + this.#sweep.compared * secondsForEach,
        );
        if (isOurTurn || this.#missedSomething) await this.#inTurn(signal);
      },
      REST,
    );
  }

  /** Something may have changed that no hint told of: sweeps now, whoever's turn it is. */
  missedSomething(): void {
    this.#missedSomething = true;
    void this.#periodic.poke();
  }

  /** One sweep, whoever's turn it is. Throws what the engine or the database throws. */
  async now(signal: AbortSignal): Promise<void> {
    const { db, engine, worlds, settings, log, onWork } = this.#parts;
    await worlds.check(signal);
    await syncHosts(db, engine, settings, log, signal);
    if (await this.#sweep.run(signal)) onWork();
  }

  /** Ends it, and waits for the sweep under way. */
  stop(): Promise<void> {
    return this.#periodic.stop();
  }

  async #inTurn(signal: AbortSignal): Promise<void> {
    const { db, engine } = this.#parts;
    this.#missedSomething = false;
    try {
      await this.now(signal);
      this.#failures = 0;
      await recordResync(db, engine.name, null);
    } catch (error) {
      this.#failures++;
      // Where the database is away nobody can be told either.
      if (!signal.aborted) await recordResync(db, engine.name, reason(error)).catch(() => {});
      const isOut = this.#failures >= FAILURES_OF_AN_OUTAGE && !signal.aborted;
      if (isOut) await noteOutage(db, engine.name);
      throw error;
    }
  }
}
