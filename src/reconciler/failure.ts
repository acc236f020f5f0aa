// What an error means for an instance: permanent failure or retry, and the message that the customer reads.

import { EngineError } from "../engines/engine.ts";
import type { Failure } from "../rental/instances/record-observation.ts";
import { asState, isBooting } from "../rules/lifecycle.ts";
import type { Job } from "./lease-store.ts";
import type { Settings } from "./settings.ts";
import { bootFailure } from "./step.ts";

/**
 * The reconciliation ends for a reason other than the instance: its lease was lost, a newer action came, or the replica
 * stops.
 */
export class Interrupted extends Error {
  override name = "Interrupted";
}

export function givenUp(deadlineSeconds: number, progress: string | undefined): EngineError {
  const last = progress === undefined ? "" : ` Last progress: ${progress}.`;
  return new EngineError(
    "refused",
    "boot-timeout",
    `The instance was not ready within ${deadlineSeconds} seconds.${last}`,
  );
}

export type Verdict =
  | { readonly fact: "launchFailed" | "startFailed"; readonly failure: Failure }
  /** Retry; `words` is the progress shown meanwhile. */
  | { readonly fact: undefined; readonly words: string };

/**
 * A boot has failed permanently when the engine rejects it, or on any error after its deadline. Where the lifecycle has
 * no observation for that (a removal, a stop that keeps data), it is retried forever.
 */
export function judge(job: Job, error: unknown, { bootDeadlineSeconds }: Settings): Verdict {
  const state = asState(job.state);
  const fact = bootFailure(state, job.active_at !== null);
  const refused = error instanceof EngineError && error.kind === "refused";
  if (fact !== undefined && refused) return { fact, failure: { code: error.code, message: error.message } };
  if (fact !== undefined && isBooting[state] && job.overdue) {
    const why = error instanceof EngineError ? ` ${error.message}` : "";
    const message = `The instance was not ready within ${bootDeadlineSeconds} seconds.${why}`;
    return { fact, failure: { code: error instanceof EngineError ? error.code : "boot-timeout", message } };
  }
  // Only messages of EngineError are meant for customers.
  return { fact: undefined, words: error instanceof EngineError ? `retrying: ${error.message}` : "retrying" };
}
