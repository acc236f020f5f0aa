// What an error means for an instance: given up for good, or tried again, and in which words the customer reads it.

import { EngineError, type MachineReport } from "../engines/engine.ts";
import type { Failure } from "../rental/instances/record-observation.ts";
import { asState, isBooting } from "../rules/lifecycle.ts";
import type { Job } from "./lease-store.ts";
import type { Settings } from "./settings.ts";
import { bootFailure } from "./step.ts";

/** The turn must end although nothing went wrong with the instance: its lease was lost, a newer wish came, we stop. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** A boot that was answered and still did not come up in time. */
export function givenUp(deadlineSeconds: number, report: MachineReport | undefined): EngineError {
  const last = report?.progress === undefined ? "" : ` The last that was seen of it: ${report.progress}.`;
  return new EngineError("refused", "boot-timeout", `It was not ready within ${deadlineSeconds} seconds.${last}`);
}

export type Verdict =
  | { readonly fact: "launchFailed" | "startFailed"; readonly failure: Failure }
  /** Try again; the words are the progress that is shown meanwhile. */
  | { readonly fact: undefined; readonly words: string };

/**
 * A boot has failed for good when the engine refuses, or when its deadline has passed, whatever the error. Where the
 * lifecycle has no fact for that (a removal, a stop with data to keep) it is tried for ever.
 */
export function judge(job: Job, error: unknown, { bootDeadlineSeconds }: Settings): Verdict {
  const state = asState(job.state);
  const fact = bootFailure(state, job.active_at !== null);
  const refused = error instanceof EngineError && error.kind === "refused";
  if (fact !== undefined && refused) return { fact, failure: { code: error.code, message: error.message } };
  if (fact !== undefined && isBooting[state] && job.overdue) {
    const why = error instanceof EngineError ? ` ${error.message}` : "";
    const message = `It was not ready within ${bootDeadlineSeconds} seconds.${why}`;
    return { fact, failure: { code: error instanceof EngineError ? error.code : "boot-timeout", message } };
  }
  // Only an EngineError's words are meant for a customer.
  return { fact: undefined, words: error instanceof EngineError ? `trying again: ${error.message}` : "trying again" };
}
