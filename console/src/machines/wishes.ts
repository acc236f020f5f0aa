// What may be asked of a machine in each state, as the service's own table has it: what it would refuse is not offered.
// Used by machine-actions.tsx.

import type { Shape } from "../../../src/client/index.ts";

export type Wish = "stop" | "restart" | "terminate";
type Status = Shape<"Instance">["status"];

/** Wishes that lead somewhere: one that changes nothing is not offered either. */
const offered: Readonly<Record<Status, readonly Wish[]>> = {
  booting: ["stop", "terminate"],
  active: ["stop", "terminate"],
  stopping: ["terminate"],
  stopped: ["restart", "terminate"],
  terminating: [],
  terminated: [],
};

export const wishesFor = (status: Status): readonly Wish[] => offered[status];
