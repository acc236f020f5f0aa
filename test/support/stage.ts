// A world (world.ts) on the simulated engine, with the reconciler at work in it: for tests that follow an instance from the
// launch to its end. Boots and halts take no time unless told, so `idle()` is when everything has happened.
//
//   const stage = stageOfFile();
//   await stage.host({ gpus: 8 });
//   const { id, principal } = await stage.launchOne();
//   await stage.reconciler().idle();
//   expect(await stage.state(id)).toBe("active");

import { sql } from "kysely";
import { afterEach, beforeEach, expect } from "vitest";
import type { Engine, MachineSpec } from "../../src/engines/engine.ts";
import { putSimulatedHost } from "../../src/engines/simulated/database.ts";
import { SimulatedEngine } from "../../src/engines/simulated/engine.ts";
import type { Log } from "../../src/reconciler/log.ts";
import { type Reconciler, startReconciler } from "../../src/reconciler/reconciler.ts";
import type { ReconcilerSettings } from "../../src/reconciler/settings.ts";
import { CapacityCache } from "../../src/rental/capacity/cache.ts";
import { upsertHost } from "../../src/rental/capacity/host-store.ts";
import type { InstanceType } from "../../src/rental/instances/instance.ts";
import type { LaunchOrder } from "../../src/rental/launching/order.ts";
import type { Principal } from "../../src/rental/service.ts";
import { emptyTables } from "./empty-tables.ts";
import { type World, worldOfFile } from "./world.ts";

export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

export interface Launched {
  readonly id: string;
  readonly principal: Principal;
  readonly host: string;
}

/** What happens in the background happens only when the test asks for it (`sweepNow`), or by hints. */
export const quiet: ReconcilerSettings = {
  concurrency: 16,
  leaseSeconds: 30,
  bootDeadlineSeconds: 600,
  engineCallSeconds: 10,
  sweepSeconds: 86_400,
  choreSeconds: 86_400,
  limitCheckSeconds: 86_400,
  firstJobsSeconds: 86_400,
  capacityReadSeconds: 86_400,
  emailTimes: { pollSeconds: 86_400 },
  paymentSeconds: [86_400, 86_400, 86_400],
  confirmationSeconds: 86_400,
  vanishSeconds: 0,
  orphanGraceSeconds: 0,
  drainSeconds: 0.05,
};

/** A stage that is open while the tests of the file run, empty before each. */
export function stageOfFile(): Stage {
  const world = worldOfFile();
  const stage = new Stage(world);
  beforeEach(() => stage.empty());
  afterEach(() => stage.clear());
  return stage;
}

export class Stage {
  readonly world: World;
  readonly logged: Logged[] = [];
  readonly #reconcilers: Reconciler[] = [];
  readonly #engines: Engine[] = [];
  #product: InstanceType | undefined;

  constructor(world: World) {
    this.world = world;
  }

  get db() {
    return this.world.db;
  }

  readonly log: Log = {
    info: (details, message) => void this.logged.push({ level: "info", message, ...details }),
    warn: (details, message) => void this.logged.push({ level: "warn", message, ...details }),
    error: (details, message) => void this.logged.push({ level: "error", message, ...details }),
  };

  /** A door to the simulated world, as one server has it. */
  engine(seconds: { boot?: number; stop?: number } = {}): SimulatedEngine {
    const bounds = (value = 0) => [value, value] as const;
    const settings = { bootSeconds: bounds(seconds.boot), stopSeconds: bounds(seconds.stop), seed: 1 };
    const engine = new SimulatedEngine(this.db, settings);
    this.#engines.push(engine);
    return engine;
  }

  /** The reconciler as one server runs it. Stopped after the test. */
  reconciler(settings: Partial<ReconcilerSettings> = {}, engine: Engine = this.engine()): Reconciler {
    const reconciler = startReconciler({
      db: this.db,
      databaseUrl: this.world.url,
      engines: new Map([[engine.name, engine]]),
      keyRing: this.world.service.keyRing,
      capacity: new CapacityCache(this.db),
      settings: { ...quiet, ...settings },
      log: this.log,
    });
    this.#reconcilers.push(reconciler);
    return reconciler;
  }

