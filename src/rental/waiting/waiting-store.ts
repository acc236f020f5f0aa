// Reads waiting launches and ends them. Used by the control interface, by placer.ts, and by the job that expires them.
//
// Invariant: one that is over does not change, and its order is gone.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { WaitingLaunchesTable } from "../../database/tables/launches.ts";
import { inTransaction } from "../../database/transaction.ts";
import {
  holdingBlocker,
  quotaBlocker,
  type WaitingLaunchEnd,
  type WaitingLaunchState,
  waitingState,
} from "../../rules/waiting-launches.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { waitingEvent } from "./waiting-events.ts";
import { type Evictions, fromRow, type WaitingLaunch } from "./waiting-launch.ts";

/** The spot instances that are evicted for a row of `waiting_launches`, and still there. */
export const evictedFor = sql`
  select i.evict_at from instances i
  where i.evicted_for = waiting_launches.id and i.evict_at is not null and i.terminated_at is null`;

/** A position that none reaches. */
const behindAll = Number.MAX_SAFE_INTEGER;

/**
 * Its place among others. Launches of one GPU model wait behind each other where their regions meet, and spot behind all
 * (comesBefore). Counted line by line, in the index of those that hold them: for a page of 100 of 10,000 a look at each that
 * is before takes over a second.
 */
const place = [
  sql<number>`(
    select coalesce(sum(before.count), 0)::integer
    from launch_lines l join instance_types t on t.name = l.instance_type cross join lateral (
      select count(*) from waiting_launches o
      where o.line_id = l.id and o.state = ${sql.lit(waitingState)} and o.blocked_by = ${sql.lit(holdingBlocker)}
        and o.position < case when l.spot = waiting_launches.spot then waiting_launches.position else ${sql.lit(behindAll)} end) before
    where waiting_launches.state = ${sql.lit(waitingState)} and (waiting_launches.spot or not l.spot)
      and t.gpu_model is not distinct from (select gpu_model from instance_types where name = waiting_launches.instance_type)
      and (l.region is null or waiting_launches.region is null or l.region = waiting_launches.region))`.as("ahead"),
  sql<Date | null>`(
    select coalesce(case when (count(*) = waiting_launches.quantity or exists (${evictedFor}))
      and bool_and(earmark_from is not null) then max(earmark_from) end,
      case when waiting_launches.starts_at > now() then waiting_launches.starts_at end)
    from hosts where earmarked_for = waiting_launches.id)`.as("expected_at"),
  sql<Evictions>`(
    select jsonb_build_object('instances', count(*), 'at', max(evict_at)) from (${evictedFor}) evicted)`.as(
    "evictions",
  ),
] as const;

/** In order of arrival. `accountId` undefined: of all accounts, for operators. */
export async function listWaitingLaunches(
  db: Database,
  page: Page,
  {
    accountId,
    states,
  }: { readonly accountId: string | undefined; readonly states?: readonly WaitingLaunchState[] | undefined },
): Promise<WaitingLaunch[]> {
  let query = db.selectFrom("waiting_launches").selectAll().select(place);
  if (accountId !== undefined) query = query.where("account_id", "=", accountId);
  if (states !== undefined) query = query.where(sql<boolean>`state = any(${[...states]}::text[])`);
  return (await pageOf(query, "id", page).execute()).map(fromRow);
}

/** One of the account's; `accountId` undefined: of any. `id` as the client wrote it. Throws RentalError unknown-object. */
export async function readOwn(
  db: Database,
  { accountId }: { readonly accountId: string | undefined },
  id: string,
): Promise<WaitingLaunch> {
  let query = db.selectFrom("waiting_launches").selectAll().select(place).where("id", "=", asUuid(id));
  if (accountId !== undefined) query = query.where("account_id", "=", accountId);
  const row = await query.executeTakeFirst();
  if (row === undefined) throw unknown(id);
  return fromRow(row);
}

