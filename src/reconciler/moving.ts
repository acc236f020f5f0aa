// The part of a reconciliation that moves a machine to another host: copies it, removes the copy that is not the machine,
// and follows a machine that an operator moved at the engine. Used by reconcile.ts; what is done when is in step.ts.
//
// Invariant: each method makes at most one engine call, and records in one transaction what it came to. The machine starts
// on its new host only after the copy is recorded as complete, and the old copy is removed only after a start there: so
// neither copy is lost, and the two never run at once.

import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { type Engine, EngineError, type MachineSpec, type MoveProgress } from "../engines/engine.ts";
import type { Failure, Fence } from "../rental/instances/record-observation.ts";
import { followMove } from "../rental/moving/follow-move.ts";
import {
  recordCopyRemoved,
  recordGivenUp,
  recordMoved,
  recordProgress,
  recordReturned,
} from "../rental/moving/record-move.ts";
import { afterMoveObservation, moveTraits } from "../rules/moves.ts";
import type { Failpoint, FailpointRunner } from "./failpoints.ts";
import type { Job, JobMove, Requeue } from "./lease-store.ts";
import type { Log } from "./log.ts";

export interface MovingDependencies {
  readonly db: Database;
  readonly log: Log;
  readonly gate: FailpointRunner;
  readonly job: Job;
  readonly engine: Engine;
  /** An engine call with its deadline, at its failpoint. */
  readonly call: <T>(point: Failpoint, call: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  readonly release: (how: Requeue) => Promise<number>;
}

/** What its account reads meanwhile. */
const movingWords = "moving to another host";

/** Why a copy is given up that the machine's disk is newer than. */
export const ranMeanwhile: Failure = {
  code: "machine-ran",
  message: "The machine was started by another program while it was copied, so the copy is outdated.",
};

export class Moving {
  readonly #parts: MovingDependencies;
  #move: JobMove | null;
  #isToldOf: string | undefined;

  constructor(parts: MovingDependencies) {
    this.#parts = parts;
    this.#move = parts.job.move;
  }

  /** What the move has to do at the engine. */
  get work(): "copy" | "remove" | null {
    return this.#move === null ? null : moveTraits[this.#move.phase].work;
  }

  /** What its account reads while it must not start, because it may still run on a lost host; undefined: it may. */
  get heldWords(): string | undefined {
    return this.#move?.isHeld === true ? "waiting until the host that failed is surely off" : undefined;
  }

  /** For the observation `ready`: whether it is the first one on the new host. */
  get arrival(): { readonly hasMoved?: true } {
    const isFirst = this.#move !== null && afterMoveObservation(this.#move.phase, "ready") !== undefined;
    return isFirst ? { hasMoved: true } : {};
  }

