// Reads moves, for operators and for decisions about an instance whose row is locked. Used by moving/, hosts/ and the
// control interface.
//
// Invariant: a row of `moves` changes only under the lock of its instance's row.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { asMovePhase, type MovePhase, moveTraits } from "../../rules/moves.ts";

/** An instance's move: in progress, or the last one if that failed. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly phase: MovePhase;
  readonly copiedBytes: number;
  /** 0: unknown. */
  readonly totalBytes: number;
  readonly beganAt: Date;
  readonly reason: string | null;
  /** Why it was given up. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** By instance id. */
export async function movesOf(db: Database | Transaction, instanceIds: readonly string[]): Promise<Map<string, Move>> {
  const { rows } = await sql<MoveRow>`
    select instance_id, from_host, to_host, phase, copied_bytes, total_bytes, began_at, reason, failure_code,
      failure_message
    from moves where instance_id = any(${[...instanceIds]}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.instance_id, fromRow(row)]));
}

export async function moveOf(db: Database | Transaction, instanceId: string): Promise<Move | undefined> {
  return (await movesOf(db, [instanceId])).get(instanceId);
}

/** The host that is not the instance's. */
export function otherHostOf({ phase, from, to }: Pick<Move, "phase" | "from" | "to">): string {
  return moveTraits[phase].isOnTarget ? from : to;
}

/** The move of an instance `i` as JSON, for moveFromJson; null: none. For use in a query of instances. */
export const moveAsJson: RawBuilder<MoveJson | null> = sql<MoveJson | null>`(
  select to_jsonb(m) from moves m where m.instance_id = i.id)`;

export function moveFromJson(json: MoveJson): Move {
  return fromRow({ ...json, began_at: new Date(json.began_at) });
}

/** A row of `moves` as PostgreSQL writes it in JSON. */
export type MoveJson = Omit<MoveRow, "began_at"> & { readonly began_at: string };

interface MoveRow {
  readonly instance_id: string;
  readonly from_host: string;
  readonly to_host: string;
  readonly phase: string;
  readonly copied_bytes: number;
  readonly total_bytes: number;
  readonly began_at: Date;
  readonly reason: string | null;
  readonly failure_code: string | null;
  readonly failure_message: string | null;
}

function fromRow(row: MoveRow): Move {
  return {
    from: row.from_host,
    to: row.to_host,
    phase: asMovePhase(row.phase),
    copiedBytes: row.copied_bytes,
    totalBytes: row.total_bytes,
    beganAt: row.began_at,
    reason: row.reason,
    failure:
      row.failure_code !== null && row.failure_message !== null
        ? { code: row.failure_code, message: row.failure_message }
        : null,
  };
}