  /** A host with 64 vCPUs and 8 GPUs in the simulated world and, by the same facts, in the rental's. Gives its name. */
  async host(spec: { name?: string; gpus?: number; region?: string } = {}): Promise<string> {
    const host = {
      name: spec.name ?? this.world.fresh("host"),
      region: spec.region ?? "north",
      vcpus: 64,
      memoryGib: 512,
      storageGb: 4000,
      gpus: Array.from({ length: spec.gpus ?? 8 }, (_, index) => ({
        address: `0000:${(index + 1).toString(16).padStart(2, "0")}:00.0`,
        model: "H100",
        memoryGib: 80,
        numaNode: index < 4 ? 0 : 1,
        healthy: true,
      })),
    };
    await this.world.region(host.region);
    await putSimulatedHost(this.db, host);
    await this.world.tx((tx) =>
      upsertHost(tx, { ...host, engine: "simulated", available: true, sharedStorage: true, multiAttach: true }),
    );
    return host.name;
  }

  /** Launches one instance with one GPU for an account of its own (or the one given). */
  async launchOne(order: Partial<LaunchOrder> & { principal?: Principal } = {}): Promise<Launched> {
    const principal = order.principal ?? (await this.world.account());
    const product = await this.product();
    const { principal: _, ...rest } = order;
    const instance = await this.world.launchOne(principal, { instanceType: product.name, ...rest });
    return { id: instance.id, principal, host: instance.host };
  }

  async product(): Promise<InstanceType> {
    if (this.#product === undefined) await this.world.image();
    this.#product ??= await this.world.product();
    return this.#product;
  }

  /** What the engine is told to make the machine of this row, without secrets. */
  spec(row: Awaited<ReturnType<Stage["row"]>>): MachineSpec {
    return {
      id: row.id,
      host: row.host,
      accountId: row.account_id,
      generation: row.generation,
      vcpus: row.vcpus,
      memoryGib: row.memory_gib,
      storageGb: row.storage_gb,
      gpuAddresses: row.gpu_addresses,
      image: row.image_name,
      guest: {
        hostname: row.hostname,
        loginUser: row.login_user,
        sshKeys: [],
        password: undefined,
        jupyterToken: undefined,
        command: undefined,
        userData: undefined,
        envVars: {},
        fileSystems: [],
      },
    };
  }

  row(id: string) {
    return this.db.selectFrom("instances").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  }

  async state(id: string): Promise<string> {
    return (await this.row(id)).state;
  }

  /** The types of what happened to it, in order, without "instance." and without what was told of its progress. */
  async story(id: string): Promise<string[]> {
    const types = (await this.#events(id)).map(({ type }) => type.replace(/^instance\./, ""));
    return types.filter((type) => type !== "progress");
  }

  /** What was told of its progress, in order. */
  async progress(id: string): Promise<unknown[]> {
    const told = (await this.#events(id)).filter(({ type }) => type === "instance.progress");
    return told.map(({ data }) => (data as { progress: unknown }).progress);
  }

  #events(id: string) {
    const query = this.db.selectFrom("events").select(["type", "data"]);
    return query.where("subject_id", "=", id).orderBy("position").execute();
  }

  /** Resolves when so many reconcilers hear notifications; their connections take a moment. */
  async listening(reconcilers = 1): Promise<void> {
    const listeners = async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity where application_name = 'lessor listener' and datname = current_database()
          and query ilike 'listen%'`.execute(this.db);
      return rows.length;
    };
    await expect.poll(listeners).toBe(reconcilers);
  }

  /** The ids of the machines in the simulated world that run, halt or do not exist any more as instances. */
  async machines(): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`select id from simulated.machines order by id`.execute(this.db);
    return rows.map((row) => row.id);
  }

  async span(id: string) {
    return this.db.selectFrom("billing_spans").selectAll().where("instance_id", "=", id).executeTakeFirst();
  }

  async empty(): Promise<void> {
    this.#product = undefined;
    this.logged.length = 0;
    await emptyTables(this.db, "simulated");
  }

  /** Ends what the test started. */
  async clear(): Promise<void> {
    await Promise.all(this.#reconcilers.splice(0).map((one) => one.stop()));
    await Promise.all(this.#engines.splice(0).map((one) => one.close()));
  }
}
