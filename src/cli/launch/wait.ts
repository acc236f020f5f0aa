// Waits until instances reach a state, and reports progress. Used by launch, ssh and actions.ts.
//
// Invariant: waiting changes nothing. Ctrl-C ends only the wait, and prints how to check the progress.

import { setTimeout as sleep } from "node:timers/promises";
import { type Goal, isOutOfReach, launchGoal } from "../../rules/goals.ts";
import { CommandError, isUnanswered } from "../command-error.ts";
import type { ControlClient } from "../connection/control-client.ts";
import { type Instance, readInstance } from "../instances.ts";
import type { Shell } from "../shell.ts";
import { interruptible } from "./interruptible.ts";

const lookEveryMs = 500;
/** More instances than this are read as a list. */
const mostReads = 4;
/** How long to wait for a service that is restarting. */
const patienceMs = 60_000;

/** The instances once all have reached it. Throws CommandError if one no longer can, and for Ctrl-C. */
export async function waitUntil(shell: Shell, ids: readonly string[], goal: Goal): Promise<Instance[]> {
  const client = shell.client();
  let seen: Instance[] = [];
  return interruptible(
    shell,
    async ({ signal, show }) => {
      for (;;) {
        seen = await lookAt(client, ids, signal);
        const open = seen.filter((one) => one.status !== goal);
        const lost = open.find((one) => isOutOfReach(one.status, goal));
        if (lost !== undefined) throw lostError(lost, goal);
        if (open.length === 0) return seen;
        show(stepOf(open, seen.length));
        await sleep(lookEveryMs, undefined, { signal });
      }
    },
    () => interruptedError(seen, ids, goal),
  );
}

/** Their current state; retries for a while if the service does not respond. */
async function lookAt(client: ControlClient, ids: readonly string[], signal: AbortSignal): Promise<Instance[]> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      if (ids.length <= mostReads) return await Promise.all(ids.map((id) => readInstance(client, id)));
      const { data } = await client.ask((api) => api.GET("/instances", { params: { query: {} } }));
      return data.filter(({ id }) => ids.includes(id));
    } catch (error) {
      if (!isUnanswered(error) || performance.now() > until) throw error;
      await sleep(lookEveryMs, undefined, { signal });
    }
  }
}

function stepOf(open: readonly Instance[], all: number): string {
  const [first] = open;
  if (first === undefined) return "";
  const step =
    first.progress === null || first.progress === first.status ? first.status : `${first.status}, ${first.progress}`;
  return all === 1 ? `${first.name}: ${step}` : `${all - open.length} of ${all} are done; ${first.name}: ${step}`;
}

function lostError({ name, status, failure }: Instance, goal: Goal): CommandError {
  const why = failure === null ? "" : ` ${failure.message}`;
  return new CommandError(`${name} is ${status} and will not be ${goal}.${why}`, `See: lessor show ${name}.`, {
    code: failure?.code,
  });
}

function interruptedError(seen: readonly Instance[], ids: readonly string[], goal: Goal): CommandError {
  const names = seen.length > 0 ? seen.map(({ name }) => name) : ids;
  const they = names.length === 1 ? `${names[0]} is` : `${names.length} instances are`;
  const state = goal === launchGoal ? `${they} still booting and will be billed.` : "The operation continues.";
  const end = goal === launchGoal ? [`To terminate: lessor terminate ${names.join(" ")}`] : [];
  return new CommandError(`Stopped waiting. ${state}`, [`Check progress: lessor show ${names[0]}`, ...end].join("\n"), {
    exit: "interrupted",
  });
}
