// One turn of a worker with one instance: look, decide (step.ts), act, and lay the job down. Each action is exactly one
// engine call, made with a deadline and with no transaction open; each fact is one transaction.
//
// A turn goes on as long as it gets somewhere (created, then started) and ends where there is something to wait for.
// Whatever interrupts it, at any point, the next turn does what is left: nothing it knows is kept anywhere but in the
// engine and the row. It can do each action once only, so an engine that says yes and does nothing is asked again after
// a pause, not in a circle. (To start a machine and to tell a guest that runs are one engine call and two actions.)

import { type Database, inTransaction } from "../database/connect.ts";
import type { Engine, MachineReport, MachineSpec } from "../engines/engine.ts";
import { asState, type Fact, type State } from "../rental/instances/lifecycle.ts";
import { type FactDetails, recordFact } from "../rental/instances/record-fact.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { engineCall } from "./engine-call.ts";
import { givenUp, Interrupted, judge } from "./failure.ts";
import { machineSpec } from "./guest-spec.ts";
import { type Job, type Release, release } from "./lease-store.ts";
import { type Log, reason } from "./log.ts";
import type { Missing } from "./missing.ts";
import type { Settings } from "./settings.ts";
import { type Action, hasDeadline, looksFirst, nextStep, sightOf } from "./step.ts";
import { machineLost } from "./sweep-store.ts";

export interface TurnParts {
  readonly db: Database;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly keyRing: KeyRing;
  readonly settings: Settings;
  readonly log: Log;
  readonly missing: Missing;
  /** Since when a machine is halted that nobody told to. */
  readonly halted: Missing;
}

/**
 * Takes the turn. `signal` ends it early: aborted with Interrupted. Milliseconds until the instance is due again, 0 or
 * less when it is, Infinity when it is not. Throws only when the database does: the lease then ends by itself.
 */
export async function takeTurn(parts: TurnParts, job: Job, signal: AbortSignal): Promise<number> {
  try {
    return await new Turn(parts, job, signal).run();
  } catch (error) {
    return afterError(parts, job, error);
  }
}

class Turn {
  readonly #parts: TurnParts;
  readonly #job: Job;
  readonly #engine: Engine;
  readonly #signal: AbortSignal;
  readonly #state: State;
  readonly #wasActive: boolean;
  readonly #done = new Set<Action | "tell">();
  #spec: Promise<MachineSpec> | undefined;

  constructor(parts: TurnParts, job: Job, signal: AbortSignal) {
    const engine = parts.engines.get(job.engine);
    if (engine === undefined) throw new Error(`BUG: claimed an instance of the unknown engine ${job.engine}`);
    this.#parts = parts;
    this.#job = job;
    this.#engine = engine;
    this.#signal = signal;
    this.#state = asState(job.state);
    this.#wasActive = job.active_at !== null;
  }

