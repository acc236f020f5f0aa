// The stage for tests of moves: a host with one GPU, an instance that is stopped on it, and then another host. Something can
// happen between two parts of a copy (`meanwhile`).

import { sql } from "kysely";
import { beforeEach, expect } from "vitest";
import { killHost } from "../../src/engines/simulated/database.ts";
import type { SimulatedEngine } from "../../src/engines/simulated/engine.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { declareLost } from "../../src/rental/hosts/declare-lost.ts";
import { beginMove } from "../../src/rental/moving/begin-move.ts";
import { type Move, moveOf } from "../../src/rental/moving/move-store.ts";
import { auditEverything } from "./audit.ts";
import type { Launched, Stage } from "./stage.ts";

/** A fresh one before each test of the file. */
export function movingOfFile(stage: Stage): MovingStage {
  const moving = new MovingStage(stage);
  beforeEach(() => moving.open());
  return moving;
}

export class MovingStage {
  source = "";
  target = "";
  /** Is done before the copy of so much is asked for. */
  meanwhile: (copied: number) => Promise<void> = async () => {};
  readonly #stage: Stage;
  #engine: SimulatedEngine | undefined;
  #reconciler: Reconciler | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get reconciler(): Reconciler {
    if (this.#reconciler === undefined) throw new Error("BUG: no test runs");
    return this.#reconciler;
  }

  async open(): Promise<void> {
    this.source = await this.#stage.host({ gpus: 1 });
    this.meanwhile = async () => {};
    const engine = this.#stage.engine();
    const { mover } = engine;
    const copy: typeof mover.copy = async (spec, from, copied, signal) => {
      await this.meanwhile(copied);
      return mover.copy(spec, from, copied, signal);
    };
    Object.assign(engine, { mover: { ...mover, copy } });
    this.#engine = engine;
    this.startReconciler();
  }

  /** Another one, after the first was stopped. */
  startReconciler(): void {
    this.#reconciler = this.#stage.reconciler({}, this.#engine);
  }

  /** An instance with a GPU that is stopped on `source`; then there is a `target`. */
  async stopped(order: Parameters<Stage["launchOne"]>[0] = {}): Promise<Launched> {
    const launched = await this.#stage.launchOne(order);
    await this.reconciler.idle();
    await this.change(launched, "stop");
    this.target = await this.#stage.host({ gpus: 1 });
    return launched;
  }

  async change({ principal, id }: Launched, action: "stop" | "restart" | "terminate"): Promise<void> {
    await this.#stage.world.change(principal, action, [id]);
    await this.reconciler.idle();
  }

  async begin(id: string, host?: string): Promise<void> {
    const { world } = this.#stage;
    await world.service.capacity.refresh();
    await world.tx((tx) => beginMove(tx, world.service, id, { host, reason: undefined, by: null }));
  }

  async move(id: string, host?: string): Promise<void> {
    await this.begin(id, host);
    await this.reconciler.idle();
  }

  async phase(id: string): Promise<Move["phase"] | undefined> {
    return (await moveOf(this.#stage.db, id))?.phase;
  }

  async place(id: string): Promise<string> {
    return (await this.#stage.row(id)).host;
  }

  /** How many GPUs of the host are free. */
  async free(name: string): Promise<number> {
    return (await readHost(this.#stage.db, name)).gpus.filter(({ heldBy }) => heldBy === null).length;
  }

  /** The hosts where something of the machine is. */
  async copies(id: string): Promise<string[]> {
    const { rows } = await sql<{ host: string }>`
      select host from simulated.machines where id = ${id}
      union select host from simulated.copies where machine_id = ${id} order by host`.execute(this.#stage.db);
    return rows.map(({ host }) => host);
  }

  /** The bytes of its disk. */
  async total(id: string): Promise<number> {
    return (await this.#stage.row(id)).storage_gb * 1_000_000_000;
  }

  async allIsWell(): Promise<void> {
    await this.reconciler.idle();
    const audit = await auditEverything(this.#stage.db);
    expect(audit).toEqual({ lost: [], orphans: [], capacity: [], spans: [], events: [] });
  }

  /** The host stops responding. */
  async dies(host: string): Promise<void> {
    await this.reconciler.sweepNow();
    await killHost(this.#stage.db, host);
    await this.reconciler.sweepNow();
    await this.reconciler.idle();
  }

  /** It is declared lost. `keepsSource`: of its engine. Returns the instances that end with it. */
  async lose(host: string, keepsSource = true): Promise<string[]> {
    const { world } = this.#stage;
    const { accountId: by } = await world.account();
    const enginesOfOneCopy = new Set(keepsSource ? [] : ["simulated"]);
    const declare = (confirmation?: string) =>
      world.tx((tx) => declareLost(tx, host, { reason: "Written off", confirmation, by, enginesOfOneCopy }));
    const { confirmation } = await declare();
    const { instances } = await declare(confirmation);
    await this.reconciler.idle();
    return instances.map(({ id }) => id);
  }
}
