// What the loss of a host does to moves from it and to it. Used by hosts/declare-lost.ts, which holds the locks of the
// instances and of the host. Invariant: an instance ends with the host that it is on, except for one that was moved there
// and was not ready there yet: it returns to where it was moved from, whose copy stayed. If it may still run on the lost host,
// it does not start before that is surely off (held.ts).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { asState, finalState, mayRun } from "../../rules/lifecycle.ts";
import { afterMoveObservation, asMovePhase, type MovePhase, moveTraits } from "../../rules/moves.ts";
import { releaseSecondCopies } from "../capacity/release.ts";
import type { Failure } from "../instances/record-observation.ts";
import { targetMayRun } from "./held.ts";
import { holdsBoth } from "./move-sql.ts";
import { type Move, movesOf, otherHostOf } from "./move-store.ts";
import { enter, failed, returnToSource } from "./record-move.ts";

/** The failure code of a move whose new host was lost. */
export const targetLost = "target-lost";

const lostFailure: Failure = {
  code: targetLost,
  message: "The host that it was moved to failed and was declared lost. The instance is where it was.",
};

const heldFailure: Failure = {
  code: targetMayRun,
  message:
    "The host that it was moved to failed and was declared lost, and may still run it. The instance is where it was, and " +
    "does not start before that host is fenced, returns or is deleted.",
};

/** A move from a host or to it. */
export interface MoveOfHost {
  readonly instanceId: string;
  readonly phase: MovePhase;
  readonly from: string;
  readonly to: string;
  /** Its machine may run: its state says so, or it is not known yet to have reached its state. */
  readonly mayRun: boolean;
  /** It is on the host, and returns to where it was when that is lost. */
  readonly returns: boolean;
}

/** Locks the instances whose moves are from this host or to it, and those that are on it. */
export async function lockInstancesOf(tx: Transaction, host: string): Promise<void> {
  await sql`
    select from instances
    where (host = ${host} and state <> ${sql.lit(finalState)})
      or id in (select instance_id from moves where from_host = ${host} or to_host = ${host})
    order by id for update`.execute(tx);
}

/** By instance id. `keepsSource`: its engine keeps a copy of a machine where it was moved from. */
export async function movesOfHost(tx: Transaction, host: string, keepsSource = true): Promise<MoveOfHost[]> {
  const { rows } = await sql<{
    instance_id: string;
    phase: string;
    from: string;
    to: string;
    state: string;
    is_settled: boolean;
  }>`
    select m.instance_id, m.phase, m.from_host as from, m.to_host as to, i.state,
      i.fulfilled_generation = i.generation as is_settled
    from moves m join instances i on i.id = m.instance_id where m.from_host = ${host} or m.to_host = ${host}
    order by m.instance_id`.execute(tx);
  return rows.map(({ instance_id: instanceId, phase, from, to, state, is_settled: isSettled }) => ({
    instanceId,
    phase: asMovePhase(phase),
    from,
    to,
    mayRun: mayRun[asState(state)] || !isSettled,
    returns: keepsSource && to === host && wasNotReady(asMovePhase(phase)),
  }));
}

/** It is on its new host and was not ready there: where it comes from is a copy that is as good, if there is one. */
function wasNotReady(phase: MovePhase): boolean {
  return moveTraits[phase].isOnTarget && afterMoveObservation(phase, "target lost") === "failed";
}

/** The instances of these moves that return from the host, and may still run on it. */
export function returningAndRunning(moves: readonly MoveOfHost[]): string[] {
  return moves.flatMap(({ instanceId, returns, mayRun: running }) => (returns && running ? [instanceId] : []));
}

/** What changes of the moves, before the instances on the host end. `isOff`: the host is verified to be off. */
export async function loseMoves(
  tx: Transaction,
  host: string,
  moves: readonly MoveOfHost[],
  isOff: boolean,
): Promise<void> {
  if (moves.length === 0) return;
  const found = await movesOf(
    tx,
    moves.map(({ instanceId }) => instanceId),
  );
  for (const one of moves) {
    const move = found.get(one.instanceId);
    if (move === undefined) throw new Error("BUG: a move is over under the lock of its instance");
    if (one.returns) await returnToSource(tx, one.instanceId, move, one.mayRun && !isOff ? heldFailure : lostFailure);
    else await loseMove(tx, host, one.instanceId, move);
  }
  // Of an instance that has ended before, nothing is left.
  await sql`
    delete from moves m using instances i
    where i.id = m.instance_id and i.state = ${sql.lit(finalState)} and not ${holdsBoth}
      and (m.from_host = ${host} or m.to_host = ${host})`.execute(tx);
}

async function loseMove(tx: Transaction, host: string, instanceId: string, move: Move): Promise<void> {
  const next = afterMoveObservation(move.phase, move.to === host ? "target lost" : "source lost");
  if (next === undefined || next === move.phase) return;
  // The instance ends with its only copy: nothing is where it comes from.
  const isOnly = move.to === host && wasNotReady(move.phase);
  // What is on the lost host is lost with it; what is on another is removed by the engine first.
  const isSecondGone = isOnly || otherHostOf(move) === host;
  if (moveTraits[move.phase].holdsBoth && isSecondGone) await releaseSecondCopies(tx, [instanceId]);
  await enter(tx, instanceId, isOnly ? "over" : next);
  if (!isOnly && next === "failed")
    await sql`update moves set ${failed(lostFailure)} where instance_id = ${instanceId}`.execute(tx);
}
