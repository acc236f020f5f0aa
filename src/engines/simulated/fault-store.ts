// The SQL of faults: adding them, finding those that apply to a call, counting them down.

import { type RawBuilder, sql } from "kysely";
import {
  type Effect,
  type Fault,
  type Kind,
  kinds,
  type Operation,
  type Parameters,
  reportKinds,
  wrongParameters,
} from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

export interface FaultOrder {
  readonly kind: Kind;
  /** Its target; without either, everything. */
  readonly host?: string;
  readonly machine?: string;
  /** Without it the kind's default operation, or every one. */
  readonly operation?: Operation;
  readonly parameters?: Parameters;
  /** How many calls it applies to; all by default. */
  readonly times?: number;
}

/** Adds a fault and returns its id. Throws for a contradictory order. */
export async function addFault(world: SimulatorDatabase, order: FaultOrder): Promise<number> {
  if (order.host !== undefined && order.machine !== undefined) throw new Error("BUG: a host or a machine, not both");
  const { usually, reports }: Effect = kinds[order.kind];
  if (reports !== undefined && order.operation !== undefined) throw new Error(`${order.kind} applies to no operation.`);
  const wrong = wrongParameters(order.kind, order.parameters ?? {});
  if (wrong !== undefined) throw new Error(wrong);
  const scope = order.machine !== undefined ? "machine" : order.host !== undefined ? "host" : "everything";
  const row = await world
    .insertInto("faults")
    .values({
      scope,
      target: order.machine ?? order.host ?? null,
      operation: order.operation ?? usually ?? null,
      kind: order.kind,
      parameters: JSON.stringify(order.parameters ?? {}),
      remaining: order.times ?? null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Removes one fault, or all. */
export async function clearFaults(world: SimulatorDatabase, id?: number): Promise<void> {
  const query = world.deleteFrom("faults");
  await (id === undefined ? query : query.where("id", "=", id)).execute();
}

/**
 * As part of another statement: the faults that apply to a call, as JSON in the order in which they were added, or
 * null. So a call costs one statement, and with a fault two (machine-store.ts). `machine`: id and host as texts, as the
 * statement has them.
 */
export function faultsFor(
  operation: Operation,
  machine: { id: RawBuilder<unknown>; host: RawBuilder<unknown> } = { id: sql`null::text`, host: sql`null::text` },
): RawBuilder<Fault[] | null> {
  return sql`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters) order by id)
    from simulated.faults
    where (operation is null or operation = ${operation}) and kind <> all(${reportKinds}::text[])
      and (${meets(machine.host, machine.id)}))`;
}

/** Those that apply to reports of the machine `m` of the statement. */
export const faultsForReports = sql<Fault[] | null>`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters) order by id)
    from simulated.faults b where b.kind = any(${reportKinds}::text[]) and (${meets(sql`m.host`, sql`m.id::text`)}))`;

function meets(host: RawBuilder<unknown>, machine: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`scope = 'everything' or (scope = 'host' and target = ${host}) or (scope = 'machine' and target = ${machine})`;
}

/** Counts a call to which the faults applied. Returns those that had calls left: concurrent calls can compete for the last. */
export async function countDown(world: SimulatorDatabase, faults: readonly Fault[]): Promise<Fault[]> {
  const ids = faults.map((fault) => fault.id);
  const { rows } = await sql<{ id: number }>`
    with met as (select id, remaining from simulated.faults where id = any(${ids}::bigint[]) order by id for update),
    used_up as (delete from simulated.faults b using met where b.id = met.id and met.remaining = 1),
    counted as (
      update simulated.faults b set remaining = b.remaining - 1 from met where b.id = met.id and met.remaining > 1)
    select id from met`.execute(world);
  const left = new Set(rows.map((row) => row.id));
  return faults.filter((fault) => left.has(fault.id));
}
