// How things stand with instances beyond what they are: how far the reconciler has got with them, and what they have cost.
// Apart from Instance, because the variants' lists need none of it. Read by the control interface.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { costOf, secondsUntil } from "../billing/cost-sql.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "./instance.ts";
import { type StalledKind, trouble } from "./stalled.ts";

export interface ReconcileStatus {
  /** Increases with every action. */
  readonly generation: number;
  /** The generation last fulfilled; behind `generation` while there is work to do. */
  readonly fulfilledGeneration: number;
  /** Attempts of the current operation. */
  readonly attempts: number;
  /** When the reconciler looks at it next; null where there is nothing to do. */
  readonly nextLookAt: Date | null;
  /** Whether its machine has still to be told of firewall rules that were changed. */
  readonly firewallPending: boolean;
  /** What is the matter with the work on it, and since when that was wished; null: nothing. */
  readonly trouble: { readonly kind: StalledKind; readonly since: Date } | null;
  /** So far; 0 where it was never billed. */
  readonly costMicroCents: bigint;
}

/** That of an instance in the transaction that launches it: what its row has by default. */
export function statusAtLaunch({ generation, createdAt }: Instance): ReconcileStatus {
  return {
    generation,
    fulfilledGeneration: 0,
    attempts: 0,
    nextLookAt: createdAt,
    firewallPending: false,
    trouble: null,
    costMicroCents: 0n,
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
    cost: string;
  }>`
    select i.id, i.generation, i.fulfilled_generation, i.attempts, i.next_look_at,
      i.firewall_wished > i.firewall_applied as firewall_pending, ${trouble} as trouble, i.wished_at,
      coalesce(${costOf(secondsUntil(sql<Date>`now()`))}, 0)::text as cost
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
        costMicroCents: BigInt(row.cost),
      },
    ]),
  );
}

/** For one. Throws RentalError unknown-object. */
export async function reconcileStatusOf(db: Database, instanceId: string): Promise<ReconcileStatus> {
  const standing = (await standingsOf(db, [instanceId])).get(instanceId);
  if (standing === undefined) throw new RentalError("unknown-object", { what: "instance", ids: [instanceId] });
  return standing;
}
