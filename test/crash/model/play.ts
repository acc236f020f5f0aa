// One sequence, played on a stand and judged at each step. At its end everything is driven to rest, everything readable is
// held against the model, and the books are audited. Throws Difference where service and model differ.

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { haltFromInside, killHost, loseMachine, reviveHost } from "../../../src/engines/simulated/database.ts";
import { auditEverything } from "../../support/audit.ts";
import { call } from "../../support/http.ts";
import type { Command, Script, Step } from "./commands.ts";
import { type Asked, atRest, differenceOf, expanded, explain } from "./judge.ts";
import { afterEmptying, afterWindows, begun, over } from "./maintenance.ts";
import { Names } from "./names.ts";
import { of, read } from "./reading.ts";
import { variants as interfaces, type Made, namesOf, type Request, type Seen } from "./requests.ts";
import { swept, withoutHost } from "./resync.ts";
import { coupons, customers, hosts } from "./scene.ts";
import type { Stand } from "./stand.ts";
import { send } from "./wire.ts";
import { type Instance, known, type Moment, newWorld, set, type World, withInstance } from "./world.ts";

export class Difference extends Error {
  override name = "Difference";
}

/** What was done, all sequences together. */
export interface Counts {
  commands: number;
  groups: number;
  crashes: number;
  jumps: number;
  hostsLost: number;
  /** Windows that began. */
  maintenances: number;
  /** Moves that began, by request or to empty a host. */
  moves: number;
  /** Answers that were lost. */
  lost: number;
  replays: number;
  /** Operation, variant, status and code of every answer. */
  readonly kinds: Set<string>;
  /** How many worlds were possible at once. */
  mostWorlds: number;
}

/** Longer than leases and waits, and shorter than slow boots and halts. */
const lease = 40;

/** Longer than all of them. */
const aWhile = 170;

/** Of a maintenance window: longer than all short times of a sequence together, and shorter than the long ones. */
const maintenance = 3900;

/** With more possible worlds than that a sequence waits until it is clear which one it is. */
const tooMany = 100;

export async function play(stand: Stand, script: Script, counts: Counts): Promise<void> {
  stand.machines.seconds = script.seconds;
  await stand.beginAnew();
  const run = new Play(stand, script, counts);
  for (const [index, step] of script.steps.entries()) await run.step(step, `step ${index + 1}`);
  await run.end();
}

class Play {
  readonly #stand: Stand;
  readonly #counts: Counts;
  readonly #names = new Names();
  readonly #began = performance.now();
  #jumped = 0;
  #worlds: World[];
  #at = "";
  /** By host, the latest window's id. */
  readonly #windows = new Map<string, string>();

  constructor(stand: Stand, script: Script, counts: Counts) {
    this.#stand = stand;
    this.#counts = counts;
    this.#worlds = [newWorld(script.seconds)];
  }

