// Moves stopped instances off hosts that are drained, or in maintenance, with mode `move`, as capacity allows. Used by the
// reconciler's maintenance jobs. Running instances move once they are stopped.
//
// Invariant: each move begins in its own transaction, by the rules of begin-move.ts; so an interrupted run leaves nothing
// half done, and another run begins the rest. A move that failed is not begun again: an operator decides about it.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { drainingMode } from "../../rules/host-lifecycle.ts";
import { isMovable, statesWhere } from "../../rules/lifecycle.ts";
import type { DrainMode } from "../../rules/moves.ts";
import { CapacityCache } from "../capacity/cache.ts";
import { RentalError } from "../errors.ts";
import { isInForce, movesInstances } from "../maintenance/window.ts";
import { beginMove } from "./begin-move.ts";

/** Moves that one run begins at most: each takes capacity, and the reconciler works on some at a time. Also rows per read. */
const BATCH = 200;

const moving: DrainMode = "move";

interface Candidate {
  readonly id: string;
  readonly position: number;
  /** What it needs, as a text that is equal for equal needs. */
  readonly needs: string;
  /** The reason and the operator of the host's mode. */
  readonly reason: string | null;
  readonly by: string | null;
}

/**
 * Begins those moves, and returns how many. `engines`: those that can move machines. Ends early when `signal` is aborted.
 * All candidates have their turn, however many of them cannot move now.
 */
export async function emptyHosts(
  db: Database,
  engines: ReadonlySet<string>,
  signal: AbortSignal,
  batch = BATCH,
): Promise<number> {
  const service = { capacity: new CapacityCache(db), enginesThatMove: () => engines };
  /** Needs that no host has capacity for now. */
  const full = new Set<string>();
  let begun = 0;
  for (let after = 0; begun < batch && !signal.aborted; ) {
    const candidates = await candidatesAfter(db, after, engines, batch);
    for (const { id, needs, reason, by } of candidates) {
      if (begun === batch || signal.aborted) break;
      if (full.has(needs)) continue;
      try {
        await service.capacity.refresh();
        const order = { host: undefined, reason: reason ?? undefined, by };
        await inTransaction(db, (tx) => beginMove(tx, service, id, order));
        begun++;
      } catch (error) {
        // It was restarted meanwhile, or there is no capacity: the host says how many are left.
        if (!(error instanceof RentalError)) throw error;
        if (error.kind === "insufficient-capacity") full.add(needs);
      }
    }
    const last = candidates.at(-1);
    if (last === undefined || candidates.length < batch) break;
    after = last.position;
  }
  return begun;
}

/** In order of launch; without those that a file system on their host's own storage keeps there (begin-move.ts). */
async function candidatesAfter(
  db: Database,
  after: number,
  engines: ReadonlySet<string>,
  limit: number,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select i.id, i.position, h.mode_reason as reason, h.mode_by as by, jsonb_build_array(i.region, i.engine, i.instance_type,
        i.vcpus, i.memory_gib, i.storage_gb, i.gpu_model, i.gpus)::text as needs
    from hosts h join instances i on i.host = h.name
    where ((h.mode = ${sql.lit(drainingMode)} and h.drain_mode = ${sql.lit(moving)})
        or exists (select from maintenance_windows w where w.host = h.name and ${isInForce} and ${movesInstances}))
      and h.engine = any(${[...engines]}::text[])
      and h.available and i.health = 'ok' and i.state = any(${statesWhere(isMovable)}::text[])
      and not exists (select from moves m where m.instance_id = i.id)
      and not exists (select from file_systems f where f.attached_to @> array[i.id] and f.host is not null)
      and i.position > ${after}
    order by i.position limit ${limit}`.execute(db);
  return rows;
}
