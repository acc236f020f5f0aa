// Records how far a move is: what the reconciler found at the engine. Each in one transaction, with capacity and event.
//
// Invariant: recorded once or not at all. The fences are those of an observation (record-observation.ts): the generation,
// the lease, and the phase. From `copied` on the machine starts only on its new host. Locks in the order of
// database/lock-order.ts.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { isBooting, statesWhere } from "../../rules/lifecycle.ts";
import { afterMoveObservation, type MoveObservation, type MovePhase, moveObservations } from "../../rules/moves.ts";
import { releaseOnHost, releaseSecondCopies } from "../capacity/release.ts";
import { recordEvents } from "../events/record.ts";
import { instanceEvent } from "../instances/instance-event.ts";
import type { Failure, Fence } from "../instances/record-observation.ts";
import { type Move, moveOf } from "./move-store.ts";

type Row = Selectable<InstancesTable>;

/** So much of the disk is on the new host. False, with nothing changed, if it came too late. */
export async function recordProgress(
  tx: Transaction,
  fence: Fence,
  progress: { readonly copiedBytes: number; readonly totalBytes: number },
): Promise<boolean> {
  if ((await fenced(tx, fence, "copied")) === undefined) return false;
  await sql`
    update moves set copied_bytes = ${progress.copiedBytes}, total_bytes = ${progress.totalBytes}
    where instance_id = ${fence.id}`.execute(tx);
  return true;
}

/**
 * The machine is on its new host, complete and halted. `totalBytes`: of its disk; 0: unknown. False, with nothing changed,
 * if it came too late.
 */
export async function recordMoved(tx: Transaction, fence: Fence, totalBytes: number): Promise<boolean> {
  const found = await fenced(tx, fence, "copied");
  if (found === undefined) return false;
  const { move, next } = found;
  await lockHosts(tx, move);
  await sql`
    update moves set phase = ${next}, copied_bytes = greatest(copied_bytes, total_bytes, ${totalBytes}),
      total_bytes = greatest(total_bytes, ${totalBytes})
    where instance_id = ${fence.id}`.execute(tx);
  await changeHost(tx, fence.id, move.to);
  return true;
}

/** The move is given up; what was copied is removed next. False, with nothing changed, if it came too late. */
export async function recordGivenUp(tx: Transaction, fence: Fence, failure: Failure): Promise<boolean> {
  const found = await fenced(tx, fence, "refused");
  if (found === undefined) return false;
  await sql`update moves set phase = ${found.next}, ${failed(failure)} where instance_id = ${fence.id}`.execute(tx);
  return true;
}

/** The engine has removed the copy that is not the machine. False, with nothing changed, if it came too late. */
export async function recordCopyRemoved(tx: Transaction, fence: Fence): Promise<boolean> {
  const found = await fenced(tx, fence, "removed");
  if (found === undefined) return false;
  await releaseSecondCopies(tx, [fence.id]);
  await enter(tx, fence.id, found.next);
  return true;
}

/**
 * The machine is not on its new host, and never started there: the instance returns to where it was moved from, whose copy
 * stayed. False, with nothing changed, if it came too late.
 */
export async function recordReturned(tx: Transaction, fence: Fence, failure: Failure): Promise<boolean> {
  const found = await fenced(tx, fence, "target lost");
  if (found === undefined) return false;
  await returnToSource(tx, fence.id, found.move, failure);
  return true;
}

/** As recordReturned, of a locked instance whose move has this phase. */
export async function returnToSource(tx: Transaction, instanceId: string, move: Move, failure: Failure): Promise<void> {
  await lockHosts(tx, move);
  await releaseOnHost(tx, instanceId);
  await sql`update moves set phase = 'failed', ${failed(failure)} where instance_id = ${instanceId}`.execute(tx);
  await changeHost(tx, instanceId, move.from);
}

/** They were ready on their new hosts: the old copies are removed next. In the transaction that records it. */
export async function noteArrivals(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  const leads = sql`(${JSON.stringify(moveObservations.ready)}::jsonb ->> phase)`;
  await sql`
    update moves set phase = ${leads} where instance_id = any(${[...instanceIds]}::uuid[]) and ${leads} is not null`.execute(
    tx,
  );
}

/**
 * The instance's host is that of the machine from now on, with the GPUs that it holds there. A worker that observed the
 * machine elsewhere loses its lease, so that it can record nothing.
 */
export async function changeHost(tx: Transaction, instanceId: string, host: string): Promise<void> {
  // A boot has its whole time on the new host.
  const { rows } = await sql<Row>`
    update instances set host = ${host},
      gpu_addresses = (
        select coalesce(array_agg(g.address order by g.address), '{}') from gpus g
        where g.host = ${host} and g.instance_id = instances.id),
      wished_at = case when state = any(${statesWhere(isBooting)}::text[]) then now() else wished_at end,
      next_look_at = now(), lease_owner = null, lease_until = null, attempts = 0, progress = null
    where id = ${instanceId}
    returning *`.execute(tx);
  await recordEvents(
    tx,
    rows.map((row) => instanceEvent(row, "moved")),
  );
}

/** The move is in this phase from now on, or over. The caller holds the lock of the instance's row. */
export async function enter(tx: Transaction, instanceId: string, next: MovePhase | "over"): Promise<void> {
  await (next === "over"
    ? sql`delete from moves where instance_id = ${instanceId}`
    : sql`update moves set phase = ${next} where instance_id = ${instanceId}`
  ).execute(tx);
}

/** The columns of a move that was given up. */
export function failed({ code, message }: Failure): RawBuilder<unknown> {
  return sql`failure_code = ${code}, failure_message = ${message}`;
}

/** Locks both hosts of the move. */
async function lockHosts(tx: Transaction, { from, to }: Move): Promise<void> {
  await sql`select from hosts where name = any(${[from, to]}::text[]) order by name for update`.execute(tx);
}

/** Locks the instance's row. Its move, and where the observation leads it; undefined: it came too late. */
async function fenced(
  tx: Transaction,
  { id, generation, leaseOwner }: Fence,
  observation: MoveObservation,
): Promise<{ readonly move: Move; readonly next: MovePhase | "over" } | undefined> {
  const { rows } = await sql`
    select from instances
    where id = ${id} and generation = ${generation} and lease_owner = ${leaseOwner ?? null} for update`.execute(tx);
  const move = rows.length === 0 ? undefined : await moveOf(tx, id);
  const next = move === undefined ? undefined : afterMoveObservation(move.phase, observation);
  return move === undefined || next === undefined ? undefined : { move, next };
}
