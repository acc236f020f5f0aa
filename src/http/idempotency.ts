// Idempotency-Key: a POST that is repeated with the same key gives the first answer and has no second effect, for
// 24 hours (draft-ietf-httpapi-idempotency-key-header-07; decisions "Errors, limits, headers").
//
// Key and effect are one transaction, so a crash before the commit leaves neither, and one after it leaves both: there
// is no moment in which the effect is there and its answer is not. Only successes are kept; a refusal had no effect,
// and the same request may succeed later. Answers are sealed, because some hold what is shown only once.
//
// Two requests with one key at the same time: the second finds the advisory lock taken and is told to come back. The
// lock is a statement of its own, before the row is looked for: in READ COMMITTED every statement sees what was
// committed before it began, so who gets the lock sees the row of who had it before.

import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Transaction } from "../database/connect.ts";
import { scopes } from "../rental/accounts/index.ts";
import { invalid } from "../rental/errors.ts";
import type { Tenant } from "../rental/service.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { HttpRefusal } from "./errors/refusal.ts";

/** A successful answer as it goes over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty where the answer has no body. */
  readonly body: string;
}

/** One use of a key. */
export interface KeyUse {
  readonly tenant: Tenant;
  readonly key: string;
  /** Tells requests apart: see `fingerprint`. */
  readonly fingerprint: string;
}

/** What is sealed in the row. */
interface Kept {
  readonly fingerprint: string;
  readonly answer: Answer;
}

/** The key of a header value, where quoted and unquoted values are the same. Throws RentalError invalid-parameters. */
export function parseIdempotencyKey(header: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replace(/\\(.)/g, "$1");
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw invalid("Idempotency-Key", "Must be 1 to 255 visible ASCII characters.");
  return key;
}

/**
 * The hash of what makes two requests the same: the operation (such as "marketplace launchInstances", wherever it is
 * mounted), what the path names, and the body without regard to space and order of keys.
 */
export function fingerprint(operation: string, params: unknown, body: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify([operation, params, canonical(body)]))
    .digest("base64url");
}

/** The first answer for this key, or else that of `effect`, which is kept. Throws HttpRefusal. */
export async function once(
  tx: Transaction,
  keyRing: KeyRing,
  use: KeyUse,
  effect: () => Promise<Answer>,
): Promise<Answer> {
  await lock(tx, use);
  const first = await tx
    .selectFrom("idempotency_keys")
    .select(["scopes", "answer_sealed"])
    .where("account_id", "=", use.tenant.accountId)
    .where("key", "=", use.key)
    .where("created_at", ">", sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
  if (first === undefined) return keep(tx, keyRing, use, await effect());
  // The answer may hold what only that token could have asked for, such as a token with its scopes.
  const lacking = scopes.find((scope) => first.scopes.includes(scope) && !use.tenant.scopes.has(scope));
  if (lacking !== undefined) throw new HttpRefusal("forbidden", { scope: lacking });
  const kept = JSON.parse(keyRing.openText(first.answer_sealed, contextOf(use))) as Kept; // what `keep` sealed
  if (kept.fingerprint !== use.fingerprint) throw new HttpRefusal("idempotency-key-reused", {});
  return { ...kept.answer, headers: { ...kept.answer.headers, "idempotency-replayed": "true" } };
}

async function lock(tx: Transaction, use: KeyUse): Promise<void> {
  const digest = createHash("sha256").update(`idempotency ${use.tenant.accountId} ${use.key}`).digest();
  const { rows } = await sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock(${digest.readBigInt64BE().toString()}::bigint) as got`.execute(tx);
  if (rows[0]?.got !== true) throw new HttpRefusal("idempotency-in-progress", {});
}

async function keep(tx: Transaction, keyRing: KeyRing, use: KeyUse, answer: Answer): Promise<Answer> {
  const kept: Kept = { fingerprint: use.fingerprint, answer };
  const values = {
    scopes: [...use.tenant.scopes],
    answer_sealed: keyRing.seal(JSON.stringify(kept), contextOf(use)),
    created_at: sql<Date>`now()`,
  };
  await tx
    .insertInto("idempotency_keys")
    .values({ account_id: use.tenant.accountId, key: use.key, ...values })
    // One older than 24 hours may still be there.
    .onConflict((conflict) => conflict.columns(["account_id", "key"]).doUpdateSet(values))
    .execute();
  return answer;
}

function contextOf(use: KeyUse): string {
  return `idempotency:${use.tenant.accountId}:${use.key}`;
}

/** The same value with the keys of every object in order. Bodies are nested 32 levels at most (text.ts). */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, canonical(inner)]) };
}