/** One of the account's; with the operator scope, any. Throws RentalError unknown-object, conflict (it is over). */
export async function cancelWait(
  tx: Transaction,
  { accountId, scopes }: Principal,
  id: string,
): Promise<WaitingLaunch> {
  let query = tx.selectFrom("waiting_launches").select(["state", "account_id"]).where("id", "=", asUuid(id));
  if (!scopes.has("operator")) query = query.where("account_id", "=", accountId);
  const row = await query.forUpdate().executeTakeFirst();
  if (row === undefined) throw unknown(id);
  if (row.state !== waitingState) {
    throw new RentalError("conflict", {
      message: `The launch ${id} is ${row.state} and no longer waits.`,
      suggestion:
        row.state === ("placed" satisfies WaitingLaunchState)
          ? "Terminate its instances if you do not need them."
          : "It has no instances and costs nothing; nothing is left to do.",
    });
  }
  const by = row.account_id === accountId && scopes.has("write") ? undefined : "operator";
  const [cancelled] = await endWaits(tx, [{ id: asUuid(id), state: "cancelled" }], by);
  if (cancelled === undefined) throw new Error("BUG: a launch that waits under its lock was not cancelled");
  return cancelled;
}

export interface WaitEnd {
  readonly id: string;
  readonly state: WaitingLaunchEnd;
  /** Of `refused`. */
  readonly reason?: string;
  /** Of `placed`. */
  readonly instanceIds?: readonly string[];
}

/** Ends those that still wait, and gives them. `by`: an operator, not their accounts or the service. */
export async function endWaits(tx: Transaction, ends: readonly WaitEnd[], by?: "operator"): Promise<WaitingLaunch[]> {
  if (ends.length === 0) return [];
  const { rows } = await sql<Selectable<WaitingLaunchesTable>>`
    update waiting_launches w set state = t.state, reason = t.reason, order_sealed = null, ended_at = now(),
      instance_ids = coalesce((select array_agg(value::uuid) from jsonb_array_elements_text(t.instances)), '{}')
    from unnest(${ends.map(({ id }) => id)}::uuid[], ${ends.map(({ state }) => state)}::text[],
      ${ends.map(({ reason }) => reason ?? null)}::text[],
      ${ends.map(({ instanceIds = [] }) => JSON.stringify(instanceIds))}::jsonb[]) as t (id, state, reason, instances)
    where w.id = t.id and w.state = ${sql.lit(waitingState)} returning w.*`.execute(tx);
  await passQuotasOn(tx, rows);
  const ended = rows.map(fromRow).sort((a, b) => a.position - b.position);
  // Its turn has passed on, and hosts that are kept for it are given back (earmarks.ts).
  if (ended.length > 0) await wakeReconciler(tx, "launches");
  await recordEvents(
    tx,
    ended.map((one) => waitingEvent(one, by)),
  );
  return ended;
}

/**
 * What their quota has room for now, others of their accounts may have: also behind one that was placed, because a larger one
 * between them was counted until now.
 */
async function passQuotasOn(tx: Transaction, ended: readonly Selectable<WaitingLaunchesTable>[]): Promise<void> {
  const accounts = [...new Set(ended.flatMap((one) => (one.blocked_by === quotaBlocker ? [one.account_id] : [])))];
  if (accounts.length === 0) return;
  await sql`select retry_launches_within_quota(id) from unnest(${accounts}::uuid[]) as of (id)`.execute(tx);
}

/** Ends those whose wait is over, at most `most`. */
export async function expireWaits(db: Database, most: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from waiting_launches where state = ${sql.lit(waitingState)} and wait_until <= now()
    order by wait_until limit ${most}`.execute(db);
  if (rows.length === 0) return;
  await inTransaction(db, (tx) =>
    endWaits(
      tx,
      rows.map(({ id }) => ({ id, state: "expired" })),
    ),
  );
}

function unknown(id: string): RentalError {
  return new RentalError("unknown-object", { what: "launch", ids: [id] });
}
