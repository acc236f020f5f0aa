// The whole service in this process, to be thrown away without a stop: its workers stand still at their next step, its
// connections to the database and its clients' to it are cut, and nothing of it is waited for. The simulated world is
// not part of it, and goes on. Also holds the workers still for a while, each in the middle of whatever it does.

import { sql } from "kysely";
import { compose } from "../../../src/composition.ts";
import { loadConfig } from "../../../src/config.ts";
import type { Database } from "../../../src/database/connect.ts";
import { SimulatedEngine } from "../../../src/engines/simulated/engine.ts";
import { createLog } from "../../../src/log.ts";
import type { FailpointRunner } from "../../../src/reconciler/failpoints.ts";
import { maintenanceJobs } from "../../../src/reconciler/maintenance/maintenance.ts";
import { withDefaults } from "../../../src/reconciler/settings.ts";
import { resyncSettingOf } from "../../../src/rental/capacity/engine-health.ts";
import type { FreshDatabase } from "../../support/database.ts";
import { testKeyRing } from "../../support/key-ring.ts";
import { forOneAddress } from "../../support/limits.ts";
import { quiet } from "../../support/stage.ts";
import { limits } from "./scene.ts";
import type { Bases } from "./wire.ts";

export interface CrashableService {
  readonly bases: Bases;
  /** No worker takes another step. Resolves when none is in the middle of one. */
  hold(): Promise<void>;
  goOn(): void;
  readonly isHeld: boolean;
  /** Resolves when nothing is due and nothing runs. Not while it is held. */
  idle(): Promise<void>;
  sweep(): Promise<void>;
  /** One of the jobs that otherwise run from time to time. */
  runJob(name: string): Promise<void>;
  /** There may be work: time has passed. */
  poke(): void;
  /** Ends it as a kill would. */
  crash(): Promise<void>;
  /** Ends it in order. */
  stop(): Promise<void>;
}

let started = 0;

/** `machines`: how long they take to boot and to halt; looked at for each. */
export async function startService(
  fresh: FreshDatabase,
  machines: { readonly seconds: number },
): Promise<CrashableService> {
  // By this name its connections are found.
  const name = `model ${++started}`;
  const databaseUrl = `${fresh.url}${fresh.url.includes("?") ? "&" : "?"}application_name=${encodeURIComponent(name)}`;
  const defaults = loadConfig({ env: { LESSOR_PORT: "0", LESSOR_REFERENCE_PORT: "0" }, cwd: import.meta.dirname });
  const unlimited = { ...forOneAddress(defaults.limits), requestsPerMinutePerToken: 100_000_000 };
  const config = { ...defaults, limits: unlimited };
  const bounds = () => [machines.seconds, machines.seconds] as const;
  const durations = {
    get bootSeconds() {
      return bounds();
    },
    get stopSeconds() {
      return bounds();
    },
    seed: 1,
  };
  const engine = new SimulatedEngine(fresh.db, durations);
  const door = new Door();
  const resources = { databaseUrl, keyRing: testKeyRing(), keyFile: undefined, reserve: undefined };
  const settings = {
    ...quiet,
    retrySeconds: [10, 10] as const,
    bootDeadlineSeconds: limits.bootDeadlineSeconds,
    limitCheckSeconds: 86_400,
  };
  const composed = await compose(
    { config, log: createLog("silent"), ...resources },
    {
      engines: [engine],
      http: { drainSeconds: 1, idleGraceSeconds: 0 },
      reconciler: settings,
      failpoints: door.gate,
    },
  );
  const addresses = await composed.http.listen();
  composed.readiness.state = "ready";
  const { rows: clock } = await sql<{ now: Date }>`select now()`.execute(fresh.db);
  const reconciler = composed.startReconciler();
  await beganWithResync(fresh.db, engine.name, clock[0]?.now ?? new Date(0));
  const main = addresses.get("main") ?? "";

  const stop = async () => {
    door.open();
    await composed.close();
    await engine.close();
  };
  return {
    bases: {
      marketplace: `${main}/api/vm_marketplace`,
      direct: `${main}/api/v1`,
      reference: addresses.get("reference") ?? "",
      control: `${main}/control/v1`,
    },
    hold: () => door.close(),
    goOn: () => door.open(),
    get isHeld() {
      return door.isClosed;
    },
    idle: () => reconciler.idle(),
    sweep: () => reconciler.sweepNow(),
    runJob: async (name) => {
      const job = maintenanceJobs.find((one) => one.name === name);
      if (job === undefined) throw new Error(`BUG: no job ${name}`);
      const engines = new Map([[engine.name, engine]]);
      const parts = { db: fresh.db, settings: withDefaults(settings), log: createLog("silent"), engines };
      await job.run(parts, new AbortController().signal);
      reconciler.poke();
    },
    poke: () => reconciler.poke(),
    crash: async () => {
      door.breakDown();
      await cutConnections(fresh.db, name);
      await stop();
    },
    stop,
  };
}

/** Its first resync is over: one that came after the next jump of the clock would have reached hosts at another time. */
async function beganWithResync(db: Database, engine: string, since: Date): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from settings where name = ${resyncSettingOf(engine)} and (value ->> 'good_at')::timestamptz > ${since}`.execute(
      db,
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Resolves when the database server has ended them all: what they had not committed is undone then. */
async function cutConnections(db: Database, name: string): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = ${name}`.execute(db);
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** What every step of the workers goes through. */
class Door {
  #closed: PromiseWithResolvers<void> | undefined;
  #broken = false;
  readonly #under = new Set<Promise<unknown>>();

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  readonly gate: FailpointRunner = async (_point, pass) => {
    while (this.#closed !== undefined) await this.#closed.promise;
    if (this.#broken) throw new Error("this process is gone");
    const passing = pass();
    this.#under.add(passing);
    try {
      return await passing;
    } finally {
      this.#under.delete(passing);
    }
  };

  async close(): Promise<void> {
    this.#closed ??= Promise.withResolvers();
    await Promise.allSettled(this.#under);
  }

  open(): void {
    this.#closed?.resolve();
    this.#closed = undefined;
  }

  breakDown(): void {
    this.#broken = true;
    this.open();
  }
}
