// Waits until an instance reaches a state, and reports progress meanwhile. It polls the instance: a waiting agent costs
// one small read per second.
// Invariant: a temporarily rejected read never ends a wait before its deadline.

import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { everyGoal, type Goal, isOutOfReach, launchGoal } from "../rules/goals.ts";
import { stateNamed } from "../rules/lifecycle.ts";
import { InstanceId, readInstance } from "./instance-tools.ts";
import type { InstanceRecord } from "./records.ts";
import { isForNow, type ServiceClient } from "./service-client.ts";
import { tool } from "./tool.ts";
import { instanceLine } from "./view.ts";

const readEveryMs = 1000;
/** Below a minute, the default timeout of clients. */
const defaultSeconds = 45;
const mostSeconds = 600;

export const waitForInstance = tool("reads", {
  name: "wait_for_instance",
  title: "Wait for an instance",
  description:
    "Waits until an instance is active (or stopped, or terminated) and reports progress. Returns early when it " +
    "can no longer get there, for example after a failed boot, and on timeout.",
  input: Type.Object({
    instance_id: InstanceId,
    until: Type.Optional(
      Type.Enum([...everyGoal], { description: `The state to wait for. Default: \`${launchGoal}\`.` }),
    ),
    timeout_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: mostSeconds,
        description: `Timeout. Default: ${defaultSeconds}.`,
      }),
    ),
  }),
  async run({ input, service, signal, report }) {
    const { instance_id: id, until = launchGoal, timeout_seconds: seconds = defaultSeconds } = input;
    const deadline = performance.now() + seconds * 1000;
    let told = "";
    for (;;) {
      const instance = await readOrWait(service, id, deadline);
      if (instance !== undefined) {
        const line = instanceLine(instance);
        if (isOver(instance, until) || performance.now() >= deadline) {
          const reached = instance.status === until;
          const outcome = reached ? "" : `It is not ${until}. `;
          return { text: `${outcome}${line}`, data: { reached, instance } };
        }
        if (line !== told) await report(line);
        told = line;
      }
      await sleep(readEveryMs, undefined, { signal });
    }
  },
});

/** As readInstance; undefined if temporarily rejected and there is time left to retry. Throws ServiceError. */
async function readOrWait(service: ServiceClient, id: string, deadline: number): Promise<InstanceRecord | undefined> {
  try {
    return await readInstance(service, id);
  } catch (error) {
    if (isForNow(error) && performance.now() < deadline) return undefined;
    throw error;
  }
}

/** Whether it has reached the state, or no longer can. */
function isOver({ status }: InstanceRecord, until: Goal): boolean {
  const state = stateNamed(status);
  return state === until || (state !== undefined && isOutOfReach(state, until));
}
