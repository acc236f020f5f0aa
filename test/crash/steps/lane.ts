// A database in which one case after the other is played: set up, disturbed, driven to rest, audited. Several lanes run
// side by side, each with a world of its own, because a case moves the time of its whole database.

import { sql } from "kysely";
import { EngineError } from "../../../src/engines/engine.ts";
import { forgive, injectFaults } from "../../../src/engines/simulated/database.ts";
import type { SimulatedEngine } from "../../../src/engines/simulated/engine.ts";
import { engineTimeout } from "../../../src/reconciler/engine-call.ts";
import type { Failpoint } from "../../../src/reconciler/failpoints.ts";
import { Resync } from "../../../src/reconciler/resync.ts";
import { type Settings, withDefaults } from "../../../src/reconciler/settings.ts";
import { RentalError } from "../../../src/rental/errors.ts";
import { replaceAccountRules } from "../../../src/rental/firewall/account-rules.ts";
import { beginMove } from "../../../src/rental/moving/begin-move.ts";
import { type FaultKindFacts, faultKinds } from "../../../src/rules/simulator-faults.ts";
import { auditEverything } from "../../support/audit.ts";
import { type Launched, quiet, Stage } from "../../support/stage.ts";
import { timeMachine } from "../../support/time-travel.ts";
import { makeWorld } from "../../support/world.ts";
import type { Case } from "./cases.ts";
import type { Scenario } from "./scenarios.ts";
import { Server } from "./server.ts";

/** What a case came to. */
export interface Outcome {
  /** The points that the first server passed. */
  readonly passed: readonly Failpoint[];
  /** Whether the point of the disturbance was passed. */
  readonly disturbed: boolean;
  /** State and failure code. */
  readonly end: string;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly orphans: readonly string[];
  /** Whatever else is wrong. */
  readonly wrong: readonly string[];
}

/** Lets time pass. */
type Travel = (interval: string) => Promise<void>;

/** Boots and halts take so long, in the time that the test moves; nothing waits for the real clock. */
const seconds = { boot: 30, stop: 30 };

/** Longer than a lease, a retry, a boot and a halt. */
const aWhile = "40 seconds";

/** As often is looked before the operator comes and mends the world, before time is let fly, and in all. */
const patience = { repair: 5, fly: 9, most: 20 };

/** Longer than the boot deadline. */
const long = "700 seconds";

/** So many cases share a database before it is emptied: what they leave is audited with every later case. */
const casesInDatabase = 25;

export class Lane implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #travel: Travel;
  #played = 0;

  private constructor(stage: Stage, travel: Travel) {
    this.#stage = stage;
    this.#travel = travel;
  }

  static async open(): Promise<Lane> {
    const stage = new Stage(await makeWorld());
    // Whoever makes a machine is written down, so that one that was made twice is found.
    await sql`create table made (machine uuid)`.execute(stage.db);
    await sql`create function note_made() returns trigger language plpgsql as
      $$ begin insert into public.made values (new.id); return null; end $$`.execute(stage.db);
    await sql`create trigger note_made after insert on simulated.machines
      for each row execute function note_made()`.execute(stage.db);
    return new Lane(stage, await timeMachine(stage.db));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stage.world.close();
  }

  async play(one: Case): Promise<Outcome> {
    if (this.#played++ % casesInDatabase === 0) {
      await this.#stage.world.empty();
      await this.#stage.empty();
    }
    const play = new Play(this.#stage, this.#travel, one);
    try {
      const outcome = await play.run();
      const { lost, doubled, orphans, wrong } = outcome;
      // What is wrong once would be found again with every case that follows.
      if (lost.length + doubled.length + orphans.length + wrong.length > 0) this.#played = 0;
      return outcome;
    } finally {
      await play.end();
    }
  }
}

class Play {
  readonly #stage: Stage;
  readonly #travel: Travel;
  readonly #case: Case;
  readonly #scenario: Scenario;
  readonly #settings: Settings;
  readonly #engine: SimulatedEngine;
  readonly #sweep: Resync;
  readonly #servers: Server[] = [];
  #instance: Launched | undefined;
  /** Is done before anybody passes a point. */
  #meanwhile: ((point: Failpoint) => Promise<void>) | undefined;

