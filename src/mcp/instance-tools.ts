// Tools for instances: list, show, wait, stop and restart. To terminate them, see terminate-tool.ts.

import { Type } from "typebox";
import { isLive, stateNamed } from "../rules/lifecycle.ts";
import { checked, InstanceRecord, InstanceRecords } from "./records.ts";
import type { ServiceClient } from "./service-client.ts";
import { tool } from "./tool.ts";
import { instanceLine } from "./view.ts";

export const InstanceId = Type.String({ description: "The UUID of an instance, as list_instances shows it." });
export const InstanceIds = Type.Array(InstanceId, { minItems: 1, maxItems: 1000 });

/** One instance, with its cost so far. Throws ServiceError. */
export async function readInstance(service: ServiceClient, id: string): Promise<InstanceRecord> {
  const path = `/instances/${encodeURIComponent(id)}`;
  return checked(InstanceRecord, await service.call({ interface: "control", method: "GET", path }));
}

/** Concurrent reads of one call: one message must not cause a thousand requests. */
const readsAtOnce = 16;

/** As readInstance; duplicates, in any spelling, are read once. */
export async function readInstances(service: ServiceClient, ids: readonly string[]): Promise<InstanceRecord[]> {
  const found = new Map<string, InstanceRecord>();
  for (let at = 0; at < ids.length; at += readsAtOnce) {
    const some = ids.slice(at, at + readsAtOnce);
    for (const one of await Promise.all(some.map((id) => readInstance(service, id)))) found.set(one.id, one);
  }
  return [...found.values()];
}

export const listInstances = tool("reads", {
  name: "list_instances",
  title: "List instances",
  description:
    "Lists your instances with their state, address, price per hour and cost so far. Terminated ones on request.",
  input: Type.Object({
    include_terminated: Type.Optional(Type.Boolean({ description: "Include terminated instances. Default: false." })),
  }),
  async run({ input, service }) {
    const all = checked(
      InstanceRecords,
      await service.call({ interface: "control", method: "GET", path: "/instances" }),
    );
    const instances = all.filter(({ status }) => input.include_terminated === true || !hasEnded(status));
    return {
      text: instances.length === 0 ? "No instances." : instances.map(instanceLine).join("\n"),
      data: { instances },
    };
  },
});

// A state of a later version is not terminal.
function hasEnded(status: string): boolean {
  const state = stateNamed(status);
  return state !== undefined && !isLive[state];
}

export const showInstance = tool("reads", {
  name: "show_instance",
  title: "Show an instance",
  description: "Shows all details of one instance: state, progress while it boots, address, cost so far, failure.",
  input: Type.Object({ instance_id: InstanceId }),
  async run({ input, service }) {
    const instance = await readInstance(service, input.instance_id);
    return { text: instanceLine(instance), data: { instance } };
  },
});

export const stopInstances = tool("changes", {
  name: "stop_instances",
  title: "Stop instances",
  description:
    "Stops instances and keeps their data. Their capacity stays reserved, so billing continues: to end it, terminate them.",
  input: Type.Object({ instance_ids: InstanceIds }),
  run: ({ input, service }) => changed(service, "stop", input.instance_ids),
});

export const restartInstances = tool("changes", {
  name: "restart_instances",
  title: "Restart stopped instances",
  description: "Starts stopped instances. If one of them is not stopped, the request is rejected and none is started.",
  input: Type.Object({ instance_ids: InstanceIds }),
  run: ({ input, service }) => changed(service, "restart", input.instance_ids),
});

async function changed(service: ServiceClient, wish: "stop" | "restart", ids: readonly string[]) {
  // A token that may write but not read is rejected before anything is done, not when the result is read.
  await readInstances(service, ids.slice(0, 1));
  const path = `/instance-operations/${wish}`;
  await service.call({ interface: "marketplace", method: "POST", path, body: { instance_uuids: ids } });
  const instances = await readInstances(service, [...new Set(ids)]);
  return { text: instances.map(instanceLine).join("\n"), data: { instances } };
}