  /** Whether the copy that the machine was moved from is as good as the machine: it has not started since. */
  get canReturn(): boolean {
    if (this.#move === null || !moveTraits[this.#move.phase].isOnTarget) return false;
    return afterMoveObservation(this.#move.phase, "target lost") === "failed";
  }

  /** Copies the next part. `spec`: of the machine where it is. Throws what the engine throws, but for a refusal. */
  async copy(spec: () => Promise<MachineSpec>): Promise<number> {
    const { from, to: host, copiedBytes, gpuAddresses } = this.#current();
    const { engine, call, release } = this.#parts;
    let progress: MoveProgress;
    try {
      const { mover } = engine;
      if (mover === undefined) throw new EngineError("refused", "cannot-move", "Its engine cannot move machines.");
      const there = { ...(await spec()), host, gpuAddresses };
      progress = await call("move", (signal) => mover.copy(there, from, copiedBytes, signal));
    } catch (error) {
      if (error instanceof EngineError && error.kind === "refused") return this.giveUp(error);
      throw error;
    }
    if (progress.isComplete) return this.arrived(progress.totalBytes);
    const recorded = await this.#record((tx, fence) => recordProgress(tx, fence, progress));
    return recorded ? release({ as: "wait", progress: movingWords, seconds: 0 }) : release({ as: "now" });
  }

  /** The machine is on its new host with so many bytes, or there is nothing to copy. */
  async arrived(totalBytes = 0): Promise<number> {
    const { from, to } = this.#current();
    if (!(await this.#record((tx, fence) => recordMoved(tx, fence, totalBytes)))) return this.#tooLate();
    this.#tell("moved", { from, to });
    return 0;
  }

  async giveUp({ code, message }: Failure): Promise<number> {
    const { from, to } = this.#current();
    if (!(await this.#record((tx, fence) => recordGivenUp(tx, fence, { code, message })))) return this.#tooLate();
    this.#parts.log.warn({ instance: this.#parts.job.id, from, to, code, error: message }, "move given up");
    return this.#parts.release({ as: "now" });
  }

  /** The machine is missing on the new host: the instance returns to the copy that stayed. */
  async returned(): Promise<number> {
    const { from, to } = this.#current();
    const message = "The machine was not on its new host. The instance is where it was.";
    const failure = { code: "machine-not-moved", message };
    if (!(await this.#record((tx, fence) => recordReturned(tx, fence, failure)))) return this.#tooLate();
    this.#parts.log.warn(
      { instance: this.#parts.job.id, from, to },
      "moved machine is missing; its old copy is used again",
    );
    return 0;
  }

  /** Removes the copy that is not the machine. Throws what the engine throws. */
  async removeCopy(): Promise<void> {
    const { engine, call, job } = this.#parts;
    const { mover } = engine;
    if (mover === undefined) throw new EngineError("unavailable", "cannot-move", "Its engine cannot move machines.");
    const copy = { id: job.id, host: this.#otherHost() };
    await call("removeCopy", (signal) => mover.removeCopy(copy, job.host, signal));
    if (await this.#record(recordCopyRemoved)) this.#tell("removed the copy of a moved machine", { host: copy.host });
    this.#move = null;
  }

  /** Of an instance that ends: removes what is on the other host of its move, if there is one. Throws what the engine throws. */
  async removeOther(): Promise<void> {
    if (this.#move === null || !moveTraits[this.#move.phase].holdsBoth) return;
    const { engine, call, job } = this.#parts;
    const host = this.#otherHost();
    await call("removeCopy", (signal) => engine.remove({ id: job.id, host }, signal));
  }

  /**
   * The engine shows the machine on this host, and not on the instance's. Undefined: nothing was changed, and the
   * reconciliation goes on.
   */
  async follow(host: string): Promise<number | undefined> {
    if (this.#move !== null && this.canReturn && host === this.#move.from) return this.returned();
    if (this.#move !== null && moveTraits[this.#move.phase].holdsBoth) return undefined;
    if (this.#isToldOf === host) return undefined;
    const { gate, db, job, log } = this.#parts;
    const problem = await gate("moved", () => inTransaction(db, (tx) => followMove(tx, this.#fence(), host)));
    if (problem === undefined) {
      this.#tell("followed a machine that was moved at its engine", { from: job.host, to: host });
      return 0;
    }
    this.#isToldOf = host;
    log.error(
      { instance: job.id, from: job.host, to: host, why: problem },
      "machine was moved at its engine; not followed",
    );
    return undefined;
  }

  #record(write: (tx: Transaction, fence: Fence) => Promise<boolean>): Promise<boolean> {
    const { gate, db } = this.#parts;
    return gate("moved", () => inTransaction(db, (tx) => write(tx, this.#fence())));
  }

  /** Another worker did it, or a newer action came: the next reconciliation observes again. */
  async #tooLate(): Promise<number> {
    await this.#parts.release({ as: "now" });
    return 0;
  }

  #fence(): Fence {
    const { id, generation, lease_owner: leaseOwner } = this.#parts.job;
    return { id, generation, leaseOwner };
  }

  #otherHost(): string {
    const { phase, from, to } = this.#current();
    return moveTraits[phase].isOnTarget ? from : to;
  }

  #current(): JobMove {
    if (this.#move === null) throw new Error(`BUG: instance ${this.#parts.job.id} is not being moved`);
    return this.#move;
  }

  #tell(what: string, details: Readonly<Record<string, string>>): void {
    this.#parts.log.info({ instance: this.#parts.job.id, ...details }, what);
  }
}
