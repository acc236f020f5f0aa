// A whole life of one instance on the fake cloud, with a reconciler that is killed once: at a request to the cloud, or at a
// failpoint. Another one takes over each time, and whenever everything rests the cloud has what the instance says, and the
// bill is its lifetime. Used by openstack-steps.test.ts.

import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { OpenStackEngine } from "../../../src/engines/openstack/engine.ts";
import type { OpenStackSettings } from "../../../src/engines/openstack/settings/settings.ts";
import { removeFileSystems } from "../../../src/reconciler/file-system-removal.ts";
import { Resync } from "../../../src/reconciler/resync.ts";
import { type ReconcilerSettings, type Settings, withDefaults } from "../../../src/reconciler/settings.ts";
import { deleteFileSystem, type FileSystem } from "../../../src/rental/file-systems/file-systems.ts";
import type { Principal } from "../../../src/rental/service.ts";
import { booksDisagree } from "../../support/books.ts";
import { groupsOf } from "../../support/fake-openstack/engines.ts";
import { beginStand, type FakeCloud } from "../../support/fake-openstack/stand.ts";
import { spansDisagree } from "../../support/lifetimes.ts";
import { quiet, type Stage } from "../../support/stage.ts";
import { storiesDisagree } from "../../support/stories.ts";
import { travel } from "../../support/time-travel.ts";
import type { Disturbance } from "../steps/cases.ts";
import { changeRules } from "../steps/lane.ts";
import { Server } from "../steps/server.ts";
import { cloudDisagreesOnOne } from "./cloud-disagrees.ts";
import { type Cut, Cutting } from "./cutting.ts";

/** Where the first reconciler dies: at a request, or at a failpoint; undefined: nowhere. */
export type Death = Cut | Disturbance | undefined;

/** What happens to the instance, in order. */
export type Scenario = "a whole life" | "a wait that ends with capacity" | "a wait in vain";

export interface Outcome {
  /** The requests and failpoints of the first reconciler. */
  readonly requests: readonly string[];
  readonly points: readonly Disturbance["point"][];
  readonly died: boolean;
  readonly wrong: readonly string[];
}

/** The fake with the settings of an engine for it. */
export interface Cloud extends FakeCloud {
  readonly settings: OpenStackSettings;
}

/** Longer than a lease. */
const aWhile = "40 seconds";

/** A host of an engine, and what a customer launches on it: once in each database. */
export async function furnish(stage: Stage, stand: Cloud): Promise<void> {
  const engine = new OpenStackEngine(stand.settings, "installation-1");
  const { world } = stage;
  await world.region("north");
  await stage.reconciler({}, engine).sweepNow();
  await stage.clear();
  const hosts = await stage.db.selectFrom("hosts").where("available", "=", true).select("name").execute();
  if (hosts.length !== 2) throw new Error(`the engine shows ${JSON.stringify(hosts)}: ${JSON.stringify(stage.logged)}`);
  await engine.close();
  await world.image({ name: "debian-12" });
  const size = { vcpus: 4, memoryGib: 16, storageGb: 100 };
  await world.product({ name: "small", gpuModel: "h200_sxm5", ...size });
}

/** Two hosts with floating addresses and firewall rules. */
export async function beginCloud(): Promise<Cloud> {
  const stand = await beginStand();
  const regions = stand.settings.regions.map((region) => ({ ...region, floatingNetwork: "public" }));
  return { ...stand, settings: { ...stand.settings, regions, managementNetworks: ["127.0.0.0/8"] } };
}

/** Nothing was ever made in it: what stays after an instance is removed. */
export function asNew(cloud: Cloud): void {
  cloud.world.flavors.clear();
  for (const id of groupsOf(cloud)) cloud.world.networks.groups.delete(id);
}

export class Life {
  readonly #stage: Stage;
  readonly #stand: Cloud;
  readonly #scenario: Scenario;
  readonly #settings: Settings;
  readonly #cutting: Cutting;
  readonly #servers: Server[] = [];
  readonly #engines: OpenStackEngine[] = [];
  readonly #first: Server;
  readonly #wrong: string[] = [];
  /** One that finds no capacity is made again, and one whose order comes late may be an extra. */
  readonly #isOnce: boolean;
  #sweep: Resync;
  #phase = "launch";
  /** The clocks of the engines. */
  #aheadMs = 0;
  #id = "";
  #fileSystem: FileSystem | undefined;

