// The event of an instance: its type and data, the same for actions (change, launch) and observations
// (recordObservation). Every change of state is `instance.<state entered>`; other events are failed, host_lost,
// unreachable, reachable, gpu_fault, fault_reported (of its GPUs), progress, expiring (its lifetime is nearly over), idle, lifetime_changed, moved (to
// another host, which accounts do not see), renamed and tags_changed; of spot instances, preemption_notice,
// preemption_withdrawn and preempted.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { type HardwareXid, hardwareXids } from "../../rules/xids.ts";
import type { EventWord } from "../events/event-types.ts";
import type { NewEvent } from "../events/record.ts";

/** What an event needs of an instance. */
export const toldColumns = [
  "id",
  "account_id",
  "name",
  "state",
  "health",
  "generation",
  "region",
  "instance_type",
  "ip",
  "failure_code",
  "failure_message",
  "progress",
  "max_lifetime_seconds",
  "expires_at",
  "ended_by",
  "evict_at",
] as const satisfies readonly (keyof InstancesTable)[];
/** The part of an instance for its events. */
export type Told = Pick<Selectable<InstancesTable>, (typeof toldColumns)[number]>;

/** These columns of a table alias. A whole row is four times as large. */
export function told(table: string): RawBuilder<Told> {
  return sql<Told>`${sql.join(toldColumns.map((column) => sql.ref(`${table}.${column}`)))}`;
}

/** The event for `instance`, its row after the change. */
export function instanceEvent(instance: Told, word: EventWord<"instance">): NewEvent {
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
      ...((word === "expiring" || word === "lifetime_changed") && {
        max_lifetime_seconds: instance.max_lifetime_seconds,
        expires_at: instance.expires_at?.toISOString() ?? null,
      }),
      ...(instance.evict_at !== null && { evict_at: instance.evict_at.toISOString() }),
      ...(instance.ended_by !== null && { ended_by: instance.ended_by }),
      ...(instance.failure_code !== null && {
        failure: { code: instance.failure_code, message: instance.failure_message },
      }),
    },
  };
}

/** The event of a fault that the guest reports of a GPU, counted from 0. */
export function gpuFaultEvent(instance: Told, gpu: number, xid: HardwareXid): NewEvent {
  const event = instanceEvent(instance, "gpu_fault");
  return { ...event, data: { ...event.data, gpu, xid, meaning: hardwareXids[xid].meaning } };
}
