// Launches that wait until they can be placed: launch_instance begins one, and these tools follow and cancel it.

import { Type } from "typebox";
import {
  checked,
  ExplainedLaunchRecord,
  WaitingLaunchAnswer,
  type WaitingLaunchRecord,
  WaitingLaunchRecords,
} from "./records.ts";
import type { ServiceClient } from "./service-client.ts";
import { tool } from "./tool.ts";
import { counted } from "./view.ts";

export const listLaunches = tool("reads", {
  name: "list_waiting_launches",
  title: "List waiting launches",
  description:
    "Lists launches that wait for capacity, a quota, a spend limit or a lower price, with what each waits for, its " +
    "position, until when it waits and when it is expected to be placed; and those that are over, with the IDs of their instances " +
    "or why they were refused.",
  input: Type.Object({}),
  async run({ service }) {
    const launches = checked(
      WaitingLaunchRecords,
      await service.call({ interface: "control", method: "GET", path: "/launches" }),
    );
    const waiting = launches.filter(({ position }) => position !== null).slice(0, mostExplained);
    const read = await Promise.all(waiting.map(async ({ id }) => [id, await explanationOf(service, id)] as const));
    const explained = new Map(read);
    const all = launches.map((launch) => ({ ...launch, explanation: explained.get(launch.id) ?? null }));
    const text = all.length === 0 ? "No launches wait." : all.map((one) => launchLine(one, one.explanation)).join("\n");
    return { text, data: { launches: all } };
  },
});

/** One message must not cause a thousand requests. */
const mostExplained = 16;

async function explanationOf(service: ServiceClient, id: string): Promise<readonly string[]> {
  const path = `/launches/${encodeURIComponent(id)}`;
  return checked(ExplainedLaunchRecord, await service.call({ interface: "control", method: "GET", path })).explanation;
}

export const cancelLaunch = tool("destroys", {
  name: "cancel_waiting_launch",
  title: "Cancel a waiting launch",
  description: "Cancels a launch that waits: it loses its place, and nothing is launched.",
  input: Type.Object({ launch_id: Type.String({ description: "Its ID, as list_waiting_launches shows it." }) }),
  async run({ input, service }) {
    const path = `/launches/${encodeURIComponent(input.launch_id)}/cancel`;
    const launch = await service.call({ interface: "control", method: "POST", path });
    return { text: "Cancelled.", data: { launch: checked(WaitingLaunchAnswer.properties.launch, launch) } };
  },
});

/**
 * "waiting: 2 instances of gpu_8x_h100, position 3. No host has room. It waits until …, and is expected to be placed at … [id]".
 * `explanation`: sentences that say more than its `blocked_message`.
 */
export function launchLine(launch: WaitingLaunchRecord, explanation: readonly string[] | null = null): string {
  const { id, state, quantity, instance_type: name, spot, position, blocked_message: waitsFor, reason } = launch;
  const type = spot ? `${name} (spot)` : name;
  const place = position === null ? "" : `, position ${position}`;
  const placed = launch.instance_ids.length === 0 ? null : `Its instances: ${launch.instance_ids.join(", ")}.`;
  const why = explanation?.join(" ") ?? waitsFor ?? reason ?? placed;
  const wait = position === null ? "" : ` ${waitWords(launch)}`;
  return `${state}: ${counted(quantity, "instance")} of ${type}${place}.${why === null ? "" : ` ${why}`}${wait} [${id}]`;
}

function waitWords({ until, expected_at: expected }: WaitingLaunchRecord): string {
  const when = expected === null ? "when it is placed is not known" : `it is expected to be placed at ${expected}`;
  return `It waits until ${until}; ${when}.`;
}
