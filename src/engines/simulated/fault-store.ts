// The SQL of faults: adding them, finding those that apply to a call, counting them down.

import { type RawBuilder, sql } from "kysely";
import {
  type FaultKindFacts,
  type FaultOperation,
  type FaultOrder,
  faultKinds,
  guestFaultKinds,
  hostFaultKinds,
  problemOfFault,
  reportFaultKinds,
  type StoredFault,
  validationFaultKinds,
} from "../../rules/simulator-faults.ts";
import type { MachineRef } from "../engine.ts";
import type { Fault } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

/** Adds a fault and returns it. Throws "BUG: …" for a contradictory order (problemOfFault). */
export async function addFault(world: SimulatorDatabase, order: FaultOrder): Promise<StoredFault> {
  const problem = problemOfFault(order);
  if (problem !== undefined) throw new Error(`BUG: ${problem.join(": ")}`);
  const { usually }: FaultKindFacts = faultKinds[order.kind];
  const operation = order.operation ?? usually ?? null;
  const row = await world
    .insertInto("faults")
    .values({ ...order, operation, parameters: JSON.stringify(order.parameters) })
    .returning(["id", "created_at"])
    .executeTakeFirstOrThrow();
  return { ...order, operation, id: Number(row.id), createdAt: row.created_at };
}

/** All faults, in the order in which they were added and apply. */
export async function listFaults(world: SimulatorDatabase): Promise<StoredFault[]> {
  const rows = await world.selectFrom("faults").selectAll().orderBy("id").execute();
  return rows.map(({ id, created_at: createdAt, ...order }) => ({
    ...(order as unknown as FaultOrder), // as addFault wrote it, or an operator by hand
    id: Number(id),
    createdAt,
  }));
}

/** Removes one fault, or all. Returns how many. */
export async function clearFaults(world: SimulatorDatabase, id?: number): Promise<number> {
  const query = world.deleteFrom("faults");
  const { numDeletedRows } = await (id === undefined ? query : query.where("id", "=", id)).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/**
 * As part of another statement: the faults that apply to a call, as JSON in the order in which they were added, or
 * null. So a call costs one statement, and with a fault two (machine-store.ts). `machine`: id and host as texts, as the
 * statement has them.
 */
export function faultsFor(
  operation: FaultOperation,
  machine: { id: RawBuilder<unknown>; host: RawBuilder<unknown> } = { id: sql`null::text`, host: sql`null::text` },
): RawBuilder<Fault[] | null> {
  return sql`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters) order by id)
    from simulated.faults
    where (operation is null or operation = ${operation}) and kind <> all(${ofNoCall}::text[])
      and (${meets(machine.host, machine.id)}))`;
}

const ofNoCall = [...reportFaultKinds, ...hostFaultKinds, ...guestFaultKinds, ...validationFaultKinds];

/** Those that apply to what the guest of the machine `m` of the statement reports; null: none. */
export const faultsForGuests = sql<Fault[] | null>`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters) order by id)
    from simulated.faults b where b.kind = any(${guestFaultKinds}::text[]) and (${meets(sql`m.host`, sql`m.id::text`)}))`;

/** Those that apply to reports of the machine `m` of the statement. */
export const faultsForReports = sql<Fault[] | null>`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters) order by id)
    from simulated.faults b where b.kind = any(${reportFaultKinds}::text[]) and (${meets(sql`m.host`, sql`m.id::text`)}))`;

/** Those that apply to what is reported of hosts, with their targets; null: none. */
export const faultsForHosts = sql<HostFault[] | null>`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters, 'host', target) order by id)
    from simulated.faults where kind = any(${hostFaultKinds}::text[]) and scope <> 'machine')`;

/** Those that apply to the validation that the machine begins, of a query without tables. */
export function faultsForValidation(machine: MachineRef): RawBuilder<Fault[] | null> {
  return sql`(
    select jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'parameters', parameters) order by id)
    from simulated.faults where kind = any(${validationFaultKinds}::text[])
      and (${meets(sql`${machine.host}::text`, sql`${machine.id}::text`)}))`;
}

/** `host`: null for all hosts. */
export interface HostFault extends Fault {
  readonly host: string | null;
}

function meets(host: RawBuilder<unknown>, machine: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`scope = 'everything' or (scope = 'host' and target = ${host}) or (scope = 'machine' and target = ${machine})`;
}

/** Counts a call to which the faults applied. Returns those that had calls left: concurrent calls can compete for the last. */
export async function countDown<F extends Fault>(world: SimulatorDatabase, faults: readonly F[]): Promise<F[]> {
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
