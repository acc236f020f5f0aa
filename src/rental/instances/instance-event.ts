// The event of an instance: its type and what it carries, the same for wishes (change, launch) and facts (recordObservation).
// Every change of state is `instance.<state entered>`; failed, unreachable, reachable, progress, expiring (its lifetime
// is nearly over), lifetime_changed, renamed and tags_changed are told besides.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { InstancesTable } from "../../database/tables/instances.ts";
import type { EventWord } from "../events/event-types.ts";
import type { NewEvent } from "../events/record.ts";

/** What an event needs to know of an instance. */
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
] as const satisfies readonly (keyof InstancesTable)[];
/** An instance as an event tells of it. */
export type Told = Pick<Selectable<InstancesTable>, (typeof toldColumns)[number]>;

/** They, of a table that a statement calls so. A whole row is four times as much to send and to read. */
export function told(table: string): RawBuilder<Told> {
  return sql<Told>`${sql.join(toldColumns.map((column) => sql.ref(`${table}.${column}`)))}`;
}

/** The event that tells of `instance` as its row is after the change. */
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
      ...(instance.ended_by !== null && { ended_by: instance.ended_by }),
      ...(instance.failure_code !== null && {
        failure: { code: instance.failure_code, message: instance.failure_message },
      }),
    },
  };
}