  async step(step: Step, at: string): Promise<void> {
    this.#at = at;
    if ("ask" in step) {
      await this.#ask(step.ask);
      if (this.#worlds.length > tooMany) await this.#endLag();
      if (!step.hurried || this.#worlds.length > tooMany) await this.#settle();
    } else if ("crash" in step) await this.#crash(step.crash, step.afterMs);
    else if ("pass" in step) await this.#pass(step.pass, step.abrupt);
    else if ("workers" in step) await this.#setWorkers(step.workers);
    else if ("accident" in step) await this.#accident(step.accident, this.#names.instance(step.account, step.nth));
    else if ("declareLost" in step) await this.#declareLost(step.declareLost);
    else if ("maintain" in step) await this.#maintain(step.maintain, step.mode);
    else if ("endMaintenance" in step) await this.#endMaintenance(step.endMaintenance);
    else if ("jobs" in step) await this.#runJobs();
    else if ("host" in step) await this.#setHost(step.host, step.is === "alive");
    else await this.#sweep();
    this.#counts.mostWorlds = Math.max(this.#counts.mostWorlds, this.#worlds.length);
  }

  async end(): Promise<void> {
    this.#at = "at the end";
    await this.#setWorkers("go on");
    for (const name of Object.keys(hosts)) {
      if (this.#worlds.some((world) => !known(world.hosts, name).alive)) await this.#setHost(name, true);
    }
    for (const name of Object.keys(hosts)) await this.#endMaintenance(name);
    for (let round = 1; round <= 2; round++) {
      await this.#pass(aWhile, false);
      await this.#sweep();
      await this.#runJobs();
    }
    await this.#pass(aWhile, false);
    for (const account of customers) await this.#ask([{ do: "status", account, active: true }]);
    await this.#readEverything();
    const { rows } = await sql`select from events where type = 'instance.moved'`.execute(this.#stand.db);
    this.#counts.moves += rows.length;
    const { lost, orphans, capacity, spans, events } = await auditEverything(this.#stand.db);
    const wrong = [...lost, ...orphans, ...capacity, ...spans, ...events];
    if (wrong.length > 0) throw new Difference(`the audit found:\n    ${wrong.join("\n    ")}`);
  }

  #now(): number {
    return (performance.now() - this.#began) / 1000 + this.#jumped;
  }

  async #ask(commands: readonly Command[]): Promise<void> {
    const requests = commands.flatMap((command) => this.#names.resolve(command) ?? []);
    this.#counts.commands += requests.length;
    if (requests.length > 1) this.#counts.groups++;
    const from = this.#now();
    const seen = await Promise.all(requests.map((request) => this.#send(request)));
    this.#judge(await this.#observe(requests, seen), { from, to: this.#now() });
  }

  async #send(request: Request): Promise<Seen> {
    const { service, customers: all, operatorToken } = this.#stand;
    const endOf = (code: string) => new Date(Date.now() + (known(coupons, code).endsAt - this.#now()) * 1000);
    const { method, url, body } = send(request, { bases: service.bases, accounts: all, endOf });
    const token = "who" in request ? all[request.who.account].tokens[request.who.token] : operatorToken;
    const headers = request.key === undefined ? {} : { headers: { "idempotency-key": request.key } };
    const answer = await call(method, url, { token, body, ...headers });
    const code = of(answer.body, "error.code");
    const replayed = answer.headers.get("idempotency-replayed") === "true";
    if (replayed) this.#counts.replays++;
    const op = request.op === "change" ? request.wish : request.op;
    this.#counts.kinds.add(`${op} ${"via" in request ? request.via : "operator"} ${answer.status} ${code ?? ""}`);
    return {
      status: answer.status,
      code: code === undefined ? undefined : String(code),
      replayed,
      shows: code === undefined ? read(request, answer.body) : undefined,
    };
  }

  /** Adds what the answers do not say: where instances are, and what was made by requests without an answer. */
  async #observe(requests: readonly Request[], seen: readonly Seen[]): Promise<Asked[]> {
    const asked = new Map<number, Asked>();
    // Those without an answer last: what an answer tells of was not made by them.
    const order = [...requests.keys()].sort((a, b) => Number(seen[a] === undefined) - Number(seen[b] === undefined));
    for (const index of order) {
      const request = requests[index];
      if (request === undefined) throw new Error("BUG: an index of the list");
      const one = seen[index];
      const made = await this.#madeBy(request, one);
      this.#names.note(request, one, made);
      asked.set(index, { request, seen: one, made });
    }
    return [...asked].sort(([a], [b]) => a - b).map(([, one]) => one);
  }

  async #madeBy(request: Request, seen: Seen): Promise<Made[]> {
    const { db } = this.#stand;
    if (!("who" in request) || seen?.replayed === true || seen?.code !== undefined) return [];
    const account = this.#stand.customers[request.who.account].id;
    if (request.op === "launch") {
      const ids = seen === undefined ? null : (seen.shows as string[]); // reading.ts reads it so
      const { type, quantity } = request.order;
      const names = namesOf(request);
      const { rows } = await sql<Made>`
        select id, position::float8 as position, host from instances
        where account_id = ${account} and instance_type = ${type}
          and case when ${ids}::uuid[] is null then ${names.length} = 0 or name = any(${names}::text[]) else id = any(${ids}::uuid[]) end
        order by position`.execute(db);
      return seen === undefined ? rows.filter(({ id }) => !this.#names.isKnown(id)).slice(0, quantity) : rows;
    }
    if (request.op !== "add-key" && request.op !== "create-file-system") return [];
    if (seen !== undefined) return [{ id: String(of(seen.shows, "id")), position: 0, host: "" }];
    const table = request.op === "add-key" ? sql`ssh_keys` : sql`file_systems`;
    const { rows } = await sql<{ id: string }>`
      select id from ${table} where account_id = ${account} and name = ${request.name}`.execute(db);
    return rows.filter(({ id }) => !this.#names.isKnown(id)).map(({ id }) => ({ id, position: 0, host: "" }));
  }

  #judge(asked: readonly Asked[], when: Moment): void {
    const after = explain(this.#worlds, asked, when);
    if (after.length === 0) throw this.#difference(asked, when);
    this.#worlds = after;
  }

  #difference(asked: readonly Asked[], when: Moment): Difference {
    const [world] = this.#worlds;
    if (world === undefined) throw new Error("BUG: no world is possible, and the step did not find that");
    const told = asked.map((one) => `    ${differenceOf(world, one, when)}`);
    const instances = [...world.instances.values()].map(
      (one) => `    ${one.id} of ${one.account}: ${one.type} on ${one.host}, ${one.state}, machine ${one.machine}`,
    );
    const others = this.#worlds.length > 1 ? ` (one of ${this.#worlds.length} possible worlds)` : "";
    const title = `no order explains these answers (${this.#at})`;
    return new Difference([title, ...told, `  before${others}:`, ...instances].join("\n"));
  }

  /** Whatever the service does by itself has happened. Not while its workers are held. */
  async #settle(): Promise<void> {
    const { service } = this.#stand;
    if (service.isHeld) return;
    await service.idle();
    this.#worlds = atRest(this.#worlds, this.#now());
  }

  /** Leases run on while the workers are held: they go on before much time passes. */
  async #pass(seconds: number, abrupt: boolean): Promise<void> {
    const { service } = this.#stand;
    if (seconds > 1) await this.#setWorkers("go on");
    if (seconds > 1) await this.#endLag();
    const wasHeld = service.isHeld;
    if (!abrupt) await this.#settle();
    await service.hold();
    if (seconds > 1) this.#worlds = this.#worlds.flatMap((world) => expanded(world, this.#now()));
    await this.#travel(seconds);
    // What has not happened by now happens later.
    if (seconds > 1) this.#worlds = this.#worlds.map((world) => notBefore(world, this.#now()));
    if (!wasHeld) service.goOn();
    service.poke();
    if (!abrupt) await this.#settle();
  }

  async #travel(seconds: number): Promise<void> {
    await this.#stand.travel(seconds);
    this.#jumped += seconds;
    this.#counts.jumps++;
  }

  /** Lets leases of the dead and waits of the unlucky run out. */
  async #endLag(): Promise<void> {
    const { service } = this.#stand;
    if (!this.#worlds.some(({ lags }) => lags)) return;
    await service.hold();
    await this.#travel(lease);
    this.#worlds = this.#worlds.map((world) => ({ ...world, lags: false }));
    service.goOn();
    service.poke();
    await this.#settle();
  }

  async #setWorkers(how: "hold" | "go on"): Promise<void> {
    const { service } = this.#stand;
    if (how === "hold") return service.hold();
    service.goOn();
    await this.#settle();
  }

  async #setHost(name: string, alive: boolean): Promise<void> {
    await this.#setWorkers("go on");
    await this.#endLag();
    await (alive ? reviveHost : killHost)(this.#stand.db, name);
    this.#worlds = this.#worlds.map((world) => {
      const host = { ...known(world.hosts, name), alive };
      // What failed while it was dead is tried again after a while, and was not done before.
      return { ...notBefore(world, this.#now()), hosts: set(world.hosts, name, host), lags: alive };
    });
  }

  /** Nothing where the instance is not up, in every world. */
  async #accident(what: "halts" | "is lost", id: string | undefined): Promise<void> {
    await this.#setWorkers("go on");
    await this.#endLag();
    const isUp = ({ instances }: World) => {
      const one = instances.get(id ?? "");
      return one?.state === "active" && one.machine === "on";
    };
    if (id === undefined || !this.#worlds.every(isUp)) return;
    await (what === "halts" ? haltFromInside : loseMachine)(this.#stand.db, id);
    this.#worlds = this.#worlds.map((world) => {
      const since = { from: this.#now(), to: this.#now() };
      const machine = what === "halts" ? "off" : "none";
      return withInstance(world, { ...known(world.instances, id), machine, since, settles: since });
    });
  }

  async #sweep(): Promise<void> {
    await this.#endLag();
    await this.#settle();
    await this.#sweepNow();
    await this.#settle();
  }

  async #sweepNow(from = this.#now()): Promise<void> {
    await this.#stand.service.sweep();
    const when = { from, to: this.#now() };
    this.#worlds = this.#worlds.map((world) => swept(world, when));
  }

  /** The host dies, if it has not, and that is seen. Then in two steps, as an operator does. */
  async #declareLost(name: string): Promise<void> {
    if (this.#worlds.some((world) => known(world.hosts, name).mode === "lost")) return;
    await this.#setHost(name, false);
    await this.#sweep();
    const { service, operatorToken: token } = this.#stand;
    const from = this.#now();
    const declare = async (confirmation?: unknown) => {
      const body = { reason: "Gone", ...(confirmation !== undefined && { confirmation }) };
      const answer = await call("POST", `${service.bases.control}/hosts/${name}/declare-lost`, { token, body });
      if (answer.status !== 200) throw new Difference(`${this.#at}: ${name} is not declared lost: ${answer.text}`);
      return answer.body;
    };
    await declare(of(await declare(), "data.confirmation"));
    const when = { from, to: this.#now() };
    this.#worlds = this.#worlds.map((world) => withoutHost(world, name, when));
    this.#counts.hostsLost++;
    await this.#settle();
  }

  /** A window that begins at once. Nothing where one lasts, or the host is lost. */
  async #maintain(name: string, mode: "stop" | "move" | "nothing"): Promise<void> {
    await this.#runJobs();
    const isIn = (world: World) => {
      const host = known(world.hosts, name);
      return host.mode === "lost" || host.maintenance !== undefined;
    };
    if (this.#worlds.some(isIn)) return;
    const { service, operatorToken: token } = this.#stand;
    const from = this.#now();
    const begins = new Date();
    const ends = new Date(begins.getTime() + maintenance * 1000);
    const body = { host: name, from: begins.toISOString(), to: ends.toISOString(), reason: "Fans", mode };
    const answer = await call("POST", `${service.bases.control}/maintenance-windows`, { token, body });
    if (answer.status !== 200) throw new Difference(`${this.#at}: no maintenance of ${name}: ${answer.text}`);
    this.#windows.set(name, String(of(answer.body, "data.0.id")));
    const nth = ++this.#counts.maintenances;
    const lasts = { from: from + maintenance, to: this.#now() + maintenance };
    this.#worlds = this.#worlds.map((world) => begun(world, name, { nth, mode, ends: lasts }));
    await this.#runJobs();
  }

  /** Nothing where none lasts: it may be over by its time. */
  async #endMaintenance(name: string): Promise<void> {
    await this.#runJobs();
    if (!this.#worlds.every((world) => known(world.hosts, name).maintenance !== undefined)) return;
    const { service, operatorToken: token } = this.#stand;
    const url = `${service.bases.control}/maintenance-windows/${this.#windows.get(name)}`;
    const answer = await call("DELETE", url, { token });
    if (answer.status !== 200) throw new Difference(`${this.#at}: maintenance of ${name} does not end: ${answer.text}`);
    this.#worlds = this.#worlds.map((world) => over(world, name));
    await this.#runJobs();
  }

  /** One after the other, each at rest. */
  async #runJobs(): Promise<void> {
    const { service } = this.#stand;
    await this.#setWorkers("go on");
    await this.#endLag();
    await this.#settle();
    const from = this.#now();
    await service.runJob("running maintenance windows");
    this.#worlds = this.#worlds.map((world) => afterWindows(world, { from, to: this.#now() }));
    await this.#settle();
    await service.runJob("moving instances off hosts");
    this.#worlds = this.#worlds.map(afterEmptying);
    await this.#settle();
  }

  async #crash(commands: readonly Command[], afterMs: number): Promise<void> {
    const requests = commands.flatMap((command) => this.#names.resolve(command, true) ?? []);
    this.#counts.commands += requests.length;
    this.#counts.crashes++;
    const from = this.#now();
    // A service that is about to die may say that it cannot: that is no answer.
    const sending = requests.map((request) =>
      this.#send(request).then(
        (seen) => ((seen?.status ?? 0) >= 500 ? undefined : seen),
        () => undefined,
      ),
    );
    await sleep(afterMs);
    await this.#stand.restart();
    const seen = await Promise.all(sending);
    this.#counts.lost += seen.filter((one) => one === undefined).length;
    this.#judge(await this.#observe(requests, seen), { from, to: this.#now() });
    // It begins with a sweep, and leases of the dead go on for a while.
    await this.#sweepNow(from);
    this.#worlds = this.#worlds.map((world) => ({ ...world, lags: true }));
    await this.#settle();
  }

  async #readEverything(): Promise<void> {
    const requests: Request[] = [{ op: "all-instances" }, { op: "hosts" }];
    for (const account of customers) {
      const who = { account, token: "main" } as const;
      for (const via of interfaces) {
        requests.push({ op: "list", via, who }, { op: "keys", via, who }, { op: "offers", via, who });
      }
      for (const op of ["file-systems", "usage", "account"] as const) requests.push({ op, via: "control", who });
      requests.push({ op: "coupon", via: "D", who, code: undefined, products: true });
      for (const { id } of [...(this.#worlds[0]?.instances.values() ?? [])].filter((one) => one.account === account)) {
        for (const via of [...interfaces, "control"] as const) requests.push({ op: "read", via, who, id });
      }
    }
    const from = this.#now();
    const seen = await Promise.all(requests.map((request) => this.#send(request)));
    const when = { from, to: this.#now() };
    for (const [index, request] of requests.entries()) this.#judge([{ request, seen: seen[index], made: [] }], when);
  }
}

function notBefore(world: World, now: number): World {
  const since = { from: now, to: now };
  const instances = [...world.instances].map(([id, one]): [string, Instance] => [id, { ...one, since }]);
  return { ...world, instances: new Map(instances) };
}
