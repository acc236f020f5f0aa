// The event of an instance: its type and what it carries, the same for wishes (change, launch) and facts (recordFact).
// Every change of state is `instance.<state entered>`; failed, unreachable, reachable and progress are told besides.

import type { Selectable } from "kysely";
import type { InstancesTable } from "../../database/schema.ts";
import type { NewEvent } from "../events/record.ts";
import type { State } from "./lifecycle.ts";

export type InstanceEventWord = State | "failed" | "unreachable" | "reachable" | "progress";

/** What an event needs to know of an instance. */
export type Told = Pick<
  Selectable<InstancesTable>,
  | "id"
  | "account_id"
  | "name"
  | "state"
  | "health"
  | "generation"
  | "region"
  | "instance_type"
  | "ip"
  | "failure_code"
  | "failure_message"
  | "progress"
>;

/** The event that tells of `instance` as its row is after the change. */
export function instanceEvent(instance: Told, word: InstanceEventWord): NewEvent {
  return {
    accountId: instance.account_id,
    type: `instance.${word}`,
    subjectId: instance.id,
    data: {
      instance_id: instance.id,
      name: instance.name,
      state: instance.state,
      health: instance.health,
      generation: instance.generation,
      region: instance.region,
      instance_type: instance.instance_type,
      ip: instance.ip,
      ...(word === "progress" && { progress: instance.progress }),
      ...(instance.failure_code !== null && {
        failure: { code: instance.failure_code, message: instance.failure_message },
      }),
    },
  };
}
