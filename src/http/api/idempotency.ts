// Idempotency-Key: repeating a POST with the same key returns the first response and has no second effect, for 24 hours
// (draft-ietf-httpapi-idempotency-key-header-07; decisions "Errors, limits, headers").
//
// Key and effect are one transaction, so a crash before the commit leaves neither, and one after it leaves both: the
// effect never exists without its response. Only successes are stored; a rejection had no effect, and the same request
// may succeed later. Responses are encrypted, because some hold secrets that are shown only once.
//
// Of two concurrent requests with one key, the second finds the advisory lock taken and no response yet, and must
// retry. The lock is a statement of its own, before the row is read: in READ COMMITTED every statement sees what was
// committed before it began, so the holder of the lock sees the row of the previous holder.

import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { insertRows } from "../../database/insert-rows.ts";
import { ask, type Question, question, together } from "../../database/round-trips.ts";
import type { IdempotencyKeysTable } from "../../database/tables/service.ts";
import { answerContext } from "../../encryption/answer-context.ts";
import { isHeldByNoMore } from "../../rental/accounts/token-limits.ts";
import { scopes } from "../../rental/accounts/token-store.ts";
import { invalid } from "../../rental/errors.ts";
import type { Principal } from "../../rental/service.ts";
import type { KeyRing } from "../../secrets/key-ring.ts";
import { principalOf } from "../auth/authorize.ts";
import { HttpError } from "../errors/api-error.ts";

/** A successful response as sent. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if the response has no body. */
  readonly body: string;
}

/** One use of a key. */
export interface KeyUse {
  readonly principal: Principal;
  readonly key: string;
  /** Identifies the request: see `fingerprint`. */
  readonly fingerprint: string;
}

/** The encrypted content of the row. */
interface Kept {
  readonly fingerprint: string;
  readonly answer: Response;
}

/** The use of the key that a request has; undefined without one. Throws RentalError invalid-parameters. */
export function keyUseOf(request: FastifyRequest, operation: string): KeyUse | undefined {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = parseIdempotencyKey(String(header));
  return { principal: principalOf(request), key, fingerprint: fingerprint(operation, request.params, request.body) };
}

/** The key in a header value; quoted and unquoted values are equal. Throws RentalError invalid-parameters. */
export function parseIdempotencyKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(.)/g, "$1");
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid("Idempotency-Key", "Must be 1 to 255 visible ASCII characters.");
  return key;
}

/**
 * The hash of what makes two requests the same: the operation (such as "marketplace launchInstances", at any mount),
 * the path parameters, and the body regardless of white space and key order.
 */
export function fingerprint(operation: string, params: unknown, body: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([operation, params, canonical(body)]))
    .digest("base64url");
}

/** Names the request among all of its account, for what it orders before its response is stored. */
export function orderKeyOf({ key, fingerprint: request }: KeyUse): string {
  return createHash("sha256")
    .update(JSON.stringify([key, request]))
    .digest("base64url");
}

/** The first response for this key, or else that of `effect`, which is stored. Throws HttpError. */
export async function once(
  tx: Transaction,
  keyRing: KeyRing,
  use: KeyUse,
  effect: () => Promise<Response>,
): Promise<Response> {
  const [first] = await firstAnswers(tx, keyRing, [use], await together(tx, keyQuestions([use])));
  if (first instanceof HttpError) throw first;
  if (first !== undefined) return first;
  const answer = await effect();
  await storeResponses(tx, keyRing, [{ use, answer }]);
  return answer;
}

/** Whether there is a response for this key, so that nothing of the request happens any more. Without a lock. */
export async function isAnswered(db: Database, use: KeyUse): Promise<boolean> {
  return (await ask(db, keptRows([use]))).size > 0;
}

/** The queries that `firstAnswers` needs, in this order. They lock the keys until the transaction ends. */
export function keyQuestions(uses: readonly KeyUse[]) {
  return [locks(uses), keptRows(uses)] as const;
}

/**
 * The response for each of these uses of different keys: the first response, a rejection, or undefined for an unused
 * key. Takes the results of `keyQuestions` from the same transaction.
 */
