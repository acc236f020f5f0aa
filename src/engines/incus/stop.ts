// Halts machines: asks the guest, and powers it off after the grace period. Used by engine.ts.
//
// Both steps are one background task, which continues after `stop` has returned. If the process dies in between, the
// next `stop` starts again, and the guest gets its grace period twice.

import { setTimeout as pause } from "node:timers/promises";
import { Tasks } from "../readiness/tasks.ts";
import { NoAnswer } from "./client/api-error.ts";
import { isRefusedAsBusy, waitFor } from "./client/operations.ts";
import type { Cluster } from "./cluster.ts";
import { instancePath } from "./instances.ts";
import { forceStop, isHaltedAlready } from "./remove.ts";

/** A forced stop takes about a second; after this time it is aborted and retried at the next check. */
const FORCE_SECONDS = 60;
const BUSY_PAUSE_MS = 200;

export class Stops {
  readonly #cluster: Cluster;
  readonly #tasks: Tasks;

  constructor(cluster: Cluster, onEnd: (machineId: string) => void) {
    this.#cluster = cluster;
    this.#tasks = new Tasks(onEnd);
  }

  /** Begins to halt it; resolves when the cluster has accepted the request. Throws as Client.call. */
  async begin(machineId: string, how: "asking" | "forced", signal: AbortSignal): Promise<void> {
    if (this.#tasks.has(machineId)) return;
    if (how === "forced") return this.#tasks.begin(machineId, (closing) => this.#force(machineId, closing));
    const operation = await this.#ask(machineId, signal);
    this.#tasks.begin(machineId, (closing) => this.#waitThenForce(machineId, operation, closing));
  }

  /** Aborts all tasks. Resolves when they have ended. */
  close(): Promise<void> {
    return this.#tasks.close();
  }

  async #waitThenForce(machineId: string, operation: string, closing: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout((this.#cluster.settings.stopGraceSeconds + FORCE_SECONDS) * 1000);
    const signal = AbortSignal.any([closing, patience]);
    try {
      await waitFor(this.#cluster.client, operation, signal);
    } catch (error) {
      // The guest was not asked, because another short operation was in progress.
      if (isRefusedAsBusy(error) && !closing.aborted) return this.#askAgain(machineId, signal, closing);
      // Without a response the result is unknown: the next `stop` asks again, instead of forcing it.
      if (isHaltedAlready(error) || error instanceof NoAnswer || closing.aborted) return;
      await this.#force(machineId, closing);
    }
  }

  async #askAgain(machineId: string, signal: AbortSignal, closing: AbortSignal): Promise<void> {
    await pause(BUSY_PAUSE_MS, undefined, { signal });
    await this.#waitThenForce(machineId, await this.#ask(machineId, signal), closing);
  }

  /** Starts the operation that halts it. */
  async #ask(machineId: string, signal: AbortSignal): Promise<string> {
    const body = { action: "stop", force: false, timeout: this.#cluster.settings.stopGraceSeconds };
    const path = `${instancePath(machineId)}/state`;
    return (await this.#cluster.client.call(path, { method: "PUT", body }, signal)).operation;
  }

  async #force(machineId: string, closing: AbortSignal): Promise<void> {
    await forceStop(this.#cluster, machineId, AbortSignal.any([closing, AbortSignal.timeout(FORCE_SECONDS * 1000)]));
  }
}
