// The event of an instance: its type and what it carries, the same for wishes (change, launch) and facts (recordFact).
// Every change of state is `instance.<state entered>`; failed, unreachable and reachable are told besides.

import type { NewEvent } from "../events/record.ts";
import type { Instance } from "./instance.ts";
import type { State } from "./lifecycle.ts";

export type InstanceEventWord = State | "failed" | "unreachable" | "reachable";

/** The event that tells of `instance` as it is after the change; without a word, that it entered its state. */
export function instanceEvent(instance: Instance, word: InstanceEventWord = instance.state): NewEvent {
  return {
    accountId: instance.accountId,
    type: `instance.${word}`,
    subjectId: instance.id,
    data: {
      instance_id: instance.id,
      name: instance.name,
      state: instance.state,
      health: instance.health,
      generation: instance.generation,
      region: instance.region.name,
      instance_type: instance.product.name,
      ip: instance.ip,
      ...(instance.failure !== null && { failure: instance.failure }),
    },
  };
}
