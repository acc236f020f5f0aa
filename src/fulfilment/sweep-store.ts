// The SQL of the sweep: what should be, by the database, and the marks that a sweep leaves.

import { type Selectable, sql } from "kysely";
import { type Database, inTransaction } from "../database/connect.ts";
import type { InstancesTable } from "../database/schema.ts";
import { recordEvents } from "../rental/events/record.ts";
import { instanceEvent } from "../rental/instances/instance-event.ts";
import type { Health, State } from "../rental/instances/lifecycle.ts";
import { asUuid } from "../rental/uuid.ts";

/** An instance as the sweep compares it. */
export interface Expected {
  readonly id: string;
  readonly host: string;
  readonly state: State;
  readonly health: Health;
  readonly was_active: boolean;
  /** A look is planned: fulfilment is at it already. */
  readonly scheduled: boolean;
}

/** Everything of the engine that is not terminated; 100,000 of them are an ordinary answer. */
export async function expectedOn(db: Database, engine: string): Promise<Expected[]> {
  const { rows } = await sql<Expected>`
    select id, host, state, health, active_at is not null as was_active, next_look_at is not null as scheduled
    from instances where engine = ${engine} and state <> 'terminated'`.execute(db);
  return rows;
}

/** Whether the rental of this id was ended because its machine was gone. */
export async function wasLost(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from instances where id = ${asUuid(id)} and failure_code = ${machineLost}`.execute(db);
  return rows.length > 0;
}

/** The failure code of an instance whose machine was gone. */
export const machineLost = "machine-lost";

/** Whether an instance of this id should have a machine. An engine's id that is no UUID is nobody's. */
export async function isExpected(db: Database, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from instances where id = ${asUuid(id)} and state <> 'terminated'`.execute(db);
  return rows.length > 0;
}

/**
 * Marks the instances with the health, and writes the event for each that changed, in one transaction. Those that can
 * be reached again are due: what happened to them meanwhile is to be looked at. How many changed.
 */
export async function recordHealth(db: Database, ids: readonly string[], health: Health): Promise<number> {
  if (ids.length === 0) return 0;
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<Selectable<InstancesTable>>`
      update instances set health = ${health},
        next_look_at = case when ${health} = 'ok' then now() else next_look_at end
      where id in (
        select id from instances
        where id = any(${ids}::uuid[]) and state <> 'terminated' and health <> ${health}
        order by id for update)
      returning *`.execute(tx);
    const word = health === "ok" ? "reachable" : "unreachable";
    await recordEvents(
      tx,
      rows.map((row) => instanceEvent(row, word)),
    );
    return rows.length;
  });
}
