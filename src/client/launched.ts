// What a launch answered with: its instances, or the launch that waits. Part of `lessor/client`.
//
//   const { data } = await given(lessor.POST("/instances", { body: { instance_type: "gpu_1x_h100_pcie" } }));
//   const [instance] = instancesOf(data);

import type { Shape } from "./client.ts";

export type LaunchAnswer = Shape<"Instance">[] | { launch: Shape<"Launch"> };

/** Of a launch without `wait`, which never waits. Throws Error for one that waits. */
export function instancesOf(answer: LaunchAnswer): Shape<"Instance">[] {
  if (Array.isArray(answer)) return answer;
  throw new Error(`The launch ${answer.launch.id} waits until it can be placed: its instances are not there yet`);
}

/** The launch, if it waits. */
export function waitingOf(answer: LaunchAnswer): Shape<"Launch"> | undefined {
  return Array.isArray(answer) ? undefined : answer.launch;
}