export async function firstAnswers(
  tx: Transaction,
  keyRing: KeyRing,
  uses: readonly KeyUse[],
  [alone, rows]: readonly [readonly boolean[], ReadonlyMap<string, KeptRow>],
): Promise<(Response | HttpError | undefined)[]> {
  const answers: (Response | HttpError | undefined)[] = [];
  for (const [index, use] of uses.entries()) {
    const row = rows.get(rowKey(use.principal.accountId, use.key));
    if (row !== undefined) answers.push(await replay(tx, keyRing, use, row));
    // If the other requests only read the first response, there is nothing to wait for.
    else answers.push(alone[index] === true ? undefined : new HttpError("idempotency-in-progress", {}));
  }
  return answers;
}

type KeptRow = Pick<Selectable<IdempotencyKeysTable>, "scopes" | "token_id" | "answer_sealed">;

const rowKey = (accountId: string, key: string) => `${accountId} ${key}`;

function keptRows(uses: readonly KeyUse[]): Question<Map<string, KeptRow>> {
  const query = sql<KeptRow & { account_id: string; key: string }>`
    select k.* from
      unnest(${uses.map(({ principal }) => principal.accountId)}::uuid[], ${uses.map(({ key }) => key)}::text[])
        as use (account_id, key),
      -- The limit keeps PostgreSQL from reading all keys of the day instead, as it does while they are few.
      lateral (
        select account_id, key, scopes, token_id, answer_sealed from idempotency_keys
        where account_id = use.account_id and key = use.key and created_at > now() - interval '24 hours' limit 1
      ) k`;
  return question(query, (rows) => new Map(rows.map((row) => [rowKey(row.account_id, row.key), row])));
}

async function replay(tx: Transaction, keyRing: KeyRing, use: KeyUse, first: KeptRow): Promise<Response | HttpError> {
  // The response may hold something that only that token could request, such as a token with its scopes.
  const lacking = scopes.find((scope) => first.scopes.includes(scope) && !use.principal.scopes.has(scope));
  if (lacking !== undefined) return new HttpError("forbidden", { scope: lacking });
  const kept = JSON.parse(keyRing.openText(first.answer_sealed, contextOf(use))) as Kept; // from `storeResponses`
  if (kept.fingerprint !== use.fingerprint) return new HttpError("idempotency-key-reused", { of: "request" });
  if (!(await isHeldByNoMore(tx, use.principal, first.token_id))) {
    return new HttpError("idempotency-key-reused", { of: "token" });
  }
  return { ...kept.answer, headers: { ...kept.answer.headers, ...replayMark } };
}

const replayMark = { "idempotency-replayed": "true" };

/** Whether a response with these headers is a replay. */
export function isReplay(headers: Response["headers"]): boolean {
  return Object.entries(replayMark).every(([name, value]) => headers[name] === value);
}

/** For each key, whether it is free. Locks it until the transaction ends. */
function locks(uses: readonly KeyUse[]): Question<boolean[]> {
  const numbers = uses.map(({ principal, key }) => {
    const digest = createHash("sha256").update(`idempotency ${principal.accountId} ${key}`).digest();
    return digest.readBigInt64BE().toString();
  });
  const query = sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock(number) as got
    from unnest(${numbers}::bigint[]) with ordinality as of_key (number, place) order by place`;
  return question(query, (rows) => rows.map(({ got }) => got));
}

/** Stores the responses of keys that `firstAnswers` found unused in this transaction. */
export async function storeResponses(
  tx: Transaction,
  keyRing: KeyRing,
  given: readonly { readonly use: KeyUse; readonly answer: Response }[],
): Promise<void> {
  const rows = given.map(({ use, answer }) => {
    const kept: Kept = { fingerprint: use.fingerprint, answer };
    return {
      account_id: use.principal.accountId,
      key: use.key,
      scopes: [...use.principal.scopes],
      token_id: use.principal.tokenId,
      answer_sealed: keyRing.seal(JSON.stringify(kept), contextOf(use)),
    };
  });
  const columns = ["account_id", "key", "scopes", "token_id", "answer_sealed"] as const;
  // A row older than 24 hours may still exist.
  const conflict = sql`on conflict (account_id, key) do update set
    scopes = excluded.scopes, token_id = excluded.token_id, answer_sealed = excluded.answer_sealed, created_at = now()`;
  await insertRows(tx, "idempotency_keys", { columns }, rows, conflict);
}

function contextOf(use: KeyUse): string {
  return answerContext(use.principal.accountId, use.key);
}

/** The same value with sorted object keys. Bodies are nested 32 levels at most (text.ts). */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, canonical(inner)]) };
}
