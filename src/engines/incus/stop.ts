// Halts machines: asks the guest, and after the grace period takes the power away. Used by engine.ts.
//
// The two steps are one task of this process, which goes on after `stop` has answered. When the process dies in between,
// the next `stop` begins anew, and all that is lost is that the guest had its grace period twice.

import { setTimeout as pause } from "node:timers/promises";
import { NoAnswer } from "./client/api-error.ts";
import { isRefusedAsBusy, waitFor } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath } from "./instances.ts";
import { forceStop, isHaltedAlready } from "./remove.ts";

/** The forced stop is answered in about a second; it is given up after so long, and tried again with the next look. */
const FORCE_SECONDS = 60;
const BUSY_PAUSE_MS = 200;

export class Stops {
  readonly #cluster: Cluster;
  readonly #onEnd: (machineId: string) => void;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(cluster: Cluster, onEnd: (machineId: string) => void) {
    this.#cluster = cluster;
    this.#onEnd = onEnd;
  }

  /** Begins to halt it; resolves when the cluster has taken the request. Throws as Client.call. */
  async begin(machineId: string, how: "asking" | "forced", signal: AbortSignal): Promise<void> {
    if (this.#underWay.has(machineId)) return;
    if (how === "forced") return this.#follow(machineId, this.#force(machineId));
    const operation = await this.#ask(machineId, signal);
    this.#follow(machineId, this.#waitThenForce(machineId, operation));
  }

  /** Resolves when nothing is under way; what is left is given up. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    await Promise.all(this.#underWay.values());
  }

  async #waitThenForce(machineId: string, operation: string): Promise<void> {
    const patience = AbortSignal.timeout((this.#cluster.settings.stopGraceSeconds + FORCE_SECONDS) * 1000);
    const signal = AbortSignal.any([this.#closing.signal, patience]);
    try {
      await waitFor(this.#cluster.client, operation, signal);
    } catch (error) {
      // The guest was not even asked, because something small was just being done with its instance.
      if (isRefusedAsBusy(error) && !this.#closing.signal.aborted) return this.#askAgain(machineId, signal);
      // Without an answer nobody knows how the guest takes it: the next `stop` asks it again, rather than take its power.
      if (isHaltedAlready(error) || error instanceof NoAnswer || this.#closing.signal.aborted) return;
      await this.#force(machineId);
    }
  }

  async #askAgain(machineId: string, signal: AbortSignal): Promise<void> {
    await pause(BUSY_PAUSE_MS, undefined, { signal });
    await this.#waitThenForce(machineId, await this.#ask(machineId, signal));
  }

  /** The operation that halts it. */
  async #ask(machineId: string, signal: AbortSignal): Promise<string> {
    const body = { action: "stop", force: false, timeout: this.#cluster.settings.stopGraceSeconds };
    const path = `${instancePath(machineId)}/state`;
    return (await this.#cluster.client.call(path, { method: "PUT", body }, signal)).operation;
  }

  async #force(machineId: string): Promise<void> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(FORCE_SECONDS * 1000)]);
    await forceStop(this.#cluster, machineId, signal);
  }

  #follow(machineId: string, task: Promise<void>): void {
    // Failed or not, the next look at the machine shows what is, and what is to be done.
    const followed = task
      .catch(() => {})
      .then(() => {
        this.#underWay.delete(machineId);
        if (!this.#closing.signal.aborted) this.#onEnd(machineId);
      });
    this.#underWay.set(machineId, followed);
  }
}
