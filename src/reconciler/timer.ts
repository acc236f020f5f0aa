// Measures a reconciliation, by the last action it decided on and its result. Used by reconcile.ts.

import type { Metrics } from "../metrics/metrics.ts";
import { Interrupted } from "./failure.ts";
import type { Action } from "./step.ts";

export class ReconcileTimer {
  readonly #metrics: Metrics | undefined;
  readonly #began = performance.now();
  /** `look`: it ended before it decided on an action. */
  #action: Action | "tell" | "look" = "look";
  /** `done`, `given up` (the lease was lost, a newer action came, or the replica stops), or `failed`. */
  #result = "done";

  constructor(metrics: Metrics | undefined) {
    this.#metrics = metrics;
  }

  decided(action: Action | "tell"): void {
    this.#action = action;
  }

  threw(error: unknown): void {
    this.#result = error instanceof Interrupted ? "given up" : "failed";
  }

  ended(): void {
    const labels = { action: this.#action, result: this.#result };
    const seconds = (performance.now() - this.#began) / 1000;
    this.#metrics?.observe("lessor_reconciler_turn_duration_seconds", labels, seconds);
  }
}
