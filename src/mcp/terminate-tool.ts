// Terminating instances in two steps: the first call reports what would be lost and does nothing, the second one does
// it. The second needs a confirmation derived from the instances and their states, so it is invalid for others and
// after a change of state.

import { createHash } from "node:crypto";
import { Type } from "typebox";
import { InstanceIds, readInstances } from "./instance-tools.ts";
import type { InstanceRecord } from "./records.ts";
import { tool } from "./tool.ts";
import { counted, dollars, instanceLine } from "./view.ts";

export const terminateInstances = tool("destroys", {
  name: "terminate_instances",
  title: "Terminate instances",
  description:
    "Terminates instances, deletes their data and ends their billing. Two steps: without `confirmation` nothing happens, and " +
    "the response lists what would be lost and the confirmation to send. Ask the user before the second step.",
  input: Type.Object({
    instance_ids: InstanceIds,
    confirmation: Type.Optional(
      Type.String({ description: "The confirmation from the first step, for the same instances." }),
    ),
  }),
  async run({ input, service }) {
    const ids = [...new Set(input.instance_ids)];
    const before = await readInstances(service, ids);
    const confirmation = confirmationOf(before);
    if (input.confirmation !== confirmation) return asking(before, confirmation, input.confirmation);
    const path = "/instance-operations/terminate";
    await service.call({ interface: "marketplace", method: "POST", path, body: { instance_ids: ids } });
    const instances = await readInstances(service, ids);
    return {
      text: [`Terminated ${counted(instances.length, "instance")}.`, ...instances.map(instanceLine)].join("\n"),
      data: { terminated: true, instances },
    };
  },
});

function asking(instances: readonly InstanceRecord[], confirmation: string, given: string | undefined) {
  const cost = instances.reduce((sum, one) => sum + Number(one.cost_cents), 0);
  const kept = new Set(instances.flatMap((one) => one.file_system_names));
  const text = [
    given === undefined
      ? "Nothing has been terminated yet."
      : "Nothing was terminated: the confirmation does not match. The instances might have changed since then.",
    `This terminates ${counted(instances.length, "instance")} and deletes all data on their own disks:`,
    ...instances.map(instanceLine),
    ...(kept.size === 0 ? [] : [`Data on their file systems stays: ${[...kept].join(", ")}.`]),
    `They cost ${dollars(cost)} so far. To continue, call again with confirmation "${confirmation}".`,
  ].join("\n");
  return { text, data: { terminated: false, confirmation, instances } };
}

/** Eight hexadecimal digits for these instances in these states. Keeps agents from skipping a step; not a secret. */
function confirmationOf(instances: readonly InstanceRecord[]): string {
  const seen = instances.map(({ id, status }) => `${id} ${status}`).toSorted();
  return createHash("sha256").update(`terminate ${seen.join()}`).digest("hex").slice(0, 8);
}
