// The reconciliation status of instances, and their cost. Separate from Instance, because the variants' lists do not
// need it. Read by the control interface.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { costOf, downtimeSecondsUntil, secondsUntil } from "../billing/cost-sql.ts";
import { creditOf } from "../billing/credits.ts";
import { RentalError } from "../errors.ts";
import { type NextWindow, type NextWindowColumns, nextWindow, nextWindowFrom } from "../maintenance/next-window.ts";
import { type Move, type MoveJson, moveAsJson, moveFromJson } from "../moving/move-store.ts";
import type { Instance } from "./instance.ts";
import { type StalledKind, trouble } from "./stalled.ts";

export interface ReconcileStatus {
  /** Increases with every action. */
  readonly generation: number;
  /** The last reconciled generation; less than `generation` while work is left. */
  readonly fulfilledGeneration: number;
  /** Attempts of the current operation. */
  readonly attempts: number;
  /** The next scheduled check; null if there is nothing to do. */
  readonly nextLookAt: Date | null;
  /** Whether changed firewall rules are not applied yet. */
  readonly firewallPending: boolean;
  /** Why it needs attention, and since when the current state was requested; null: nothing. */
  readonly trouble: { readonly kind: StalledKind; readonly since: Date } | null;
  /** Its move to another host, or the last one if that failed; null: none. */
  readonly move: Move | null;
  /** So far; 0 if it was never billed. */
  readonly costMicroCents: bigint;
  /** What does not have to be paid of it. */
  readonly creditMicroCents: bigint;
  /** In which its host was unreachable. */
  readonly downtimeSeconds: number;
  /** Since billing began, with downtime; 0 if it was never billed. */
  readonly rentedSeconds: number;
  /** The next or current maintenance of its host; null: none. */
  readonly maintenance: NextWindow | null;
}

/** For a new instance in its launch transaction: the row's defaults. The host's maintenance is shown by later reads. */
export function statusAtLaunch({ generation, createdAt }: Instance): ReconcileStatus {
  return {
    generation,
    fulfilledGeneration: 0,
    attempts: 0,
    nextLookAt: createdAt,
    firewallPending: false,
    trouble: null,
    move: null,
    costMicroCents: 0n,
    creditMicroCents: 0n,
    downtimeSeconds: 0,
    rentedSeconds: 0,
    maintenance: null,
  };
}

/** By instance id; one query for any number of them. */
export async function standingsOf(db: Database, instanceIds: readonly string[]): Promise<Map<string, ReconcileStatus>> {
  const { rows } = await sql<{
    id: string;
    generation: number;
    fulfilled_generation: number;
    attempts: number;
    next_look_at: Date | null;
    firewall_pending: boolean;
    trouble: StalledKind | null;
    wished_at: Date;
    move: MoveJson | null;
    cost: string;
    credit: string;
    downtime: number;
    rented: number;
    maintenance: NextWindowColumns | null;
  }>`
    select i.id, i.generation, i.fulfilled_generation, i.attempts, i.next_look_at,
      i.firewall_wished > i.firewall_applied as firewall_pending, ${trouble} as trouble, i.wished_at, ${moveAsJson} as move,
      coalesce(${costOf(secondsUntil(sql<Date>`now()`))}, 0)::text as cost,
      coalesce(${creditOf("cost_micro_cents", {})}, 0)::text as credit,
      coalesce(${downtimeSecondsUntil(sql<Date>`now()`)} + ${creditOf("downtime_seconds", {})}, 0)::bigint as downtime,
      coalesce(${secondsUntil(sql<Date>`now()`)} + ${downtimeSecondsUntil(sql<Date>`now()`)}, 0) as rented,
      ${nextWindow} as maintenance
    from instances i left join billing_spans s on s.instance_id = i.id
    where i.id = any(${[...instanceIds]}::uuid[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        generation: row.generation,
        fulfilledGeneration: row.fulfilled_generation,
        attempts: row.attempts,
        nextLookAt: row.next_look_at,
        firewallPending: row.firewall_pending,
        trouble: row.trouble === null ? null : { kind: row.trouble, since: row.wished_at },
        move: row.move === null ? null : moveFromJson(row.move),
        costMicroCents: BigInt(row.cost),
        creditMicroCents: BigInt(row.credit),
        downtimeSeconds: row.downtime,
        rentedSeconds: row.rented,
        maintenance: row.maintenance === null ? null : nextWindowFrom(row.maintenance),
      },
    ]),
  );
}

/** Throws RentalError unknown-object. */
export async function reconcileStatusOf(db: Database, instanceId: string): Promise<ReconcileStatus> {
  const standing = (await standingsOf(db, [instanceId])).get(instanceId);
  if (standing === undefined) throw new RentalError("unknown-object", { what: "instance", ids: [instanceId] });
  return standing;
}
