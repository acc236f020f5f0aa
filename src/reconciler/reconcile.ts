// One reconciliation of one instance: observe, decide (step.ts), act, release the lease. Each action is exactly one
// engine call, with a deadline and no transaction open; observation-queue.ts and release-queue.ts write the result, in
// batches.
//
// A reconciliation continues while it makes progress (created, then started) and ends when it has to wait. It can be
// interrupted anywhere: all state is in the engine and the row, so the next one does the rest. It performs each action
// at most once, so an engine that reports success and does nothing is asked again after a pause, not in a loop.
// (Starting a machine and delivering secrets to a running guest are one engine call and two actions.)

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { type Engine, EngineError, type MachineReport, type MachineSpec, noFirewall } from "../engines/engine.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { inboundOf } from "../rental/firewall/inbound.ts";
import { waitsForPartition } from "../rental/gpus/partitions/waiting.ts";
import type { EngineObservation, ObservationReport } from "../rental/instances/record-observation.ts";
import { launchProgress } from "../rental/launching/row.ts";
import { asState, isBooting, type State } from "../rules/lifecycle.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { engineCall } from "./engine-call.ts";
import type { Failpoint, FailpointRunner } from "./failpoints.ts";
import { givenUp, Interrupted, judge } from "./failure.ts";
import { machineSpec } from "./guest-spec.ts";
import type { Clock, Lease } from "./lease.ts";
import type { Job, Requeue } from "./lease-store.ts";
import { type Log, reason } from "./log.ts";
import type { Missing } from "./missing.ts";
import { Moving, ranMeanwhile } from "./moving.ts";
import type { ObservationQueue } from "./observation-queue.ts";
import type { LeaseReleaseQueue } from "./release-queue.ts";
import { machineLost } from "./resync-store.ts";
import { roomProgress } from "./room.ts";
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
  /** Since when machines are halted without having been told to. */
  readonly halted: Missing;
  readonly gate: FailpointRunner;
  readonly facts: ObservationQueue;
  readonly releases: LeaseReleaseQueue;
  /** Counts reconciliations. Default: nothing. */
  readonly metrics?: Metrics;
  /** Clock of the leases (lease.ts). Default: `monotonic`. */
  readonly clock?: Clock;
}

const partitionProgress = "connecting its GPUs";

/** An observation to record. */
type Found =
  Extract<ObservationReport, { fact: EngineObservation }> extends infer Report
    ? Report extends ObservationReport
      ? Omit<Report, "fence">
      : never
    : never;

