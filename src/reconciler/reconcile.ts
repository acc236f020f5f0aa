// One turn of a worker with one instance: look, decide (step.ts), act, and lay the job down. Each action is exactly one
// engine call, made with a deadline and with no transaction open; what came of it is written by observation-queue.ts and
// release-queue.ts, together with what other turns found out.
//
// A turn goes on as long as it gets somewhere (created, then started) and ends where there is something to wait for.
// Whatever interrupts it, at any point, the next turn does what is left: nothing it knows is kept anywhere but in the
// engine and the row. It can do each action once only, so an engine that says yes and does nothing is asked again after
// a pause, not in a circle. (To start a machine and to tell a guest that runs are one engine call and two actions.)

import type { Database } from "../database/connect.ts";
import { type Engine, EngineError, type MachineReport, type MachineSpec, noFirewall } from "../engines/engine.ts";
import type { Metrics } from "../metrics/index.ts";
import { inboundOf } from "../rental/firewall/index.ts";
import type { ObservationReport } from "../rental/instances/record-observation.ts";
import { launchProgress } from "../rental/launching/row.ts";
import { asState, isBooting, type State } from "../rules/lifecycle.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { engineCall } from "./engine-call.ts";
import type { Failpoint, FailpointRunner } from "./failpoints.ts";
import { givenUp, Interrupted, judge } from "./failure.ts";
import { filtered } from "./firewall-store.ts";
import { machineSpec } from "./guest-spec.ts";
import type { Clock, Lease } from "./lease.ts";
import type { Job, Requeue } from "./lease-store.ts";
import { type Log, reason } from "./log.ts";
import type { Missing } from "./missing.ts";
import type { ObservationQueue } from "./observation-queue.ts";
import type { LeaseReleaseQueue } from "./release-queue.ts";
import { machineLost } from "./resync-store.ts";
import type { Settings } from "./settings.ts";
import { type Action, isFilteredFirst, isToldToHalt, nextStep, observedStateOf, observesFirst } from "./step.ts";
import { ReconcileTimer } from "./timer.ts";

export interface ReconcileDependencies {
  readonly db: Database;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly keyRing: KeyRing;
  readonly settings: Settings;
  readonly log: Log;
  readonly missing: Missing;
  /** Since when a machine is halted that nobody told to. */
  readonly halted: Missing;
  readonly gate: FailpointRunner;
  readonly facts: ObservationQueue;
  readonly releases: LeaseReleaseQueue;
  /** Where turns are counted. Nowhere unless given. */
  readonly metrics?: Metrics;
  /** By which leases are believed in (lease.ts). `monotonic` unless given. */
  readonly clock?: Clock;
}

/** What a turn found out. */
type Found = ObservationReport extends infer Report
  ? Report extends ObservationReport
    ? Omit<Report, "fence">
    : never
  : never;

/**
 * Takes the turn. `signal` ends it early: aborted with Interrupted. Milliseconds until the instance is due again, 0 or
 * less when it is, Infinity when it is not. Throws only when the database does: the lease then ends by itself.
 */
export async function reconcile(
  parts: ReconcileDependencies,
  job: Job,
  lease: Lease,
  signal: AbortSignal,
): Promise<number> {
  const timer = new ReconcileTimer(parts.metrics);
  try {
    return await new Turn(parts, job, lease, signal, timer).run();
  } catch (error) {
    timer.threw(error);
    return await afterError(parts, job, error);
  } finally {
    timer.ended();
  }
}

class Turn {
  readonly #parts: ReconcileDependencies;
  readonly #job: Job;
  readonly #engine: Engine;
  readonly #lease: Lease;
  readonly #signal: AbortSignal;
  readonly #timer: ReconcileTimer;
  readonly #state: State;
  readonly #wasActive: boolean;
  readonly #done = new Set<Action | "tell">();
  #spec: Promise<MachineSpec> | undefined;
  #filtered = false;

  constructor(parts: ReconcileDependencies, job: Job, lease: Lease, signal: AbortSignal, timer: ReconcileTimer) {
    const engine = parts.engines.get(job.engine);
    if (engine === undefined) throw new Error(`BUG: claimed an instance of the unknown engine ${job.engine}`);
    this.#parts = parts;
    this.#job = job;
    this.#engine = engine;
    this.#lease = lease;
    this.#signal = signal;
    this.#timer = timer;
    this.#state = asState(job.state);
    this.#wasActive = job.active_at !== null;
  }

