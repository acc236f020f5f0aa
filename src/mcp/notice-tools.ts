// Capacity notices: the account is told, by event and webhook, when an instance type has capacity again. An agent that
// wants the instances launches with wait_until instead.

import { Type } from "typebox";
import { CapacityNoticeRecord, CapacityNoticeRecords, checked } from "./records.ts";
import { tool } from "./tool.ts";

const path = "/capacity-notices";

export const listNotices = tool("reads", {
  name: "list_capacity_notices",
  title: "List capacity notices",
  description: "Lists what the account is notified of when it has capacity, and where it has capacity now.",
  input: Type.Object({}),
  async run({ service }) {
    const notices = checked(CapacityNoticeRecords, await service.call({ interface: "control", method: "GET", path }));
    const text = notices.length === 0 ? "No capacity notices." : notices.map(noticeLine).join("\n");
    return { text, data: { capacity_notices: notices } };
  },
});

export const addNotice = tool("changes", {
  name: "add_capacity_notice",
  title: "Add a capacity notice",
  description:
    "Notifies the account, by event, webhook and in the console, when there is capacity for an instance type. Nothing is " +
    "launched or reserved: to launch as soon as there is capacity, use launch_instance with wait_until.",
  input: Type.Object({
    instance_type: Type.Optional(Type.String({ description: "As list_products shows it. Default: every one." })),
    region: Type.Optional(Type.String({ description: "The name of a region. Default: every one." })),
  }),
  async run({ input, service }) {
    const answer = await service.call({ interface: "control", method: "POST", path, body: input });
    const notice = checked(CapacityNoticeRecord, answer);
    return { text: noticeLine(notice), data: { capacity_notice: notice } };
  },
});

export const deleteNotice = tool("destroys", {
  name: "delete_capacity_notice",
  title: "Delete a capacity notice",
  description: "Ends a capacity notice: the account is no longer notified.",
  input: Type.Object({
    capacity_notice_id: Type.String({ description: "Its ID, as list_capacity_notices shows it." }),
  }),
  async run({ input, service }) {
    const one = `${path}/${encodeURIComponent(input.capacity_notice_id)}`;
    await service.call({ interface: "control", method: "DELETE", path: one });
    return { text: "Deleted.", data: {} };
  },
});

/** "gpu_8x_h100 in every region: no capacity now [id]" */
function noticeLine({ id, instance_type: type, region, available }: CapacityNoticeRecord): string {
  const places = available.map((one) => `${one.instance_type} in ${one.region}`).join(", ");
  const now = places === "" ? "no capacity now" : `capacity now: ${places}`;
  return `${type ?? "every instance type"} in ${region ?? "every region"}: ${now} [${id}]`;
}
