// The scheduled job of one engine: checks its identity, syncs its hosts and resyncs its machines, on one replica, or on
// each that missed something; of single hosts between, as soon as something of them might have been missed. Repeated failures mark the engine as unavailable. Used by reconciler.ts.

import type { Database } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { recordResync } from "../rental/capacity/engine-health.ts";
import { allHosts, type HostScope } from "../rental/hosts/host-scope.ts";
import type { EngineIdentities } from "./engine-identities.ts";
import { HostResyncs } from "./host-resyncs.ts";
import { takeScheduledJob } from "./job-store.ts";
import { LatestReadings } from "./latest-readings.ts";
import { type Log, reason } from "./log.ts";
import { noteOutage } from "./outage.ts";
import { type Periodic, periodically } from "./periodic.ts";
import { Resync } from "./resync.ts";
import type { Settings } from "./settings.ts";
import { syncHosts } from "./sync-hosts.ts";

/** A long resync usually has a slow engine, as when a host has just died, rather than many instances. */
const REST = 1;

/**
 * A resync costs a core four to six microseconds per instance, so this limits it to less than half a percent of one. It
 * only backs up the hints of engines: after a gap in those a resync follows at once.
 */
const secondsForEach = 0.0015;

/** Consecutive failed resyncs that count as an outage; at start the first one does. */
const FAILURES_OF_AN_OUTAGE = 2;

export interface ResyncJobDependencies {
  readonly db: Database;
  readonly engine: Engine;
  readonly worlds: EngineIdentities;
  readonly settings: Settings;
  readonly log: Log;
  /** There might be work. */
  readonly onWork: () => void;
}

export class ResyncJob {
  readonly #parts: ResyncJobDependencies;
  readonly #sweep: Resync;
  readonly #periodic: Periodic;
  readonly #hosts: HostResyncs;
  /** Of hosts. */
  readonly #readings = new LatestReadings();
  /** No hints arrived while no replica ran. */
  #missedSomething = true;
  #failures = FAILURES_OF_AN_OUTAGE - 1;

  constructor(parts: ResyncJobDependencies) {
    const { db, engine, worlds, settings, log } = parts;
    this.#parts = parts;
    this.#sweep = new Resync(db, engine, settings, log, (signal, hosts) => worlds.check(signal, hosts));
    this.#hosts = new HostResyncs(engine.name, log, (only, signal) => this.#resync(signal, { only }));
    const name = `full resync of ${engine.name}`;
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
      { rest: REST },
    );
  }

  /**
   * Something might have changed without a hint: resyncs now, regardless of the schedule. `host`: on this host only, if
   * each has an identity of its own.
   */
  missedSomething(host?: string): void {
    if (host !== undefined) {
      this.#hosts.add(host);
      return;
    }
    this.#missedSomething = true;
    void this.#periodic.poke();
  }

  /** Runs one resync, regardless of the schedule. Throws what the engine or the database throws. */
  async now(signal: AbortSignal): Promise<void> {
    await this.#resync(signal);
    await recordResync(this.#parts.db, this.#parts.engine.name, null);
  }

  /** Stops it, and waits for the resyncs in progress. */
  async stop(): Promise<void> {
    await Promise.all([this.#periodic.stop(), this.#hosts.stop()]);
  }

  async #resync(signal: AbortSignal, scope: HostScope = allHosts): Promise<void> {
    const { worlds, onWork } = this.#parts;
    // Before the check: what the listing reaches may have been reinstalled since, and counts as reached at this time only.
    const begun = await this.#sweep.begin();
    await worlds.check(signal, scope.only);
    const unreported = await syncHosts({ ...this.#parts, readings: this.#readings }, signal, scope);
    if (await this.#sweep.run(begun, unreported, signal, scope)) onWork();
  }

  async #inTurn(signal: AbortSignal): Promise<void> {
    const { db, engine } = this.#parts;
    this.#missedSomething = false;
    try {
      await this.now(signal);
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      // Best effort: the database itself might be unavailable.
      if (!signal.aborted) await recordResync(db, engine.name, reason(error)).catch(() => {});
      const isOut = this.#failures >= FAILURES_OF_AN_OUTAGE && !signal.aborted;
      if (isOut) await noteOutage(db, engine.name);
      throw error;
    }
  }
}
