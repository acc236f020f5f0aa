// A history: operations by chance on the real thing, each judged by the model. All times are on a grid on which nothing that
// is compared is equal: reservations at whole hours, ends of lifetimes between minutes of five.

import { sql } from "kysely";
import { changeHostMode } from "../../../src/rental/hosts/change-mode.ts";
import type { InstanceType } from "../../../src/rental/instances/instance.ts";
import { scheduleWindows } from "../../../src/rental/maintenance/schedule.ts";
import { cancelReservation } from "../../../src/rental/reservations/begin-end.ts";
import type { Principal } from "../../../src/rental/service.ts";
import type { WaitingLaunch } from "../../../src/rental/waiting/waiting-launch.ts";
import { booksDisagree } from "../../support/books.ts";
import type { Random } from "../../support/random.ts";
import { readFacts } from "./facts.ts";
import {
  claims,
  couldLaunch,
  couldReserve,
  type FactInstance,
  type FactReservation,
  type Facts,
  isNeeded,
  launchesFit,
  overbooked,
  type Sizes,
  slotsFit,
  unusedOn,
} from "./model.ts";
import { orKind, type Stage, type Wanted } from "./stage.ts";

/** Less than what hosts need between two customers, so that nothing is late. */
const stepMinutes = 10;
/** In each hour, when spot instances can be evicted in time for what begins at its end, and when such a notice is over. */
const stops = [42, 45] as const;

export class History {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #principals: readonly Principal[];
  readonly #types: readonly InstanceType[];
  /** The moment at which the clock of this history stood at 0, but for what was travelled. */
  readonly #beganMs = Date.now();
  #travelledMinutes = 0;
  readonly #told: string[] = [];
  /** Hosts that failed at any time, and reservations that had slots there. */
  readonly #failed = new Set<string>();
  readonly #excused = new Set<string>();
  readonly counts = new Map<string, number>();

