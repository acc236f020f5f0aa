// A random history of instances on the fake cloud, with a small model: what each instance was last told to be. Two replicas
// work on them and are killed at random steps and moments, while the cloud fails, forgets, and loses what it has. Once all is well
// again and rests, each instance is what the model says, the cloud has exactly their servers, and the bills are their
// lifetimes. Used by openstack-histories.test.ts.

import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { EngineError } from "../../../src/engines/engine.ts";
import { OpenStackEngine } from "../../../src/engines/openstack/engine.ts";
import { failpoints } from "../../../src/reconciler/failpoints.ts";
import { removeFileSystems } from "../../../src/reconciler/file-system-removal.ts";
import { Resync } from "../../../src/reconciler/resync.ts";
import { withDefaults } from "../../../src/reconciler/settings.ts";
import { RentalError } from "../../../src/rental/errors.ts";
import { deleteFileSystem } from "../../../src/rental/file-systems/file-systems.ts";
import type { Principal } from "../../../src/rental/service.ts";
import { booksDisagree } from "../../support/books.ts";
import type { Fault } from "../../support/fake-openstack/faults.ts";
import { spansDisagree } from "../../support/lifetimes.ts";
import type { Random } from "../../support/random.ts";
import { quiet, type Stage } from "../../support/stage.ts";
import { storiesDisagree } from "../../support/stories.ts";
import { travel } from "../../support/time-travel.ts";
import { Server } from "../steps/server.ts";
import { type Instance, instancesDisagree } from "./instances-disagree.ts";
import { asNew, type Cloud } from "./life.ts";

/** What happened, all histories together. */
export interface Counts {
  launches: number;
  changes: number;
  misfortunes: number;
  kills: number;
}

/** Longer than a lease. */
const aWhile = "40 seconds";

/** So many instances at once at most: there is capacity for them. */
const MOST = 6;

const wishes = { stop: "stopped", restart: "active", reboot: "active", terminate: "terminated" } as const;

const settings = withDefaults({
  ...quiet,
  // As time passes while nothing is well.
  bootDeadlineSeconds: 86_400,
  retrySeconds: [0.02, 0.05],
  lookSeconds: [0.02, 0.05],
  pollSeconds: 0.2,
});

interface Replica {
  readonly engine: OpenStackEngine;
  readonly server: Server;
  readonly sweep: Resync;
}

export class History {
  readonly #stage: Stage;
  readonly #stand: Cloud;
  readonly #random: Random;
  readonly #counts: Counts;
  readonly #instances = new Map<string, Instance>();
  readonly #fileSystems: string[] = [];
  readonly #all: Replica[] = [];
  #living: Replica[] = [];
  /** The clocks of the engines. */
  #aheadMs = 0;
  /** Something happened that no launch and no start need survive, and may yet show. */
  #mayFail = false;

  constructor(stage: Stage, stand: Cloud, random: Random, counts: Counts) {
    this.#stage = stage;
    this.#stand = stand;
    this.#random = random;
    this.#counts = counts;
  }