  async run(): Promise<number> {
    let report = looksFirst[this.#state]
      ? await this.#call((signal) => this.#engine.inspect(this.#job, signal))
      : undefined;
    for (;;) {
      if (report !== undefined) this.#parts.missing.seen(this.#job.id);
      if (report?.power !== "halted") this.#parts.halted.seen(this.#job.id);
      const sight = sightOf(report, this.#wasActive);
      const action = nextStep(this.#state, sight);
      const doing = action === "start" && sight === "untold" ? "tell" : action;
      if (this.#done.has(doing)) return this.#wait(report);
      this.#done.add(doing);
      switch (action) {
        case "create":
        case "start": {
          const spec = await this.#machineSpec();
          report = await this.#call((signal) => this.#engine[action](spec, signal));
          break;
        }
        case "stop":
          report = await this.#call((signal) => this.#engine.stop(this.#job, signal));
          break;
        case "remove":
          await this.#call((signal) => this.#engine.remove(this.#job, signal));
          return this.#record("removed", {});
        case "ready":
          return this.#record("ready", { ip: addressOf(report) });
        case "halted":
          return this.#halted(report);
        case "vanished":
          return this.#vanished();
        case "wait":
          return this.#wait(report);
        case "settle":
          return this.#release({ as: "settled" });
      }
    }
  }

  #call<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return engineCall(this.#parts.settings.engineCallSeconds, this.#signal, call);
  }

  /** Made once a turn at most: it opens what is sealed. */
  #machineSpec(): Promise<MachineSpec> {
    this.#spec ??= machineSpec(this.#parts.db, this.#parts.keyRing, this.#job);
    return this.#spec;
  }

  #wait(report: MachineReport | undefined): Promise<number> {
    if (hasDeadline[this.#state] && this.#job.overdue) throw givenUp(this.#parts.settings.bootDeadlineSeconds, report);
    return this.#release({ as: "wait", progress: report?.progress ?? null });
  }

  /** A machine that was not told to halt may be on its way through a reboot from inside: believed when it lasts. */
  #halted(report: MachineReport | undefined): Promise<number> {
    const { halted, settings } = this.#parts;
    const ordered = this.#state === "stopping" || report?.mayComeBack !== true;
    if (!ordered && !halted.confirm(this.#job.id, settings.rebootSeconds)) {
      return this.#release({ as: "wait", progress: null, seconds: settings.rebootSeconds });
    }
    halted.seen(this.#job.id);
    return this.#record("halted", {});
  }

  #vanished(): Promise<number> {
    const { missing, settings } = this.#parts;
    if (!missing.confirm(this.#job.id, settings.vanishSeconds)) {
      return this.#release({ as: "wait", progress: null, seconds: settings.vanishSeconds });
    }
    const message = `The machine is gone from host ${this.#job.host}, and its data with it.`;
    return this.#record("vanished", { failure: { code: machineLost, message } });
  }

  #record<F extends Fact>(fact: F, details: FactDetails[F]): Promise<number> {
    return record(this.#parts, this.#job, fact, details);
  }

  #release(how: Release): Promise<number> {
    return release(this.#parts.db, this.#job, how, this.#parts.settings);
  }
}

/** A boot that failed for good becomes a fact, everything else is tried again; an interrupted turn is just laid down. */
async function afterError(parts: TurnParts, job: Job, error: unknown): Promise<number> {
  const { db, settings, log } = parts;
  if (error instanceof Interrupted) {
    log.info({ instance: job.id, state: job.state, why: error.message }, "turn given up");
    return release(db, job, { as: "now" }, settings);
  }
  const verdict = judge(job, error, settings);
  if (verdict.fact !== undefined) {
    log.warn({ instance: job.id, state: job.state, host: job.host, error: reason(error) }, "given up for good");
    return record(parts, job, verdict.fact, { failure: verdict.failure });
  }
  log.warn(
    { instance: job.id, state: job.state, host: job.host, attempts: job.attempts, error: reason(error) },
    "turn failed",
  );
  return release(db, job, { as: "retry", progress: verdict.words }, settings);
}

/** Records the fact, which gives the lease up; where it came too late, lays the job down for who looks next. */
async function record<F extends Fact>(parts: TurnParts, job: Job, fact: F, details: FactDetails[F]): Promise<number> {
  const { db, settings, log } = parts;
  const fence = { id: job.id, generation: job.generation, leaseOwner: job.lease_owner };
  const recorded = await inTransaction(db, (tx) => recordFact(tx, fence, fact, details));
  if (!recorded) {
    log.info({ instance: job.id, fact, generation: job.generation }, "fact came too late");
    return release(db, job, { as: "now" }, settings);
  }
  const told = { instance: job.id, from: job.state, generation: job.generation, host: job.host, ...details };
  log.info(told, fact);
  // What follows a fact (a removal after a failed launch) is due at once, and to ask is cheaper than to know.
  return 0;
}

function addressOf(report: MachineReport | undefined): string {
  if (report?.ip === undefined) throw new Error("BUG: a usable machine without an address");
  return report.ip;
}