  constructor(stage: Stage, travel: Travel, one: Case) {
    this.#stage = stage;
    this.#travel = travel;
    this.#case = one;
    this.#scenario = one.scenario;
    this.#settings = withDefaults({
      ...quiet,
      retrySeconds: [10, 10],
      lookSeconds: [10, 10],
      ...one.scenario.trouble?.settings,
    });
    this.#engine = stage.engine(seconds);
    this.#sweep = new Resync(stage.db, this.#engine, this.#settings, stage.log, async () => new Set());
  }

  async run(): Promise<Outcome> {
    const { operation, trouble } = this.#scenario;
    const first = this.#newServer();
    // The trouble is on a host of this case's own: nothing is launched on those that former cases left.
    await sql`update hosts set mode = 'cordoned'`.execute(this.#stage.db);
    const host = await this.#stage.host({ gpus: 1 });
    let instance: Launched | undefined;
    const launch = async () => {
      instance = await this.#stage.launchOne();
      this.#instance = instance;
      return instance;
    };
    const wish = async () => {
      if (instance === undefined) throw new Error("BUG: nothing to wish for");
      if (operation.rules === true) return changeRules(this.#stage, instance);
      if (operation.wish === undefined) throw new Error("BUG: nothing to wish");
      await this.#stage.world.change(instance.principal, operation.wish, [instance.id]);
    };

    if (operation.from !== undefined) await this.#bring(first, await launch(), operation.from);
    // Now, so that it was launched on the other one.
    if (operation.moves === true) await this.#stage.host({ gpus: 1 });
    if (trouble !== undefined) {
      const { kind, call, parameters, times } = trouble;
      const { ofHosts }: FaultKindFacts = faultKinds[kind];
      await injectFaults(this.#stage.db, {
        kind,
        // The calls of a move are for both hosts.
        ...(operation.moves === true && instance !== undefined && ofHosts !== true
          ? { machine: instance.id }
          : { host }),
        ...(call !== undefined && { operation: call }),
        ...(parameters !== undefined && { parameters }),
        ...(times > 0 && { times }),
      });
    }
    let wished = false;
    this.#meanwhile = async (point) => {
      if (point !== operation.during || wished) return;
      wished = true;
      await wish();
    };
    first.arm(this.#case.disturbance, this.#meanwhile);
    if (operation.from === undefined) await launch();
    else if (operation.moves === true) await this.#move();
    else await wish();
    await this.#toRest();
    // The point was not passed by anybody, for the trouble came first: then it is wished now, and may be refused.
    if (operation.during !== undefined && !wished) {
      await wish().catch((error: unknown) => {
        if (!(error instanceof RentalError)) throw error;
      });
      await this.#toRest();
    }
    if (this.#case.disturbance?.mode === "sleeps before" && first.isGone) {
      first.awake();
      await this.#toRest();
    }
    return this.#outcome(first);
  }

  async #move(): Promise<void> {
    const { world } = this.#stage;
    const id = this.#instance?.id ?? "";
    await world.service.capacity.refresh();
    await world.tx((tx) => beginMove(tx, world.service, id, { host: undefined, reason: undefined, by: null }));
  }

  async end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.bury()));
    await forgive(this.#stage.db);
    await this.#stage.clear();
  }

  #newServer(): Server {
    const server = new Server(this.#stage, this.#engine, this.#settings);
    this.#servers.push(server);
    if (this.#meanwhile !== undefined) server.arm(undefined, this.#meanwhile);
    return server;
  }

  /** To a state of rest, before anything is disturbed. */
  async #bring(server: Server, { id, principal }: Launched, state: "active" | "stopped"): Promise<void> {
    await this.#reach(server, id, "active");
    if (state === "active") return;
    await this.#stage.world.change(principal, "stop", [id]);
    await this.#reach(server, id, "stopped");
  }

  /** More than once round only where the machine is so busy that an impatient server gave a call up. */
  async #reach(server: Server, id: string, state: "active" | "stopped"): Promise<void> {
    let reached: string | undefined;
    for (let round = 0; round < patience.most && reached !== state; round++) {
      await server.idle();
      await this.#travel(aWhile);
      await server.idle();
      reached = await this.#stage.state(id);
    }
    if (reached !== state) throw new Error(`BUG: the instance is ${reached} and should be ${state}`);
  }

  /** Lets time pass, and lets servers and the sweep work, until nothing is to be done and nothing was found. */
  async #toRest(): Promise<void> {
    for (let round = 1; round <= patience.most; round++) {
      if (round === patience.repair) await this.#repair();
      await this.#idle();
      if (this.#instance !== undefined) await this.#engine.changed(await this.#stage.row(this.#instance.id));
      await this.#idle();
      await Promise.all(this.#servers.map((one) => one.callsEnded()));
      const found = await this.#resync(AbortSignal.timeout(10_000)).catch(unheard);
      await this.#idle();
      if (!found && round >= 2 && (await this.#unrest()) === undefined) return;
      await this.#travel(round >= patience.fly ? long : aWhile);
    }
  }

  async #resync(signal: AbortSignal): Promise<boolean> {
    return this.#sweep.run(await this.#sweep.begin(), [], signal);
  }

  /** Until no server has anything to do. Where none lives any more, another one takes over. */
  async #idle(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.idle()));
    if (this.#servers.every((server) => server.isGone)) await this.#newServer().idle();
  }

  /** What is not at rest, if anything. */
  async #unrest(): Promise<string | undefined> {
    const { rows } = await sql<{ what: string }>`
      select format('instance %s: %s, generation %s of %s, looked at %s, leased by %s until %s, attempts %s, health %s',
        id, state, fulfilled_generation, generation, next_look_at, lease_owner, lease_until, attempts, health) as what
      from instances where next_look_at is not null or lease_owner is not null or health <> 'ok'
      union all
      select format('move of %s: %s', instance_id, phase) from moves where phase not in ('moved', 'failed')
      union all
      select format('copy of machine %s on %s', machine_id, host) from simulated.copies
      where machine_id not in (select instance_id from moves where phase <> 'failed')
      union all
      select format('machine %s of an instance that is %s', m.id, coalesce(i.state, 'not there'))
      from simulated.machines m left join instances i on i.id = m.id
      where i.id is null or i.state = 'terminated' limit 1`.execute(this.#stage.db);
    return rows[0]?.what;
  }

  /** A hint that was late may have woken the instance once more; that leads to nothing. What does not pass by itself. */
  async #lastingUnrest(): Promise<string | undefined> {
    let unrest: string | undefined;
    for (let tries = 0; tries < 100; tries++) {
      await this.#idle();
      unrest = await this.#unrest();
      if (unrest === undefined) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return unrest;
  }

  /** What an operator does: the engine is well again, hosts are switched on, a guest that will not halt is cut off. */
  async #repair(): Promise<void> {
    const { db } = this.#stage;
    await forgive(db);
    await sql`update simulated.hosts set alive = true where not alive`.execute(db);
    await sql`update simulated.machines set settles_at = now() where power = 'off' and settles_at = 'infinity'`.execute(
      db,
    );
  }

  async #outcome(first: Server): Promise<Outcome> {
    const { db } = this.#stage;
    if (this.#instance === undefined) throw new Error("BUG: nothing was launched");
    const row = await this.#stage.row(this.#instance.id);
    const end = `${row.state} ${row.failure_code ?? "-"}`;
    const { operation, trouble } = this.#scenario;
    const lawful = [`${operation.target} -`, ...(trouble?.ends ?? [])];
    // A late hint may lead to the disturbance even now. That happens once, so after it there is rest for good.
    let unrest = await this.#lastingUnrest();
    for (let again = 0; again < 2 && unrest !== undefined; again++) {
      await this.#toRest();
      unrest = await this.#lastingUnrest();
    }
    const { lost, orphans, capacity, spans, events } = await auditEverything(db);
    // A lie cannot be told from the truth, and a machine that was lost has no rules.
    const hasRules = operation.rules === true && row.state === "active" && trouble?.kind !== "lies";
    const unfiltered = hasRules ? await missingRules(this.#stage, this.#instance.id) : [];
    const outside = this.#servers.flatMap((server) => server.outside);
    return {
      passed: [...first.passed],
      disturbed: first.wasDisturbed,
      end,
      lost: [...lost, ...(lawful.includes(end) ? [] : [`ends ${end}, lawful are ${lawful.join(", ")}`])],
      doubled: await this.#madeTwice(),
      orphans,
      wrong: [
        ...capacity,
        ...spans,
        ...events,
        ...outside,
        ...unfiltered,
        ...(unrest === undefined ? [] : [`never came to rest: ${unrest}`]),
      ],
    };
  }

  /** A machine that is made again was lost, or made by somebody who was late. */
  async #madeTwice(): Promise<string[]> {
    const { trouble } = this.#scenario;
    if (trouble?.loses === true || this.#case.disturbance?.mode === "sleeps before") return [];
    const { rows } = await sql<{ line: string }>`
      select format('machine %s was made %s times', machine, count(*)) as line
      from made where machine = ${this.#instance?.id} group by machine having count(*) > 1`.execute(this.#stage.db);
    return rows.map(({ line }) => line);
  }
}

/** On a busy machine an impatient server hears nothing in time: as in the program, it compares again. */
function unheard(error: unknown): true {
  if (error instanceof EngineError && error.code === engineTimeout) return true;
  throw error;
}

const rule = { protocol: "tcp", ports: [22, 22], source: "192.0.2.0/24" } as const;

/** The account lets nothing in any more but SSH. */
export async function changeRules({ world }: Stage, { principal }: Pick<Launched, "principal">): Promise<void> {
  await world.tx((tx) => replaceAccountRules(tx, world.service, principal, [{ ...rule, description: "" }], "data"));
}

/** What of `changeRules` has not reached the machine. */
export async function missingRules({ db }: Stage, id: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('machine %s lets in %s, and %s of %s changes were applied', i.id, m.inbound, i.firewall_applied,
      i.firewall_wished) as line
    from instances i left join simulated.machines m on m.id = i.id
    where i.id = ${id} and (m.inbound is distinct from ${JSON.stringify([rule])}::jsonb
      or i.firewall_applied <> i.firewall_wished)`.execute(db);
  return rows.map(({ line }) => line);
}