  constructor(stage: Stage, random: Random, principals: readonly Principal[], types: readonly InstanceType[]) {
    [this.#stage, this.#random, this.#principals, this.#types] = [stage, random, principals, types];
  }

  async next(): Promise<void> {
    const operations: readonly (readonly [number, () => Promise<void>])[] = [
      [20, () => this.#launch()],
      [22, () => this.#reserve()],
      [10, () => this.#reserveBehind()],
      [14, () => this.#use()],
      [8, () => this.#useAll()],
      [6, () => this.#becomeReady()],
      [8, () => this.#end()],
      [5, () => this.#cancel()],
      [4, () => this.#cordon()],
      [2, () => this.#outage()],
      [4, () => this.#window()],
      [18, () => this.#pass(this.#random.one([5, 10, 30, 60, 120]))],
      [5, () => this.#atOnce()],
      [4, () => this.#killedJob()],
    ];
    const all = operations.flatMap(([weight, operation]) => Array.from({ length: weight }, () => operation));
    await this.#random.one(all)();
    await this.#judge();
  }

  /** Everything passes, and nothing of it is left. */
  async clear(): Promise<void> {
    const open = async () => (await this.#facts()).reservations.filter(({ slots }) => slots.size > 0);
    for (let hours = 0; hours < 40 && (await open()).length > 0; hours++) {
      await this.#pass(60);
      await this.#judge();
    }
    const left = await open();
    if (left.length > 0) this.#fail(left.map(({ id, state }) => `${id} is still ${state}`));
  }

  #facts(): Promise<Facts> {
    return readFacts(this.#stage.db);
  }

  #tell(told: string, kind: string): void {
    const minutes = this.#travelledMinutes;
    this.#told.push(`${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} ${told}`);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  #fail(lines: readonly string[]): never {
    throw new Error([...lines, "after:", ...this.#told.map((told, at) => `${at + 1}. ${told}`)].join("\n  "));
  }

  async #judge(): Promise<void> {
    const facts = await this.#facts();
    const lines = [...overbooked(facts, this.#failed, this.#excused), ...(await booksDisagree(this.#stage.db))];
    if (lines.length > 0) this.#fail(lines);
  }

  #wanted(): { readonly principal: Principal; readonly wanted: Wanted; readonly needs: Sizes } {
    const random = this.#random;
    const type = random.one(this.#types);
    const lifetimeSeconds = random.one([null, null, 3600 + 120, 2 * 3600 + 120, 5 * 3600 + 120, 12 * 3600 + 120]);
    const quantity = random.one([1, 1, 1, 2, 3]);
    const region = random.one(["any", "any", "north", "south"]);
    const spot = random.below(3) === 0;
    const wanted = { instanceType: type.name, quantity, lifetimeSeconds, region, ...(spot && { spot }) };
    return { principal: random.one(this.#principals), wanted, needs: sizesOf(type) };
  }

  async #launch(): Promise<void> {
    const { principal, wanted, needs } = this.#wanted();
    const before = await this.#facts();
    const came = await this.#stage.launch(principal, wanted, this.#random.below(2));
    const kind = typeof came === "string" ? came : "launched";
    this.#tell(`launch ${JSON.stringify(wanted)}: ${kind}`, `launch ${kind}`);
    const lifetimeMs = wanted.lifetimeSeconds === null ? undefined : wanted.lifetimeSeconds * 1000;
    const could = couldLaunch(before, needs, wanted.quantity, lifetimeMs, regionOf(wanted.region));
    if (could !== (kind === "launched"))
      this.#fail([`the launch was ${kind}, and there was ${could ? "" : "no "}room`]);
    if (typeof came === "string") return;
    for (const [host, here] of Map.groupBy(came, (one) => one.host)) {
      const fact = before.hosts.find(({ name }) => name === host);
      const fits = fact === undefined ? 0 : launchesFit(before, fact, needs, lifetimeMs);
      if (here.length > fits) this.#fail([`${here.length} were launched on ${host}, which had room for ${fits}`]);
    }
  }

  async #reserve(): Promise<void> {
    const random = this.#random;
    const type = random.one(this.#types);
    const [ahead, lasts] = [random.below(12), 1 + random.below(8)];
    const fromMs = ahead === 0 ? undefined : this.#hourMs(ahead);
    const toMs = this.#hourMs(ahead + lasts + (ahead === 0 ? 1 : 0));
    const quantity = random.one([1, 1, 2, 3, 5]);
    const region = random.one(["any", "any", "north", "south"]);
    const from = fromMs === undefined ? undefined : new Date(fromMs);
    const order = { name: undefined, instanceType: type.name, region, quantity, from, to: new Date(toMs) };
    const before = await this.#facts();
    const came = await this.#stage.reserve(random.one(this.#principals), order, random.below(2));
    const kind = typeof came === "string" ? came : "made";
    this.#tell(
      `reserve ${quantity} ${type.name} in ${region} for ${ahead}+${lasts} h: ${kind}`,
      `reservation ${kind}${before.waiting.length > 0 ? " behind" : ""}`,
    );
    const time = [fromMs ?? before.nowMs, toMs] as const;
    const could = couldReserve(before, sizesOf(type), quantity, time, regionOf(region));
    if (could !== (kind === "made"))
      this.#fail([`the reservation was ${kind}, and there was ${could ? "" : "no "}room`]);
    if (typeof came === "string") return;
    for (const { host, slots } of came.hosts) {
      const fact = before.hosts.find(({ name }) => name === host);
      const fits = fact === undefined ? 0 : slotsFit(before, fact, sizesOf(type), ...time);
      if (slots > fits) this.#fail([`${slots} slots are promised of ${host}, which has room for ${fits}`]);
    }
    const after = await this.#facts();
    for (const { host, atMs, needs, count, lifetimeMs, before: had } of claims(before)) {
      if (launchesFit(after, host, needs, lifetimeMs, atMs, had) < count)
        this.#fail([`${count} launches that wait would have been placed on ${host.name}, and now are not`]);
    }
  }

  /** While launches wait. */
  async #reserveBehind(): Promise<void> {
    const random = this.#random;
    const waits: (readonly [Principal, WaitingLaunch])[] = [];
    for (let left = 1 + random.below(4); left > 0; left--) {
      const { principal, wanted } = this.#wanted();
      const until = new Date(this.#hourMs(random.below(8)) + 20 * 60_000);
      const launch = await this.#stage.wait(principal, wanted, until);
      this.#tell(`wait ${JSON.stringify(wanted)} for ${launch.blockedBy} until ${until.toISOString()}`, "wait");
      waits.push([principal, launch]);
    }
    for (let left = 1 + random.below(3); left > 0; left--) await this.#reserve();
    for (const [principal, launch] of waits) await this.#stage.cancelWait(principal, launch);
  }

  /** A whole hour of this history's clock from now. */
  #hourMs(ahead: number): number {
    const hours = Math.floor(this.#travelledMinutes / 60) + 1 + ahead;
    return this.#beganMs + (hours * 60 - this.#travelledMinutes) * 60_000;
  }

  async #use(): Promise<void> {
    const facts = await this.#facts();
    const open = facts.reservations.filter(({ slots }) => slots.size > 0);
    const due = open.filter(({ fromMs }) => fromMs <= facts.nowMs);
    if (open.length === 0) return;
    const one = this.#random.one(due.length > 0 && this.#random.below(4) > 0 ? due : open);
    const quantity = this.#random.one([1, 1, 2]);
    const came = await this.#useOf(one, quantity);
    const left = one.quantity - facts.instances.filter(({ reservation }) => reservation === one.id).length;
    const isDue = one.fromMs <= facts.nowMs;
    this.#tell(`use ${quantity} of ${one.id}: ${came}`, `use ${came}`);
    if (came === "used" && (!isDue || left < quantity)) this.#fail([`${one.id} was used, and had ${left} left`]);
    if (came !== "used" && isDue && left >= quantity && !this.#excused.has(one.id))
      this.#fail([`${one.id} could not be used, and had ${left} left`]);
  }

  /** All that is left of one whose hosts never failed. */
  async #useAll(): Promise<void> {
    const facts = await this.#facts();
    const due = facts.reservations.filter((one) => one.slots.size > 0 && one.fromMs <= facts.nowMs);
    const sound = due.filter(({ id }) => !this.#excused.has(id));
    if (sound.length === 0) return;
    const one = this.#random.one(sound);
    const left = one.quantity - facts.instances.filter(({ reservation }) => reservation === one.id).length;
    if (left === 0) return;
    const came = await this.#useOf(one, left);
    this.#tell(`use all ${left} of ${one.id}: ${came}`, `use all ${came}`);
    if (came !== "used") this.#fail([`${one.id} could not be used in full`]);
  }

  async #useOf({ id, type, account }: FactReservation, quantity: number): Promise<string> {
    const principal = this.#principals.find(({ accountId }) => accountId === account);
    if (principal === undefined) throw new Error("a reservation is of one of the accounts");
    const lifetimeSeconds = this.#random.one([null, null, 3600 + 120]);
    const wanted = { instanceType: type, quantity, lifetimeSeconds, region: "any", reservationId: id };
    const came = await this.#stage.launch(principal, wanted, this.#random.below(2));
    return typeof came === "string" ? came : "used";
  }

  async #becomeReady(): Promise<void> {
    const { rows } = await sql<{ id: string }>`
      select id from instances where active_at is null and terminating_at is null order by position`.execute(
      this.#stage.db,
    );
    if (rows.length === 0) return;
    const { id } = this.#random.one(rows);
    this.#tell(`${id} is ready`, "ready");
    await this.#stage.ready(id);
  }

  async #end(): Promise<void> {
    const { rows } = await sql<{ id: string; account_id: string }>`
      select id, account_id from instances where terminating_at is null order by position`.execute(this.#stage.db);
    if (rows.length === 0) return;
    const { id, account_id } = this.#random.one(rows);
    const owner = this.#principals.find(({ accountId }) => accountId === account_id);
    if (owner === undefined) throw new Error("an instance is of one of the accounts");
    this.#tell(`${id} ends`, "end");
    await this.#stage.end(owner, id);
  }

  async #cancel(): Promise<void> {
    const facts = await this.#facts();
    if (facts.reservations.length === 0) return;
    const { id, account, state } = this.#random.one(facts.reservations);
    const principal = this.#principals.find(({ accountId }) => accountId === account);
    if (principal === undefined) throw new Error("a reservation is of one of the accounts");
    const came = await orKind(() => this.#stage.world.tx((tx) => cancelReservation(tx, principal, id)));
    const kind = typeof came === "string" ? came : "cancelled";
    this.#tell(`cancel ${id}, which is ${state}: ${kind}`, `cancel ${kind}`);
    if ((kind === "cancelled") !== (state === "scheduled")) this.#fail([`${id} was ${state}, and cancel was ${kind}`]);
  }

  /** What is promised of it moves, or stays and may fail. */
  async #cordon(): Promise<void> {
    const { rows } = await sql<{ name: string; mode: string }>`select name, mode from hosts order by name`.execute(
      this.#stage.db,
    );
    const { name, mode } = this.#random.one(rows);
    const action = mode === "up" ? "cordon" : "uncordon";
    this.#tell(`${action} ${name}`, action);
    await this.#excuseOn(name);
    await this.#stage.world.tx((tx) => changeHostMode(tx, name, { action, reason: undefined, by: null }));
    await this.#job();
  }

  async #outage(): Promise<void> {
    const { rows } = await sql<{ name: string; available: boolean }>`
      select name, available from hosts order by name`.execute(this.#stage.db);
    const { name, available } = this.#random.one(rows);
    this.#tell(`${name} is ${available ? "not " : ""}reached`, "outage");
    await this.#excuseOn(name);
    await sql`update hosts set available = ${!available},
      unreachable_since = case when ${available} then now() end where name = ${name}`.execute(this.#stage.db);
    await this.#job();
  }

  /** From now on these reservations may miss something. */
  async #excuseOn(host: string): Promise<void> {
    const facts = await this.#facts();
    for (const { id, slots } of facts.reservations) if (slots.has(host)) this.#excused.add(id);
  }

  async #window(): Promise<void> {
    const facts = await this.#facts();
    const host = this.#random.one(facts.hosts);
    const [ahead, lasts] = [this.#random.below(10), 1 + this.#random.below(3)];
    const [fromMs, untilMs] = [this.#hourMs(ahead) + 7 * 60_000, this.#hourMs(ahead + lasts) - 7 * 60_000];
    const { accountId } = this.#random.one(this.#principals);
    const came = await orKind(() =>
      this.#stage.world.tx((tx) =>
        scheduleWindows(
          tx,
          {
            ...{ host: host.name, selector: undefined, reason: "Disk", mode: "nothing", deferrableUntil: null },
            ...{ beginsAt: new Date(fromMs), endsAt: new Date(untilMs) },
          },
          accountId,
        ),
      ),
    );
    const kind = typeof came === "string" ? came : "made";
    this.#tell(`maintenance of ${host.name} in ${ahead}+${lasts} h: ${kind}`, `window ${kind}`);
    const after = await this.#facts();
    const inTheWay = (now: Facts) =>
      now.reservations.filter(
        (one) => one.fromMs < untilMs && one.untilMs > fromMs && unusedOn(now, one, host.name) > 0,
      );
    if (kind === "made" && inTheWay(after).length > 0) this.#fail([`${host.name} is promised during its maintenance`]);
    const isOther = host.windows.some((window) => window.fromMs < untilMs && fromMs < window.untilMs);
    const [one, another] = inTheWay(facts);
    if (kind === "made" || isOther || another !== undefined) return;
    if (one === undefined) this.#fail([`maintenance of ${host.name} was ${kind}, and nothing is promised then`]);
    const elsewhere = facts.hosts.filter(({ name, region }) => name !== host.name && region === one.region);
    const stayMs = [Math.max(one.fromMs, facts.nowMs), one.untilMs] as const;
    const room = elsewhere.reduce((sum, other) => sum + slotsFit(facts, other, one.needs, ...stayMs), 0);
    if (room >= unusedOn(facts, one, host.name)) this.#fail([`${one.id} could have moved off ${host.name}`]);
  }

  /** Time passes; what is due happens. */
  async #pass(minutes: number): Promise<void> {
    this.#tell(`${minutes} minutes pass`, "time passes");
    for (let left = minutes, step = 0; left > 0; left -= step) {
      const toStops = stops.map((stop) => (stop + 60 - (this.#travelledMinutes % 60)) % 60 || 60);
      step = Math.min(left, stepMinutes, ...toStops);
      await this.#stage.travel(step);
      this.#travelledMinutes += step;
      await this.#stage.endDue();
      await this.#job();
    }
  }

  async #job(): Promise<void> {
    const before = new Set((await this.#facts()).instances.filter(isNoticed).map(({ id }) => id));
    await this.#stage.run();
    const facts = await this.#facts();
    for (const one of facts.instances.filter(isNoticed)) {
      if (before.has(one.id)) continue;
      this.counts.set("evicted", (this.counts.get("evicted") ?? 0) + 1);
      if (!isNeeded(facts, one)) this.#fail([`${one.id} is being evicted for ${one.evictedFor}, which needs it not`]);
    }
    for (const { id, state, fromMs, untilMs, startedMs } of facts.reservations) {
      const isOver = untilMs <= facts.nowMs;
      if (state === "active" && isOver) this.#fail([`${id} is active after its end`]);
      if (this.#excused.has(id)) continue;
      if (state === "unfulfilled") this.#fail([`${id} is unfulfilled, and its hosts never failed`]);
      if (state === "scheduled" && fromMs <= facts.nowMs) this.#fail([`${id} has not begun`]);
      if (startedMs !== undefined && startedMs !== fromMs) this.#fail([`${id} began late`]);
    }
  }

  /** A launch, a reservation and a job at the same time, on two replicas: nothing is promised twice. */
  async #atOnce(): Promise<void> {
    const [a, b] = [this.#wanted(), this.#wanted()];
    const to = new Date(this.#hourMs(4));
    const order = { ...a.wanted, name: undefined, from: undefined, to };
    const came = await Promise.all([
      this.#stage.launch(b.principal, b.wanted, 0),
      this.#stage.reserve(a.principal, order, 0),
      this.#stage.reserve(b.principal, { ...order, quantity: b.wanted.quantity }, 1),
      this.#stage.run(),
    ]);
    const kinds = came.slice(0, 3).map((one) => (typeof one === "string" ? one : "done"));
    this.#tell(`at once ${JSON.stringify([a.wanted, b.wanted])}: ${kinds.join(", ")}`, "at once");
  }

  async #killedJob(): Promise<void> {
    const statement = this.#random.below(30);
    this.#tell(`the job is killed at its statement ${statement}`, "killed");
    await this.#stage.runUntil(statement);
    await this.#judge();
    await this.#job();
  }

  get steps(): number {
    return this.#told.length;
  }

  /** Hosts that shrank: what they owe they may not have. */
  hostFailed(name: string): void {
    this.#failed.add(name);
  }
}

function isNoticed({ evictedFor, isSpot }: FactInstance): boolean {
  return isSpot && evictedFor !== undefined;
}

function regionOf(region: string): string | undefined {
  return region === "any" ? undefined : region;
}

function sizesOf({ vcpus, memoryGib, storageGb, gpus }: InstanceType): Sizes {
  return [vcpus, memoryGib, storageGb, gpus];
}
