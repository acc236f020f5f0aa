// Events of waiting launches: `launch.waiting`, and how it ended.

import type { WaitingLaunchState } from "../../rules/waiting-launches.ts";
import type { NewEvent } from "../events/record.ts";
import type { WaitingLaunch } from "./waiting-launch.ts";

/** That it is in this state now. `by`: an operator who ended it. */
export function waitingEvent(launch: WaitingLaunch, by?: "operator"): NewEvent {
  const { id, accountId, state, instanceType, region, quantity, isSpot, until, blockedBy, reason, instanceIds } =
    launch;
  const type: `launch.${WaitingLaunchState}` = `launch.${state}`;
  return {
    ...{ accountId, type, subjectId: id },
    data: {
      ...(by !== undefined && { by }),
      launch: {
        ...{ id, state, instance_type: instanceType, region: region ?? null, quantity, until: until.toISOString() },
        ...{ spot: isSpot, blocked_by: blockedBy, reason, instance_ids: instanceIds },
      },
    },
  };
}