  constructor(stage: Stage, stand: Cloud, scenario: Scenario, death: Death) {
    this.#stage = stage;
    this.#stand = stand;
    this.#scenario = scenario;
    asNew(stand);
    const waits: Partial<ReconcilerSettings> = { retrySeconds: [300, 300] };
    this.#settings = withDefaults({
      ...quiet,
      retrySeconds: [0.02, 0.05],
      lookSeconds: [0.02, 0.05],
      pollSeconds: 0.2,
      removalSeconds: 0.05,
      ...(scenario === "a whole life" ? {} : waits),
    });
    const isCut = death !== undefined && "request" in death;
    this.#isOnce = scenario === "a whole life" && !(isCut && death.when === "late");
    this.#cutting = new Cutting(stand.fake, isCut ? death : undefined, () => this.#first.kill());
    [this.#first, this.#sweep] = this.#replica();
    this.#first.arm(isCut ? undefined : death);
  }

  async run(): Promise<Outcome> {
    try {
      if (this.#scenario === "a whole life") await this.#whole();
      else await this.#waits();
      // What hung so long is known to be over: nothing is left of it either.
      this.#wrong.push(...this.#servers.flatMap((server) => server.outside));
    } catch (error) {
      this.#wrong.push(`${this.#phase}: ${error instanceof Error ? error.message : error}`);
    } finally {
      await this.#end();
    }
    return {
      requests: this.#cutting.passed,
      points: [...this.#first.passed],
      died: this.#cutting.isCut || this.#first.wasDisturbed,
      wrong: this.#wrong,
    };
  }

  async #whole(): Promise<void> {
    const { world } = this.#stage;
    const principal = await world.account();
    this.#fileSystem = await world.fileSystem(principal, { sizeGb: 10 });
    await this.#launch(principal, [this.#fileSystem.name]);
    await this.#rest("launch", "active");
    const change = (wish: "stop" | "restart" | "reboot" | "terminate") => world.change(principal, wish, [this.#id]);
    await change("reboot");
    await this.#rest("reboot", "active");
    await change("stop");
    await this.#rest("stop", "stopped");
    await changeRules(this.#stage, { principal });
    await this.#rest("rules", "stopped");
    await change("restart");
    await this.#rest("restart", "active");
    await change("terminate");
    await this.#rest("terminate", "terminated");
    const { id } = this.#fileSystem;
    await world.tx((tx) => deleteFileSystem(tx, principal, id));
    this.#fileSystem = undefined;
    await this.#rest("delete the file system", "terminated");
  }

  async #waits(): Promise<void> {
    const { fake, world } = this.#stand;
    fake.faults.add("compute", "POST", /\/servers$/, { spawn: "no-host" }, Number.POSITIVE_INFINITY);
    const principal = await this.#stage.world.account();
    await this.#launch(principal, []);
    const { db } = this.#stage;
    await sql`update instances set waits_until = now() + interval '2 days' where id = ${this.#id}`.execute(db);
    for (const tries of [1, 2]) {
      this.#phase = `try ${tries}`;
      await this.#until(async () => {
        const { state, progress, room_try_at: at } = await this.#row();
        const isWaiting = state === "booting" && progress === "waiting for capacity" && at !== null && at > new Date();
        return isWaiting && world.tagged(`lessor-${this.#id}`).length === 0;
      });
      if ((await this.#stage.span(this.#id)) !== undefined) this.#wrong.push("it is billed while it waits");
      await this.#resync();
      // A turn that time passes in would take the next try for one that has begun.
      await this.#living(async (server) => server.idle());
      await this.#travel("10 minutes");
    }
    if (this.#scenario === "a wait in vain") {
      await this.#travel("3 days");
      await this.#rest("the end of the wait", "terminated");
      if ((await this.#row()).failure_code === null) this.#wrong.push("it did not fail");
      return;
    }
    fake.faults.clear();
    await this.#rest("capacity", "active");
    await this.#stage.world.change(principal, "terminate", [this.#id]);
    await this.#rest("terminate", "terminated");
  }

  async #launch(principal: Principal, fileSystemNames: readonly string[]): Promise<void> {
    const order = { instanceType: "small", fileSystemNames, envVars: { WORD: "a secret" } };
    this.#id = (await this.#stage.world.launchOne(principal, order)).id;
  }

  /** Until the instance is in the state for good; then the cloud and the books are compared with it. */
  async #rest(phase: string, state: string): Promise<void> {
    this.#phase = phase;
    const isThere = async () => {
      const { state: now, next_look_at, firewall_applied, firewall_wished } = await this.#row();
      return now === state && next_look_at === null && (now === "terminated" || firewall_applied === firewall_wished);
    };
    await this.#until(isThere);
    await this.#cutting.carryOutLate();
    await this.#resync();
    await this.#removeFileSystems();
    // What Nova was told to delete, or to attach, is over soon, and what was found by the resync is repaired.
    const fileSystemId = this.#fileSystem?.id;
    const mayStay = !this.#isOnce && fileSystemId !== undefined;
    let found: string[] = [];
    for (const deadline = performance.now() + 5000; performance.now() < deadline; await pause(10)) {
      this.#aheadMs += 600_000;
      await this.#until(isThere);
      found = cloudDisagreesOnOne(this.#stand, { ...(await this.#row()), fileSystemId }, this.#isOnce);
      // A volume whose order came late stays until the next launch with its file system, or until that is deleted.
      if (mayStay) found = found.filter((line) => !line.startsWith("strange volumes:"));
      if (found.length === 0) break;
      await this.#resync();
    }
    const { db } = this.#stage;
    const books = await Promise.all([booksDisagree(db), spansDisagree(db), storiesDisagree(db)]);
    this.#wrong.push(...[...found, ...books.flat()].map((line) => `${phase}: ${line}`));
  }

  async #until(isThere: () => Promise<boolean>): Promise<void> {
    let moved = performance.now();
    for (const deadline = moved + 60_000; performance.now() < deadline; await pause(5)) {
      await this.#living(async (server) => server.idle());
      if (await isThere()) return;
      // A lease that was lost expires, and what failed is tried again.
      if (performance.now() - moved > 2000) await this.#travel(aWhile);
      if (performance.now() - moved > 2000) moved = performance.now();
    }
    const { state, progress, failure_code, attempts, next_look_at, room_try_at, lease_owner } = await this.#row();
    throw new Error(
      `it is ${state} (${progress}, ${failure_code}) after ${attempts} attempts, next ${next_look_at?.toISOString()}, tried again ${room_try_at?.toISOString()}, leased by ${lease_owner}`,
    );
  }

  async #resync(): Promise<void> {
    await this.#living(
      async () => void (await this.#sweep.run(await this.#sweep.begin(), [], AbortSignal.timeout(9000))),
    );
  }

  /** As in the program it is tried again until it succeeds: Cinder needs a moment to detach a volume. */
  async #removeFileSystems(): Promise<void> {
    const { db, log } = this.#stage;
    const isLeft = async () => (await sql`select from removed_file_systems`.execute(db)).rows.length > 0;
    for (const deadline = performance.now() + 5000; performance.now() < deadline && (await isLeft()); await pause(5)) {
      await this.#living((_server, engine) =>
        removeFileSystems(db, engine, this.#settings, log, AbortSignal.timeout(9000)),
      );
    }
  }

  /** By the reconciler that lives; if it dies at it, by the one that takes over. */
  async #living(act: (server: Server, engine: OpenStackEngine) => Promise<void>): Promise<void> {
    for (;;) {
      const [server, engine] = [this.#servers.at(-1), this.#engines.at(-1)];
      if (server === undefined || engine === undefined) throw new Error("BUG: no reconciler");
      if (!server.isGone) {
        const acted = act(server, engine);
        acted.catch(() => {});
        await Promise.race([acted, server.gone]);
        if (!server.isGone) return;
      }
      [, this.#sweep] = this.#replica();
      await this.#travel(aWhile);
    }
  }

  #replica(): readonly [Server, Resync] {
    const { db, log } = this.#stage;
    const engine = new OpenStackEngine(this.#stand.settings, "installation-1", () => performance.now() + this.#aheadMs);
    const server = new Server(this.#stage, engine, this.#settings);
    this.#engines.push(engine);
    this.#servers.push(server);
    return [server, new Resync(db, engine, this.#settings, log, async () => new Set())];
  }

  #row() {
    return this.#stage.row(this.#id);
  }

  async #travel(interval: string): Promise<void> {
    await travel(this.#stage.db, interval);
  }

  async #end(): Promise<void> {
    // First: what hangs at the cloud ends.
    await Promise.all(this.#engines.map((engine) => engine.close()));
    await Promise.all(this.#servers.map((server) => server.bury()));
    this.#stand.fake.faults.clear();
    this.#stand.fake.requests.length = 0;
  }
}
