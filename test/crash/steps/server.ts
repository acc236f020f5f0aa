// One server's worker as it can be killed in a test: everything it does goes through a gate (reconciler/failpoints.ts), and
// behind a gate of a dead server nothing ever goes on. So its lease is left, and no promise of it continues, as after a
// kill. Once a test has looked at everything it is buried: its promises end in errors, so that nothing is left behind.
//
// Invariant: what a server does at the engine, and what it writes, it does at a point. `outside` has what did not.

import { AsyncLocalStorage } from "node:async_hooks";
import type { KyselyPlugin } from "kysely";
import type { Engine, Mover } from "../../../src/engines/engine.ts";
import { Metrics } from "../../../src/metrics/metrics.ts";
import type { Failpoint, FailpointRunner } from "../../../src/reconciler/failpoints.ts";
import { Missing } from "../../../src/reconciler/missing.ts";
import { ObservationQueue } from "../../../src/reconciler/observation-queue.ts";
import { LeaseReleaseQueue } from "../../../src/reconciler/release-queue.ts";
import type { Settings } from "../../../src/reconciler/settings.ts";
import { Worker } from "../../../src/reconciler/worker.ts";
import type { Stage } from "../../support/stage.ts";
import type { Disturbance } from "./cases.ts";

const standing = new AsyncLocalStorage<Failpoint>();

/** What the engine may be asked only at a point. */
const engineCalls = ["inspect", "create", "start", "stop", "remove", "setInbound", "copy", "removeCopy"] as const;

export class Server {
  /** The points it passed since it was armed, in order. */
  readonly passed: Failpoint[] = [];
  /** Engine calls and writes that were made at no point. */
  readonly outside: string[] = [];
  /** Resolves when the server is killed, or falls asleep. */
  readonly gone: Promise<void>;
  readonly #go: () => void;
  readonly #worker: Worker;
  readonly #unwatch: () => void;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #afterlife = Promise.withResolvers<void>();
  #armed:
    | { disturbance: Disturbance | undefined; meanwhile: ((point: Failpoint) => Promise<void>) | undefined }
    | undefined;
  #isGone = false;
  #disturbed = false;
  #hasSlept = false;

  constructor(stage: Stage, engine: Engine, settings: Settings) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    this.#go = resolve;
    // Nobody may be waiting when it is buried.
    this.#afterlife.promise.catch(() => {});
    const db = stage.db.withPlugin(this.#watchWrites());
    this.#worker = new Worker({
      db,
      facts: new ObservationQueue(db),
      releases: new LeaseReleaseQueue(db, settings),
      engines: new Map([[engine.name, this.#watched(engine)]]),
      keyRing: stage.world.service.keyRing,
      settings,
      log: stage.log,
      missing: new Missing(),
      halted: new Missing(),
      gate: this.#gate,
      // Its own clock went on while it slept.
      clock: () => performance.now() + (this.#hasSlept ? 3_600_000 : 0),
      metrics: new Metrics(),
    });
    this.#unwatch = engine.watch((id) => this.#isGone || this.#worker.hint(id));
    this.#worker.start();
  }

  /** From now on points count. `meanwhile` is done before each is passed. */
  arm(disturbance: Disturbance | undefined, meanwhile?: (point: Failpoint) => Promise<void>): void {
    this.passed.length = 0;
    this.#armed = { disturbance, meanwhile };
  }

  /** Whether the disturbance has happened. */
  get wasDisturbed(): boolean {
    return this.#disturbed;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Resolves when nothing is due and nothing runs, or when it is gone. */
  async idle(): Promise<void> {
    if (!this.#isGone) await Promise.race([this.gone, this.#worker.idle()]);
  }

  /** Resolves when no engine call is under way, also of those that were given up. */
  async callsEnded(): Promise<void> {
    await Promise.allSettled(this.#calls);
  }

  /** Ends it wherever it is; `gone` resolves. */
  kill(): void {
    void this.#vanish().catch(() => {});
  }

  /** One that slept goes on. */
  awake(): void {
    this.#isGone = false;
    this.#hasSlept = true;
    this.#afterlife.resolve();
  }

  /** Ends it for good, whatever it was. */
  async bury(): Promise<void> {
    this.#unwatch();
    if (this.#isGone) this.#afterlife.reject(new Error("the server is dead"));
    await this.#worker.stop();
  }

  readonly #gate: FailpointRunner = async (point, pass) => {
    if (this.#isGone) await this.#afterlife.promise;
    const act = () => standing.run(point, pass);
    if (this.#armed === undefined) return act();
    await this.#armed.meanwhile?.(point);
    this.passed.push(point);
    const { disturbance } = this.#armed;
    if (disturbance?.point !== point || this.#disturbed) return act();
    if (this.passed.filter((one) => one === point).length !== disturbance.occurrence) return act();
    this.#disturbed = true;
    switch (disturbance.mode) {
      case "fails":
        throw new Error("the test lets this fail");
      case "fails afterwards":
        await act();
        throw new Error("the test lets this fail afterwards");
      case "twice":
        await act();
        return act();
      case "killed before":
      case "sleeps before":
        await this.#vanish();
        return act();
      case "killed after":
        try {
          return await act();
        } finally {
          await this.#vanish();
        }
    }
  };

  /** Does not come back before the afterlife. */
  #vanish(): Promise<void> {
    this.#isGone = true;
    this.#go();
    return this.#afterlife.promise;
  }

  #watched<T extends Engine | Mover>(engine: T): T {
    return new Proxy(engine, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name === "mover" && "mover" in target && target.mover !== undefined) return this.#watched(target.mover);
        if (typeof value !== "function") return value;
        const call = engineCalls.find((one) => one === name);
        return (...parameters: unknown[]) => {
          const made: unknown = Reflect.apply(value, target, parameters);
          if (call === undefined) return made;
          if (standing.getStore() === undefined) this.outside.push(`engine.${call}`);
          const ended = Promise.resolve(made);
          this.#calls.add(ended);
          ended.catch(() => {}).finally(() => this.#calls.delete(ended));
          return made;
        };
      },
    });
  }

  #watchWrites(): KyselyPlugin {
    return {
      transformQuery: ({ node }) => {
        const text = node.kind === "RawNode" ? node.sqlFragments.join(" ") : node.kind;
        const writes = /\b(insert into|update|delete from)\b|^(Insert|Update|Delete)QueryNode$/i.test(text);
        if (writes && standing.getStore() === undefined) this.outside.push(text.trim().slice(0, 60));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
  }
}