  async run(): Promise<number> {
    let report =
      observesFirst[this.#state] && !isUntouched(this.#job)
        ? await this.#call("inspect", (signal) => this.#engine.inspect(this.#job, signal))
        : undefined;
    for (;;) {
      if (report !== undefined) this.#parts.missing.seen(this.#job.id);
      if (report?.power !== "halted") this.#parts.halted.seen(this.#job.id);
      const sight = observedStateOf(report, this.#wasActive);
      const action = nextStep(this.#state, sight, this.#job.halt_first);
      const doing = action === "start" && sight === "untold" ? "tell" : action;
      this.#timer.decided(doing);
      if (this.#done.has(doing)) return this.#wait(report);
      this.#done.add(doing);
      if (isFilteredFirst[action] && report !== undefined) await this.#filter();
      switch (action) {
        case "create":
        case "start": {
          const spec = await this.#machineSpec();
          const point = doing === "tell" ? doing : action;
          report = await this.#call(point, (signal) => this.#engine[action](spec, signal));
          break;
        }
        case "stop":
          report = await this.#call("stop", (signal) => this.#engine.stop(this.#job, signal));
          break;
        case "remove":
          await this.#call("remove", (signal) => this.#engine.remove(this.#job, signal));
          return this.#record({ fact: "removed", details: {} });
        case "ready":
          return this.#record({ fact: "ready", details: { ip: addressOf(report) } });
        case "down":
          return this.#record({ fact: "down", details: {} });
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

  #call<T>(point: Failpoint, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { gate, settings } = this.#parts;
    return gate(point, async () => {
      this.#lease.check();
      return engineCall(settings.engineCallSeconds, this.#signal, call);
    });
  }

  /** Made once a turn at most: it opens what is sealed. */
  #machineSpec(): Promise<MachineSpec> {
    const { db, keyRing, gate } = this.#parts;
    this.#spec ??= gate("prepare", async () => {
      const spec = await machineSpec(db, keyRing, this.#job);
      if (spec.inbound === undefined || this.#engine.setInbound !== undefined) return spec;
      const why = "Your account has firewall rules, and its host cannot keep them.";
      throw new EngineError("refused", noFirewall, why);
    });
    return this.#spec;
  }

  /**
   * Tells the engine what may come in, where that was changed since it was last told. The rules are read after the wish,
   * so they are those that were wished or newer ones, whose own wish is still to come. An engine that cannot filter lets
   * everything in: where the rules do too, they hold without being told, and where they do not, they stay wished.
   */
  async #filter(): Promise<void> {
    const { db, gate } = this.#parts;
    if (this.#filtered || this.#job.firewall_wished === this.#job.firewall_applied) return;
    const setInbound = this.#engine.setInbound?.bind(this.#engine);
    if (setInbound !== undefined) {
      await this.#call("filter", async (signal) => setInbound(this.#job, await inboundOf(db, this.#job), signal));
    } else if ((await inboundOf(db, this.#job)) !== undefined) return;
    await gate("filtered", () => filtered(db, this.#job));
    this.#filtered = true;
  }

  #wait(report: MachineReport | undefined): Promise<number> {
    if (isBooting[this.#state] && this.#job.overdue) throw givenUp(this.#parts.settings.bootDeadlineSeconds, report);
    return this.#release({ as: "wait", progress: report?.progress ?? null });
  }

  /** A machine that was not told to halt may be on its way through a reboot from inside: believed when it lasts. */
  #halted(report: MachineReport | undefined): Promise<number> {
    const { halted, settings } = this.#parts;
    const ordered = isToldToHalt(this.#state) || report?.mayComeBack !== true;
    if (!ordered && !halted.confirm(this.#job.id, settings.rebootSeconds)) {
      return this.#release({ as: "wait", progress: null, seconds: settings.rebootSeconds });
    }
    halted.seen(this.#job.id);
    return this.#record({ fact: "halted", details: {} });
  }

  #vanished(): Promise<number> {
    const { missing, settings } = this.#parts;
    if (!missing.confirm(this.#job.id, settings.vanishSeconds)) {
      return this.#release({ as: "wait", progress: null, seconds: settings.vanishSeconds });
    }
    const message = `The machine is gone from host ${this.#job.host}, and its data with it.`;
    return this.#record({ fact: "vanished", details: { failure: { code: machineLost, message } } });
  }

  #record(found: Found): Promise<number> {
    return record(this.#parts, this.#job, found);
  }

  #release(how: Requeue): Promise<number> {
    return layDown(this.#parts, this.#job, how);
  }
}

/** A boot that failed for good becomes a fact, everything else is tried again; an interrupted turn is just laid down. */
async function afterError(parts: ReconcileDependencies, job: Job, error: unknown): Promise<number> {
  const { settings, log } = parts;
  if (error instanceof Interrupted) {
    log.info({ instance: job.id, state: job.state, why: error.message }, "reconciliation aborted");
    return layDown(parts, job, { as: "now" });
  }
  const verdict = judge(job, error, settings);
  if (verdict.fact !== undefined) {
    log.warn(
      { instance: job.id, state: job.state, host: job.host, error: reason(error) },
      "reconciliation failed permanently",
    );
    return record(parts, job, { fact: verdict.fact, details: { failure: verdict.failure } });
  }
  log.warn(
    { instance: job.id, state: job.state, host: job.host, attempts: job.attempts, error: reason(error) },
    "reconciliation failed; will retry",
  );
  return layDown(parts, job, { as: "retry", progress: verdict.words });
}

/** Records the fact, which gives the lease up; where it came too late, lays the job down for who looks next. */
async function record(parts: ReconcileDependencies, job: Job, found: Found): Promise<number> {
  const { facts, gate, log } = parts;
  const { fact, details } = found;
  const fence = { id: job.id, generation: job.generation, leaseOwner: job.lease_owner };
  const recorded = await gate(fact, () => facts.record({ fence, ...found }));
  if (!recorded) {
    log.info({ instance: job.id, fact, generation: job.generation }, "discarded a late observation");
    return layDown(parts, job, { as: "now" });
  }
  const told = { instance: job.id, from: job.state, generation: job.generation, host: job.host, ...details };
  log.info(told, fact);
  // What follows a fact (a removal after a failed launch) is due at once, and to ask is cheaper than to know.
  return 0;
}

function layDown({ gate, releases }: ReconcileDependencies, job: Job, how: Requeue): Promise<number> {
  return gate(how.as, () => releases.release(job, how));
}

/**
 * Whether it was launched and nobody has begun anything with it, so that there is nothing to look at. (What was laid down
 * for somebody else at once may look like it too, or a database that was restored: `create` finds what there is.)
 */
function isUntouched({ generation, attempts, progress }: Job): boolean {
  return generation === 1 && attempts === 1 && progress === launchProgress;
}

function addressOf(report: MachineReport | undefined): string {
  if (report?.ip === undefined) throw new Error("BUG: a usable machine without an address");
  return report.ip;
}
