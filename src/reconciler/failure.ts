// What an error means for an instance: permanent failure or retry, and the message that the customer reads.

import { EngineError, noCapacityNow } from "../engines/engine.ts";
import type { Failure } from "../rental/instances/record-observation.ts";
import { asState, isBooting } from "../rules/lifecycle.ts";
import type { Job } from "./lease-store.ts";
import { roomProgress } from "./room.ts";
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
  /** Retry; `words` is the progress shown meanwhile. `roomRetryIn`: in so many seconds, as its engine has no capacity. */
  | { readonly fact: undefined; readonly words: string; readonly roomRetryIn?: number };

/**
 * A boot has failed permanently when the engine rejects it, or on any error after its deadline. Where the lifecycle has
 * no observation for that (a removal, a stop that keeps data), it is retried forever.
 */
export function judge(job: Job, error: unknown, { bootDeadlineSeconds }: Settings): Verdict {
  const state = asState(job.state);
  const fact = bootFailure(state, job.active_at !== null);
  const refused = error instanceof EngineError && error.kind === "refused";
  const isFull = refused && error.code === noCapacityNow;
  if (isFull && isBooting[state] && job.room_retry_in !== null)
    return { fact: undefined, words: roomProgress, roomRetryIn: job.room_retry_in };
  if (fact !== undefined && refused) {
    // As a launch is rejected that finds none here: customers know neither clouds nor machines.
    const message = isFull ? `There is not enough capacity for ${job.instance_type} in ${job.region}.` : error.message;
    return { fact, failure: { code: error.code, message } };
  }
  if (fact !== undefined && isBooting[state] && job.overdue) {
    const why = error instanceof EngineError ? ` ${error.message}` : "";
    const message = `The instance was not ready within ${bootDeadlineSeconds} seconds.${why}`;
    return { fact, failure: { code: error instanceof EngineError ? error.code : "boot-timeout", message } };
  }
  // Only messages of EngineError are meant for customers.
  return { fact: undefined, words: error instanceof EngineError ? `retrying: ${error.message}` : "retrying" };
}
