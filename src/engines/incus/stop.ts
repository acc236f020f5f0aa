// Halts machines: asks the guest, and after the grace period takes the power away. Used by engine.ts.
//
// The two steps are one task of this process, which goes on after `stop` has answered. When the process dies in between,
// the next `stop` begins anew, and all that is lost is that the guest had its grace period twice.

import { setTimeout as pause } from "node:timers/promises";
import { Tasks } from "../readiness/tasks.ts";
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
  readonly #tasks: Tasks;

  constructor(cluster: Cluster, onEnd: (machineId: string) => void) {
    this.#cluster = cluster;
    this.#tasks = new Tasks(onEnd);
  }

  /** Begins to halt it; resolves when the cluster has taken the request. Throws as Client.call. */
  async begin(machineId: string, how: "asking" | "forced", signal: AbortSignal): Promise<void> {
    if (this.#tasks.has(machineId)) return;
    if (how === "forced") return this.#tasks.begin(machineId, (closing) => this.#force(machineId, closing));
    const operation = await this.#ask(machineId, signal);
    this.#tasks.begin(machineId, (closing) => this.#waitThenForce(machineId, operation, closing));
  }

  /** Resolves when nothing is under way; what is left is given up. */
  close(): Promise<void> {
    return this.#tasks.close();
  }

  async #waitThenForce(machineId: string, operation: string, closing: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout((this.#cluster.settings.stopGraceSeconds + FORCE_SECONDS) * 1000);
    const signal = AbortSignal.any([closing, patience]);
    try {
      await waitFor(this.#cluster.client, operation, signal);
    } catch (error) {
      // The guest was not even asked, because something small was just being done with its instance.
      if (isRefusedAsBusy(error) && !closing.aborted) return this.#askAgain(machineId, signal, closing);
      // Without an answer nobody knows how the guest takes it: the next `stop` asks it again, rather than take its power.
      if (isHaltedAlready(error) || error instanceof NoAnswer || closing.aborted) return;
      await this.#force(machineId, closing);
    }
  }

  async #askAgain(machineId: string, signal: AbortSignal, closing: AbortSignal): Promise<void> {
    await pause(BUSY_PAUSE_MS, undefined, { signal });
    await this.#waitThenForce(machineId, await this.#ask(machineId, signal), closing);
  }

  /** The operation that halts it. */
  async #ask(machineId: string, signal: AbortSignal): Promise<string> {
    const body = { action: "stop", force: false, timeout: this.#cluster.settings.stopGraceSeconds };
    const path = `${instancePath(machineId)}/state`;
    return (await this.#cluster.client.call(path, { method: "PUT", body }, signal)).operation;
  }

  async #force(machineId: string, closing: AbortSignal): Promise<void> {
    await forceStop(this.#cluster, machineId, AbortSignal.any([closing, AbortSignal.timeout(FORCE_SECONDS * 1000)]));
  }
}
