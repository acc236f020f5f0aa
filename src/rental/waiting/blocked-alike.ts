// What keeps one waiting launch from being placed often keeps all others of its account or its token as well: then none of
// them holds its place before others any more, whatever their number. Used by not-placed.ts.
//
// Invariant: only what surely is blocked now is changed, or what is tried again soon; launches that another transaction has
// locked are left to it.

import { type RawBuilder, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { holdingBlocker, quotaBlocker, waitingState } from "../../rules/waiting-launches.ts";
import { readAccount } from "../accounts/account-store.ts";
import { quotaRefusal } from "../accounts/quotas.ts";
import type { RentalError } from "../errors.ts";
import type { InWords } from "./blockers.ts";
import type { WaitingRequest } from "./waiting-request.ts";
import { endWaits } from "./waiting-store.ts";

/**
 * After `request` was rejected so. `later`: when those are tried again that then are blocked. Whether some of them held their
 * places before others.
 */
export async function blockAlike(
  tx: Transaction,
  request: WaitingRequest,
  error: RentalError,
  inWords: InWords,
  later: RawBuilder<unknown>,
): Promise<boolean> {
  switch (error.kind) {
    case "quota-exceeded":
      return blockOverQuota(tx, request, inWords, later);
    case "spend-limit-exceeded":
    case "insufficient-balance":
      return blockSame(tx, request, inWords(error), later);
    case "invalid-parameters":
      return request.refusal === error && (await refuseOfToken(tx, request, inWords(error)));
    default:
      return false;
  }
}

interface Size {
  readonly quantity: number;
  readonly type: string;
  readonly gpus: number;
  readonly vcpus: number;
}

/** Those that its account's quotas have no room for, each by itself: they are told when there is some. */
async function blockOverQuota(
  tx: Transaction,
  { principal: { accountId } }: WaitingRequest,
  inWords: InWords,
  later: RawBuilder<unknown>,
): Promise<boolean> {
  const account = await readAccount(tx, accountId);
  const isDue = sql`w.blocked_by = ${sql.lit(quotaBlocker)} and w.next_try_at <= now()`;
  const isForQuota = sql`w.account_id = ${accountId} and w.state = ${sql.lit(waitingState)}
    and (w.blocked_by = ${sql.lit(holdingBlocker)} or ${isDue})`;
  const { rows: sizes } = await sql<Size>`
    select distinct w.quantity, t.name as type, t.gpus, t.vcpus
    from waiting_launches w join instance_types t on t.name = w.instance_type
    where ${isForQuota}`.execute(tx);
  const over = sizes.flatMap(({ quantity, type, gpus, vcpus }) => {
    const error = quotaRefusal(account, { instances: quantity, gpus: quantity * gpus, vcpus: quantity * vcpus });
    return error === undefined ? [] : [{ quantity, type, message: inWords(error) }];
  });
  if (over.length === 0) return false;
  const { rows } = await sql<{ held: boolean }>`
    with over as (
      select w.id, t.message, w.blocked_by
      from waiting_launches w join unnest(${over.map(({ quantity }) => quantity)}::integer[],
        ${over.map(({ type }) => type)}::text[], ${over.map(({ message }) => message)}::text[]) as t (quantity, type, message)
        on t.quantity = w.quantity and t.type = w.instance_type
      where ${isForQuota} order by w.position for update of w skip locked)
    update waiting_launches w set blocked_by = ${sql.lit(quotaBlocker)}, blocked_message = over.message, next_try_at = ${later}
    from over where w.id = over.id returning over.blocked_by = ${sql.lit(holdingBlocker)} as held`.execute(tx);
  return rows.some(({ held }) => held);
}

/** Those of its token that want just the same. One that costs less by a coupon is tried again soon. */
async function blockSame(
  tx: Transaction,
  { id, principal: { tokenId } }: WaitingRequest,
  message: string,
  later: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql`
    with alike as (
      select w.id, own.blocked_by as by from waiting_launches w join waiting_launches own on own.id = ${id} and own.line_id = w.line_id
        and own.quantity = w.quantity and own.instance_type = w.instance_type
      where ${holding(sql`w.token_id = ${tokenId}`)} order by w.position for update of w skip locked)
    update waiting_launches w set blocked_by = alike.by, blocked_message = ${message}, next_try_at = ${later}
    from alike where w.id = alike.id returning 1`.execute(tx);
  return rows.length > 0;
}

/** All of its token. */
async function refuseOfToken(
  tx: Transaction,
  { principal: { tokenId } }: WaitingRequest,
  reason: string,
): Promise<boolean> {
  const { rows } = await sql<{ id: string; held: boolean }>`
    select w.id, w.blocked_by = ${sql.lit(holdingBlocker)} as held from waiting_launches w where w.state = ${sql.lit(waitingState)} and w.token_id = ${tokenId}
    order by w.position for update skip locked`.execute(tx);
  await endWaits(
    tx,
    rows.map(({ id }) => ({ id, state: "refused" as const, reason })),
  );
  return rows.some(({ held }) => held);
}

/** `waiting_launches w` that hold their places. */
function holding(whose: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(w.state = ${sql.lit(waitingState)} and w.blocked_by = ${sql.lit(holdingBlocker)} and ${whose})`;
}