  /** Plays it. Returns what is wrong after it. */
  async run(): Promise<string[]> {
    asNew(this.#stand);
    const principal = await this.#stage.world.account();
    this.#living = [this.#replica(), this.#replica()];
    try {
      for (let step = 0; step < 30; step++) await this.#step(principal);
      const wrong = await this.#settle("when all is well");
      if (wrong.length > 0) return wrong;
      for (const [id, { wanted }] of this.#instances)
        if (wanted !== "terminated") await this.#change(principal, "terminate", id);
      wrong.push(...(await this.#settle("when all is terminated")));
      for (const id of this.#fileSystems.splice(0))
        await this.#stage.world.tx((tx) => deleteFileSystem(tx, principal, id));
      wrong.push(...(await this.#settle("when the file systems are deleted")));
      return [...wrong, ...this.#all.flatMap(({ server }) => server.outside)];
    } finally {
      await Promise.all(this.#all.map(({ engine }) => engine.close()));
      await Promise.all(this.#all.map(({ server }) => server.bury()));
      this.#stand.fake.faults.clear();
      this.#stand.fake.requests.length = 0;
    }
  }

  async #step(principal: Principal): Promise<void> {
    const random = this.#random;
    if (random.below(4) === 0) await this.#misfortune();
    if (random.below(5) === 0) {
      const mode = random.one(["killed before", "killed after", "twice", "fails", "fails afterwards"] as const);
      random.one(this.#living).server.arm({ point: random.one(failpoints), occurrence: 1, mode });
    }
    if (random.below(12) === 0) random.one(this.#living).server.kill();
    const live = [...this.#instances].filter(([, { wanted }]) => wanted !== "terminated").map(([id]) => id);
    if (live.length < MOST && random.below(3) === 0) await this.#launch(principal);
    else if (live.length > 0 && random.below(2) === 0)
      await this.#change(principal, random.one(["stop", "restart", "reboot", "terminate"] as const), random.one(live));
    if (random.below(3) === 0) await this.#idle();
    else await pause(random.below(40));
    await this.#replaceDead();
    if (random.below(8) === 0) await this.#resync();
    if (random.below(8) === 0) await travel(this.#stage.db, aWhile);
  }

  async #launch(principal: Principal): Promise<void> {
    const { world } = this.#stage;
    const fileSystem = this.#random.below(3) === 0 ? await world.fileSystem(principal, { sizeGb: 10 }) : undefined;
    const fileSystemNames = fileSystem === undefined ? [] : [fileSystem.name];
    const order = { instanceType: "small", fileSystemNames, envVars: { WORD: "a secret" } };
    const { id } = await world.launchOne(principal, order);
    if (fileSystem !== undefined) this.#fileSystems.push(fileSystem.id);
    this.#instances.set(id, { wanted: "active", mayEnd: this.#mayFail, fileSystemId: fileSystem?.id });
    this.#counts.launches++;
  }

  /** If its state does not permit it, it stays as it was told before. */
  async #change(principal: Principal, wish: keyof typeof wishes, id: string): Promise<void> {
    try {
      await this.#stage.world.change(principal, wish, [id]);
    } catch (error) {
      if (error instanceof RentalError) return;
      throw error;
    }
    this.#counts.changes++;
    this.#note([id], { wanted: wishes[wish] });
  }

  #fail(): void {
    this.#mayFail = true;
    this.#note(this.#instances.keys(), { mayEnd: true });
  }

  #note(ids: Iterable<string>, part: Partial<Instance>): void {
    for (const id of ids) {
      const known = this.#instances.get(id);
      if (known !== undefined) this.#instances.set(id, { ...known, ...part });
    }
  }

  async #misfortune(): Promise<void> {
    const random = this.#random;
    const { fake, world } = this.#stand;
    this.#counts.misfortunes++;
    const service = random.one(["compute", "network"] as const);
    const passing: Fault[] = [{ drop: "after" }, { drop: "before" }, { fail: { status: 500 } }, { slowMs: 20 }];
    // What a launch or a start does not survive.
    const final: Fault[] = [{ spawn: { message: "the disk is gone" } }, { spawn: "no-host" }, { spawn: "exhausted" }];
    await random.one([
      () => fake.faults.add(service, random.one(["GET", "POST", "PUT", "DELETE"]), /./, random.one(passing)),
      () => fake.faults.add("compute", "POST", /(servers|action)$/, { drop: "after" }, 2),
      () => fake.restart(service),
      () => fake.identity.revokeTokens(),
      () => {
        fake.faults.add("compute", "POST", /servers$/, random.one(final));
        this.#fail();
      },
      () => {
        const live = [...world.servers.values()].filter(({ status }) => status !== "DELETED");
        if (live.length === 0) return;
        const lost = random.one(live);
        this.#note([lost.name.replace(/^lessor-/, "")], { mayEnd: true });
        world.life.removeNow(lost);
      },
      () => {
        for (const host of world.hosts.hosts.values()) host.down = random.below(3) === 0;
        this.#fail();
      },
    ])();
  }

  /** Until all rests and nothing is wrong, or for a minute: what is wrong then. */
  async #settle(when: string): Promise<string[]> {
    const { db } = this.#stage;
    this.#stand.fake.faults.clear();
    for (const host of this.#stand.world.hosts.hosts.values()) host.down = false;
    let wrong: string[] = [];
    let moved = performance.now();
    for (const deadline = moved + 60_000; performance.now() < deadline; await pause(10)) {
      for (const { server } of this.#living) if (!server.isGone) server.arm(undefined);
      await this.#idle();
      await this.#replaceDead();
      await this.#resync();
      await this.#removeFileSystems();
      this.#aheadMs += 600_000;
      wrong = await instancesDisagree(this.#stage, this.#stand, this.#instances, this.#fileSystems);
      if (wrong.length === 0) break;
      // A lease that was lost expires, and what failed is tried again.
      if (performance.now() - moved < 2000) continue;
      await travel(db, aWhile);
      moved = performance.now();
    }
    const books = await Promise.all([booksDisagree(db), spansDisagree(db), storiesDisagree(db)]);
    return [...wrong, ...books.flat()].map((line) => `${when}: ${line}`);
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#living.map(({ server }) => server.idle()));
  }

  /** Another takes over from each that was killed. */
  async #replaceDead(): Promise<void> {
    const dead = this.#living.filter(({ server }) => server.isGone);
    if (dead.length === 0) return;
    this.#counts.kills += dead.length;
    this.#living = this.#living.map((one) => (dead.includes(one) ? this.#replica() : one));
    await travel(this.#stage.db, aWhile);
  }

  /** By one of the replicas, as far as the cloud lets it. */
  async #resync(): Promise<void> {
    const { sweep, server } = this.#random.one(this.#living);
    const act = async () => void (await sweep.run(await sweep.begin(), [], AbortSignal.timeout(9000)));
    await this.#untilGone(server, act());
  }

  async #removeFileSystems(): Promise<void> {
    const { db, log } = this.#stage;
    const { engine, server } = this.#random.one(this.#living);
    const { rows } = await sql`select from removed_file_systems`.execute(db);
    if (rows.length === 0) return;
    await this.#untilGone(server, removeFileSystems(db, engine, settings, log, AbortSignal.timeout(9000)));
  }

  async #untilGone(server: Server, act: Promise<unknown>): Promise<void> {
    const done = act.catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
    });
    await Promise.race([done, server.gone]);
  }

  #replica(): Replica {
    const { db, log } = this.#stage;
    const engine = new OpenStackEngine(this.#stand.settings, "installation-1", () => performance.now() + this.#aheadMs);
    const server = new Server(this.#stage, engine, settings);
    const sweep = new Resync(db, engine, settings, log, async () => new Set());
    const replica = { engine, server, sweep };
    this.#all.push(replica);
    return replica;
  }
}
