// API tokens: only their SHA-256 is stored, so a token can be shown once, at its making, and never again.
// Used by http/auth for every request, and by the control API to make, list and revoke them.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { isForeignKeyViolation } from "../../database/constraints.ts";
import { hashToken, newToken } from "../../secrets/token.ts";
import { invalid, RentalError } from "../errors.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Scope, Tenant } from "../service.ts";
import { asUuid } from "../uuid.ts";

/** What a presented token turned out to be. Whether it may pass is for the caller to say, from these facts. */
export interface AuthenticatedToken {
  readonly tenant: Tenant;
  readonly accountStatus: "active" | "inactive";
  readonly expired: boolean;
  readonly revoked: boolean;
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
}

export const scopes: readonly Scope[] = ["read", "write", "operator"];

/** The tokens with these hashes, keyed by the hash in hex; a hash without a token is missing. One query for any number. */
export async function authenticate(db: Database, hashes: readonly Buffer[]): Promise<Map<string, AuthenticatedToken>> {
  const { rows } = await sql<{
    hash: string;
    id: string;
    account_id: string;
    scopes: string[];
    status: string;
    expired: boolean;
    revoked: boolean;
  }>`
    select encode(t.hash, 'hex') as hash, t.id, t.account_id, t.scopes, a.status,
      coalesce(t.expires_at <= now(), false) as expired, t.revoked_at is not null as revoked
    from tokens t join accounts a on a.id = t.account_id
    where t.hash = any(${hashes}::bytea[])`.execute(db);
  return new Map(
    rows.map((row) => [
      row.hash,
      {
        tenant: { accountId: row.account_id, tokenId: row.id, scopes: new Set(asScopes(row.scopes)) },
        accountStatus: row.status === "active" ? "active" : "inactive",
        expired: row.expired,
        revoked: row.revoked,
      },
    ]),
  );
}

/** Notes that these tokens were used just now. One that another replica is noting at this moment is left to it. */
export async function recordTokenUse(db: Database, tokenIds: readonly string[]): Promise<void> {
  await sql`
    with free as (select id from tokens where id = any(${tokenIds}::uuid[]) for no key update skip locked)
    update tokens set last_used_at = now() from free where tokens.id = free.id`.execute(db);
}

/** What a new token is to be. */
export interface TokenOrder {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
}

/** Makes a token. `token` is its only appearance in plaintext. Throws RentalError unknown-object for an unknown account. */
export async function createToken(tx: Transaction, order: TokenOrder): Promise<Token & { token: string }> {
  const { token, hash } = newToken();
  const made = await insertToken(tx, order, hash);
  if (made === undefined) throw new Error("BUG: 256 random bits came a second time");
  return { ...made, token };
}

/**
 * Makes `token` (chosen by the operator, at least 32 characters) the account's one token of this name: valid, whatever
 * was done to it before, because the setting that names it is the operator's word; undefined: none. Other tokens of the
 * name are revoked. Several replicas may do so at once. Throws Error when it is another account's token.
 */
export async function presetToken(tx: Transaction, order: TokenOrder, token: string | undefined): Promise<void> {
  const hash = token === undefined ? null : hashToken(token);
  await sql`update tokens set revoked_at = now()
    where account_id = ${order.accountId} and name = ${order.name} and revoked_at is null
      and (${hash}::bytea is null or hash <> ${hash})`.execute(tx);
  if (hash === null) return;
  const { numAffectedRows } = await sql`
    insert into tokens (id, account_id, name, hash, scopes, expires_at)
    values (${uuidv7()}, ${order.accountId}, ${order.name}, ${hash}, ${[...order.scopes]}, ${order.expiresAt})
    on conflict (hash) do update set revoked_at = null, name = excluded.name, scopes = excluded.scopes,
      expires_at = excluded.expires_at
    where tokens.account_id = excluded.account_id`.execute(tx);
  if (numAffectedRows !== 1n) throw new Error(`${order.name} is a token that another account has already.`);
}

/** The account's tokens, oldest first, revoked ones included. */
export async function listTokens(db: Database, accountId: string, page: Page): Promise<Token[]> {
  const rows = await pageOf(
    db.selectFrom("tokens").selectAll().where("account_id", "=", asUuid(accountId)),
    "id",
    page,
  ).execute();
  return rows.map(fromRow);
}

/** One of the account's tokens. Throws RentalError unknown-object. */
export async function readToken(db: Database, accountId: string, id: string): Promise<Token> {
  const row = await db
    .selectFrom("tokens")
    .selectAll()
    .where("id", "=", asUuid(id))
    .where("account_id", "=", asUuid(accountId))
    .executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "token", ids: [id] });
  return fromRow(row);
}

/** Revokes a token at once. Revoking again changes nothing. Throws RentalError unknown-object. */
export async function revokeToken(tx: Transaction, accountId: string, id: string): Promise<void> {
  const revoked = await tx
    .updateTable("tokens")
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, now())` })
    .where("id", "=", asUuid(id))
    .where("account_id", "=", asUuid(accountId))
    .executeTakeFirst();
  if (revoked.numUpdatedRows !== 1n) throw new RentalError("unknown-object", { what: "token", ids: [id] });
}

/** Undefined where there is a token of this hash already. */
async function insertToken(tx: Transaction, order: TokenOrder, hash: Buffer): Promise<Token | undefined> {
  if (order.expiresAt !== null) {
    const future = await sql<{ ok: boolean }>`select ${order.expiresAt}::timestamptz > now() as ok`.execute(tx);
    if (future.rows[0]?.ok !== true) throw invalid("expires_at", "The expiry must be in the future.");
  }
  try {
    const row = await tx
      .insertInto("tokens")
      .values({
        id: uuidv7(),
        account_id: asUuid(order.accountId),
        name: order.name,
        hash,
        scopes: [...new Set(order.scopes)],
        expires_at: order.expiresAt,
      })
      .onConflict((conflict) => conflict.column("hash").doNothing())
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? undefined : fromRow(row);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw new RentalError("unknown-object", { what: "account", ids: [order.accountId] });
  }
}

function fromRow(row: {
  id: string;
  name: string;
  scopes: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: asScopes(row.scopes),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
}

function asScopes(words: readonly string[]): Scope[] {
  return scopes.filter((scope) => words.includes(scope));
}
