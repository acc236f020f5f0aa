// Terminates the instances of an account or a token when its monthly spend limit is reached, and warns before. A
// maintenance job: it can run twice at once or be interrupted anywhere. An instance is terminated under its row lock,
// and a warning is sent once per month and limit, because its row is in the transaction of its event.
//
// All live instances are terminated, also stopped ones, which are billed too; but those of a reservation, which cost
// nothing by themselves, are not. A launch that succeeded just before the
// limit was reached is found by the next run.
//
// A bill can exceed the limit by the cost between two runs of this job (`limitCheckSeconds`, and the duration of a
// run); twice that if the replica that ran it died.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { inTransaction } from "../../database/transaction.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { isLive, statesWhere } from "../../rules/lifecycle.ts";
import { monthStart, spanEnd } from "../billing/cost-sql.ts";
import { isOfThisMonth, spentThisMonth } from "../billing/spent.ts";
import { launchedBy } from "../billing/usage.ts";
import { recordEvents } from "../events/record.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow } from "../instances/instance.ts";

/** A warning comes when this much of the limit is used, or would be within the hour at the current rate. */
const nearPercent = 80;

/** Limits how long one transaction holds locks. */
const batch = 100;

/** An account or token with a limit and live instances. */
interface Payer {
  readonly of: "account" | "token";
  readonly accountId: string;
  /** Null: the account itself. */
  readonly tokenId: string | null;
  readonly limitCents: number;
  /** 2026-03, for people. */
  readonly month: string;
  readonly usedMicroCents: bigint;
  /** The hourly cost of everything billed now. */
  readonly microCentsPerHour: bigint;
}

/** Handles all accounts and tokens. Returns how many instances were terminated. */
export async function enforceSpendLimits(db: Database): Promise<number> {
  let ended = 0;
  for (const payer of await payersNear(db, undefined)) {
    if (!isReached(payer)) {
      await inTransaction(db, (tx) => tellOnce(tx, payer, "near"));
      continue;
    }
    for (let some = batch; some === batch; ) {
      some = await inTransaction(db, (tx) => endSome(tx, payer));
      ended += some;
    }
  }
  return ended;
}

/** Terminates some of the payer's instances, if the limit is still reached: it might have been raised. Returns how many. */
async function endSome(tx: Transaction, { accountId, tokenId }: Payer): Promise<number> {
  const { rows } = await sql<Selectable<InstancesTable>>`
    select * from instances
    where account_id = ${accountId} and (${tokenId}::uuid is null or token_id = ${tokenId})
      and terminated_at is null and reservation_id is null and state = any(${statesWhere(isLive)}::text[])
    order by id
    limit ${batch}
    for update`.execute(tx);
  const [payer] = await payersNear(tx, tokenId ?? accountId);
  if (payer === undefined || !isReached(payer)) return 0;
  await tellOnce(tx, payer, "reached");
  await applyAction(tx, rows.map(fromRow), "terminate", "spend-limit");
  return rows.length;
}

/** Payers that have used enough to need an action; all, or the one account or token of this id. */
async function payersNear(db: Database, id: string | undefined): Promise<Payer[]> {
  const cents = sql.lit(Number(microCentsPerCent));
  const { rows } = await sql<{
    of: "account" | "token";
    account_id: string;
    token_id: string | null;
    limit_cents: number;
    month: string;
    used: string;
    per_hour: string;
  }>`
    with limited as (
      select 'account' as of, id as account_id, null::uuid as token_id, spend_limit_cents as limit_cents
      from accounts where spend_limit_cents is not null and (${id ?? null}::uuid is null or id = ${id ?? null})
      union all
      select 'token', account_id, id, spend_limit_cents
      from tokens where spend_limit_cents is not null and (${id ?? null}::uuid is null or id = ${id ?? null})
    )
    select l.*, to_char(now() at time zone 'UTC', 'YYYY-MM') as month, cost.used::text as used, cost.per_hour::text as per_hour
    from limited l
    cross join lateral (
      select ${spentThisMonth(sql<boolean>`c.account_id = l.account_id and (l.token_id is null or c.token_id = l.token_id)`)} as used,
        coalesce(sum(s.quantity * s.price_cents_per_hour::numeric * (10000 - s.discount_basis_points) * ${cents} / 10000)
          filter (where ${spanEnd} > now()), 0)::bigint as per_hour
      from billing_spans s
      where s.account_id = l.account_id and ${isOfThisMonth}
        and (l.token_id is null or ${launchedBy(sql<string>`l.token_id`)})
    ) cost
    where exists (
        select from instances i
        where i.account_id = l.account_id and (l.token_id is null or i.token_id = l.token_id)
          and i.terminated_at is null and i.reservation_id is null and i.state = any(${statesWhere(isLive)}::text[]))
      and (cost.used * 100 >= l.limit_cents::numeric * ${cents} * ${sql.lit(nearPercent)}
        or cost.used + cost.per_hour >= l.limit_cents::numeric * ${cents})
    order by l.account_id, l.token_id`.execute(db);
  return rows.map((row) => ({
    of: row.of,
    accountId: row.account_id,
    tokenId: row.token_id,
    limitCents: row.limit_cents,
    month: row.month,
    usedMicroCents: BigInt(row.used),
    microCentsPerHour: BigInt(row.per_hour),
  }));
}

function isReached({ usedMicroCents, limitCents }: Payer): boolean {
  return usedMicroCents >= BigInt(limitCents) * microCentsPerCent;
}

/** Writes `account.spend_limit_near` or similar, unless it was written this month for this limit. */
async function tellOnce(tx: Transaction, payer: Payer, kind: "near" | "reached"): Promise<void> {
  const subjectId = payer.tokenId ?? payer.accountId;
  const { numAffectedRows } = await sql`
    insert into spend_notices (subject_id, month, limit_cents, kind)
    values (${subjectId}, ${monthStart}, ${payer.limitCents}, ${kind})
    on conflict do nothing`.execute(tx);
  if (numAffectedRows !== 1n) return;
  await recordEvents(tx, [
    {
      accountId: payer.accountId,
      type: `${payer.of}.spend_limit_${kind}`,
      subjectId,
      data: {
        account_id: payer.accountId,
        ...(payer.tokenId !== null && { token_id: payer.tokenId }),
        month: payer.month,
        limit_cents: payer.limitCents,
        used_micro_cents: String(payer.usedMicroCents),
        micro_cents_per_hour: String(payer.microCentsPerHour),
      },
    },
  ]);
}
