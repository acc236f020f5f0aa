// A launch that waits until it can be placed: shown, and waited for. Used by commands/launch.ts and commands/launches.ts.
//
// Invariant: waiting here changes nothing. Ctrl-C ends only this wait; the launch waits on.

import { setTimeout as sleep } from "node:timers/promises";
import type { Shape } from "../../client/client.ts";
import { isWaiting } from "../../rules/waiting-launches.ts";
import { CommandError, isUnanswered } from "../command-error.ts";
import type { ControlClient } from "../connection/control-client.ts";
import { type Instance, readInstance } from "../instances.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago, moment } from "../output/units.ts";
import { printJson, type Shell } from "../shell.ts";
import { interruptible } from "./interruptible.ts";

export type Launch = Shape<"Launch">;

const lookEveryMs = 2000;

export const launchColumns: readonly Column<Launch>[] = [
  { title: "ID", of: ({ id }) => id.slice(0, 13) },
  { title: "STATE", of: ({ state }) => state },
  { title: "TYPE", of: ({ instance_type, spot }) => `${instance_type}${spot ? " (spot)" : ""}` },
  { title: "REGION", of: ({ region }) => region ?? "any" },
  { title: "QUANTITY", of: ({ quantity }) => String(quantity), align: "right" },
  { title: "POSITION", of: ({ position }) => position ?? "-", align: "right" },
  { title: "BLOCKED BY", of: ({ blocked_by }) => blocked_by ?? "-" },
  { title: "EXPECTED", of: ({ expected_at }) => moment(expected_at) ?? "-" },
  { title: "ASKED", of: ({ created_at }) => ago(created_at) ?? "" },
  { title: "UNTIL", of: ({ until }) => moment(until) ?? "" },
];

/** What a launch that began to wait prints. */
export function showWaiting(shell: Shell, launch: Launch, json: boolean): void {
  if (json) printJson(shell, { launch });
  else {
    printTable(shell.out, [launch], launchColumns, "");
    shell.err.line(`${launch.blocked_message ?? ""}\n${hint(launch)}`);
  }
}

/** The instances once it is placed. Throws CommandError if it is over without, and for Ctrl-C. */
export async function untilPlaced(shell: Shell, launch: Launch): Promise<Instance[]> {
  const client = shell.client();
  let seen = launch;
  await interruptible(
    shell,
    async ({ signal, show }) => {
      while (isWaiting(seen.state)) {
        show(`Waiting: ${seen.blocked_message}`);
        await sleep(lookEveryMs, undefined, { signal });
        seen = await readLaunch(client, seen);
      }
    },
    () => new CommandError("Stopped waiting. The launch waits on.", hint(seen), { exit: "interrupted" }),
  );
  if (seen.instance_ids.length === 0) throw notPlaced(seen);
  return Promise.all(seen.instance_ids.map((id) => readInstance(client, id)));
}

/** As it is now; as before while the service does not answer. */
async function readLaunch(client: ControlClient, before: Launch): Promise<Launch> {
  try {
    return (await client.ask((api) => api.GET("/launches/{id}", { params: { path: { id: before.id } } }))).data;
  } catch (error) {
    if (isUnanswered(error)) return before;
    throw error;
  }
}

function notPlaced({ state, reason }: Launch): CommandError {
  const why = reason === null ? "" : ` ${reason}`;
  return new CommandError(`The launch is ${state}.${why}`, "Nothing was launched.", { exit: "does-not-fit" });
}

function hint({ id }: Launch): string {
  const short = id.slice(0, 13);
  return `Check progress: lessor launches show ${short}\nCancel it: lessor launches cancel ${short}`;
}