/**
 * Reconciles once. `signal`, aborted with Interrupted, ends it early. Returns milliseconds until the instance is due
 * again, 0 or less if it is, Infinity if none is scheduled. Throws only when the database does: the lease then expires.
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
  readonly #moving: Moving;
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
    this.#moving = new Moving({
      ...parts,
      job,
      engine,
      call: (point, call) => this.#call(point, call),
      release: (how) => this.#release(how),
    });
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
      const strange = await this.#followed(report);
      if (strange !== undefined) return strange;
      const action = nextStep(this.#state, sight, { haltsFirst: this.#job.halt_first, moveWork: this.#moving.work });
      const doing = action === "start" && sight === "untold" ? "tell" : action;
      this.#timer.decided(doing);
      if (this.#done.has(doing)) return this.#wait(report?.progress);
      this.#done.add(doing);
      if (isFilteredFirst[action] && report !== undefined) await this.#filter();
      switch (action) {
        case "create":
        case "start": {
          if (doing !== "tell" && this.#isTriedLater) return this.#waitForRoom();
          if (action === "start" && this.#moving.heldWords !== undefined) return this.#wait(this.#moving.heldWords);
          if (doing === "start" && (await this.#waitsForPartition())) return this.#wait(partitionProgress);
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
          await this.#moving.removeOther();
          return this.#record({ fact: "removed", details: {} });
        case "ready":
          return this.#record({ fact: "ready", details: { ip: addressOf(report), ...this.#moving.arrival } });
        case "down":
          return this.#record({ fact: "down", details: {} });
        case "halted":
          return this.#halted(report);
        case "vanished":
          return this.#vanished();
        case "wait":
          return this.#wait(report?.progress);
        case "settle":
          return this.#release({ as: "settled" });
        case "move":
          return this.#moving.copy(() => this.#machineSpec());
        case "change-host":
          return this.#moving.arrived();
        case "give-up":
          return this.#moving.giveUp(ranMeanwhile);
        case "remove-copy":
          await this.#moving.removeCopy();
          break;
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

  /** Built at most once: it decrypts values. */
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

  /** Whether its GPUs are not connected yet (gpu-partitions.ts). Read just before the start: they can be lost meanwhile. */
  async #waitsForPartition(): Promise<boolean> {
    const { db } = this.#parts;
    return this.#job.has_partition && (await waitsForPartition(db, this.#job.host, this.#job.id));
  }

  /**
   * Applies the firewall rules at the engine, if they changed since the last time. Rules are read after the job's
   * `firewall_wished`, so they are at least as new; a newer version is applied later. An engine that cannot filter
   * allows everything: rules that do the same count as applied, others stay pending.
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

  #wait(progress: string | undefined): Promise<number> {
    if (isBooting[this.#state] && this.#job.overdue) throw givenUp(this.#parts.settings.bootDeadlineSeconds, progress);
    // A try that was just accepted is no news yet: its engine might find again that there is no capacity.
    const news = this.#job.room_try_at === null ? progress : this.#job.progress;
    return this.#release({ as: "wait", progress: news ?? null });
  }

  /** Whether its engine had no capacity, and it is not time to try again: hints come when the engine removes what failed. */
  get #isTriedLater(): boolean {
    return isBooting[this.#state] && (this.#job.room_try_in ?? 0) > 0;
  }

  #waitForRoom(): Promise<number> {
    return this.#release({ as: "wait", progress: roomProgress, seconds: this.#job.room_try_in ?? 0 });
  }

  /** A machine that was not told to halt might be rebooting from inside; it counts as halted when that lasts. */
  #halted(report: MachineReport | undefined): Promise<number> {
    const { halted, settings } = this.#parts;
    const ordered = isToldToHalt(this.#state) || report?.mayComeBack !== true;
    if (!ordered && !halted.confirm(this.#job.id, settings.rebootSeconds)) {
      return this.#release({ as: "wait", progress: null, seconds: settings.rebootSeconds });
    }
    halted.seen(this.#job.id);
    return this.#record({ fact: "halted", details: {} });
  }

  /** Undefined: the machine is where it should be. */
  async #followed(report: MachineReport | undefined): Promise<number | undefined> {
    if (report === undefined || report.host === this.#job.host || this.#engine.worlds !== undefined) return undefined;
    return this.#moving.follow(report.host);
  }

  #vanished(): Promise<number> {
    const { missing, settings } = this.#parts;
    if (!missing.confirm(this.#job.id, settings.vanishSeconds)) {
      return this.#release({ as: "wait", progress: null, seconds: settings.vanishSeconds });
    }
    if (this.#moving.canReturn) return this.#moving.returned();
    const message = "The machine no longer exists on its host. Its data is lost.";
    return this.#record({ fact: "vanished", details: { failure: { code: machineLost, message } } });
  }

  #record(found: Found): Promise<number> {
    return record(this.#parts, this.#job, found);
  }

  #release(how: Requeue): Promise<number> {
    return layDown(this.#parts, this.#job, how);
  }
}

/** Records a permanently failed boot, retries other errors, and only releases an interrupted job. */
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
  const { words: progress, roomRetryIn: seconds } = verdict;
  if (seconds !== undefined) {
    log.info({ instance: job.id, host: job.host, error: reason(error) }, "no capacity at the engine; will retry");
    return layDown(parts, job, { as: "wait", progress, seconds, isFull: true });
  }
  log.warn(
    { instance: job.id, state: job.state, host: job.host, attempts: job.attempts, error: reason(error) },
    "reconciliation failed; will retry",
  );
  return layDown(parts, job, { as: "retry", progress });
}

/** Records the observation, which releases the lease; if it came too late, makes the job due again. */
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
  // A follow-up (removal after a failed launch) is due at once; checking is cheaper than predicting it.
  return 0;
}

function layDown({ gate, releases }: ReconcileDependencies, job: Job, how: Requeue): Promise<number> {
  return gate(how.as, () => releases.release(job, how));
}

/**
 * Whether it was launched and not worked on yet, so that there is nothing to observe. (A job released with `now` or a
 * restored database can look the same: `create` finds an existing machine.)
 */
function isUntouched({ generation, attempts, progress }: Job): boolean {
  return generation === 1 && attempts === 1 && progress === launchProgress;
}

function addressOf(report: MachineReport | undefined): string {
  if (report?.ip === undefined) throw new Error("BUG: a usable machine without an address");
  return report.ip;
}

/** Records the rules of the time of the claim as applied. Does nothing if the lease was lost. */
async function filtered(db: Database, job: Pick<Job, "id" | "lease_owner" | "firewall_wished">): Promise<void> {
  await sql`
    update instances set firewall_applied = ${job.firewall_wished}
    where id = ${job.id} and lease_owner = ${job.lease_owner} and firewall_applied < ${job.firewall_wished}`.execute(
    db,
  );
}
