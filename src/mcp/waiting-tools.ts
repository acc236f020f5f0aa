// Launches that wait until they can be placed: launch_instance begins one, and these tools follow and cancel it.

import { Type } from "typebox";
import { checked, WaitingLaunchAnswer, type WaitingLaunchRecord, WaitingLaunchRecords } from "./records.ts";
import { tool } from "./tool.ts";
import { counted } from "./view.ts";

export const listLaunches = tool("reads", {
  name: "list_waiting_launches",
  title: "List waiting launches",
  description:
    "Lists launches that wait for capacity, a quota, a spend limit or a lower price, with their position, and those that " +
    "are over, with the IDs of their instances or why they were refused.",
  input: Type.Object({}),
  async run({ service }) {
    const launches = checked(
      WaitingLaunchRecords,
      await service.call({ interface: "control", method: "GET", path: "/launches" }),
    );
    const text = launches.length === 0 ? "No launches wait." : launches.map(launchLine).join("\n");
    return { text, data: { launches } };
  },
});

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

/** "waiting: 2 instances of gpu_8x_h100, position 3. No host has room. [id]" */
export function launchLine(launch: WaitingLaunchRecord): string {
  const { id, state, quantity, instance_type: name, spot, position, blocked_message: waitsFor, reason } = launch;
  const type = spot ? `${name} (spot)` : name;
  const place = position === null ? "" : `, position ${position}`;
  const placed = launch.instance_ids.length === 0 ? null : `Its instances: ${launch.instance_ids.join(", ")}.`;
  const why = waitsFor ?? reason ?? placed;
  return `${state}: ${counted(quantity, "instance")} of ${type}${place}.${why === null ? "" : ` ${why}`} [${id}]`;
}
