// API tokens. Only their SHA-256 is stored, so a token is shown only when it is created. Used by http/auth for every
// request, and by the control API to create, list and revoke them.

import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { isForeignKeyViolation } from "../../database/constraints.ts";
import { asCompatibilityVersion, type CompatibilityVersion } from "../../rules/compatibility-versions.ts";
import { type OperatorRole, operatorRoles, type TeamRole, teamRoles } from "../../rules/roles.ts";
import { hashToken, newToken } from "../../secrets/token.ts";
import { invalid, RentalError } from "../errors.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { type DatabaseSnapshot, type MomentRow, momentColumns, momentOf } from "../freshness.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal, Scope } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { retryWaits } from "./retry-waits.ts";

/** The token of a request. The caller decides about access. */
export interface AuthenticatedToken {
  readonly principal: Principal;
  readonly accountStatus: "active" | "inactive";
  readonly expired: boolean;
  readonly revoked: boolean;
  /** The provider of its person no longer confirms the person's access. */
  readonly suspended: boolean;
  /** The version of response formats; null: current. */
  readonly compatibilityVersion: CompatibilityVersion | null;
  /** Read with the token. */
  readonly moment: DatabaseSnapshot;
}

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** Monthly limit of what it launched. Null: none. */
  readonly spendLimitCents: number | null;
  /** The version of response formats; null: current. */
  readonly compatibilityVersion: CompatibilityVersion | null;
  /** Whose it is. Null: the team's own. */
  readonly personId: string | null;
  /** What it may with the scope `operator`. Null: everything. */
  readonly operatorRole: OperatorRole | null;
  readonly createdAt: Date;
}

export const scopes: readonly Scope[] = ["read", "write", "operator"];

/** The tokens with these hashes, keyed by the hash in hex; unknown hashes are missing. One query for any number. */
export async function authenticate(db: Database, hashes: readonly Buffer[]): Promise<Map<string, AuthenticatedToken>> {
  // Compiled once, because it runs a thousand times per second.
  authentication ??= authenticationOf([]).compile(db);
  const { rows } = await db.executeQuery<AuthenticationRow>({ ...authentication, parameters: [hashes] });
  return new Map(rows.map((row) => [row.hash, authenticatedToken(row)]));
}

let authentication: CompiledQuery | undefined;

export interface AuthenticationRow extends MomentRow {
  readonly hash: string;
  readonly id: string;
  readonly account_id: string;
  readonly scopes: string[];
  readonly status: string;
  readonly expired: boolean;
  readonly revoked: boolean;
  readonly suspended: boolean;
  readonly compatibility_version: string | null;
  readonly person_id: string | null;
  /** Null also for a person who is not in the team any more. */
  readonly person_role: string | null;
  readonly operator_role: string | null;
  readonly signed_in: boolean;
}

/**
 * Of the account of a token `t`. A query of its own, as a join was slow with many accounts: PostgreSQL read them in order
 * of id from the first one on, where it expected to find the token's soon.
 */
const accountStatusOf = sql`select a.status from accounts a where a.id = t.account_id`;

/** The role now of the person of a token `t`. Null: it is the team's own, or the person is not in the team any more. */
const personRoleOf = sql`(case when t.person_id is not null then
  (select m.role from memberships m where m.account_id = t.account_id and m.person_id = t.person_id) end)`;

/** Whether a provider that this person signed in with no longer confirms the person's access. */
export const isSuspended = (personId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from identities i where i.person_id = ${personId} and i.good_until <= now())`;

const ofSuspended = sql`(t.person_id is not null and ${isSuspended(sql`t.person_id`)})`;

/** Columns of an authenticated token, for a query over tokens `t`. */
export const authenticationColumns: RawBuilder<unknown> = sql`
  t.id, t.account_id, t.scopes, (${accountStatusOf}) as status, coalesce(t.expires_at <= now(), false) as expired,
  t.revoked_at is not null as revoked, t.compatibility_version, t.person_id, ${personRoleOf} as person_role,
  ${ofSuspended} as suspended, t.operator_role, t.signed_in, ${momentColumns(sql`t.account_id`)}`;

export function authenticatedToken(row: AuthenticationRow): AuthenticatedToken {
  return {
    principal: principalOf(row),
    accountStatus: row.status === "active" ? "active" : "inactive",
    expired: row.expired,
    revoked: row.revoked || (row.person_id !== null && row.person_role === null),
    suspended: row.suspended,
    compatibilityVersion: asCompatibilityVersion(row.compatibility_version),
    moment: momentOf(row),
  };
}

function principalOf({
  account_id,
  id,
  scopes: may,
  person_id,
  person_role,
  operator_role,
  signed_in,
}: AuthenticationRow): Principal {
  const role = asTeamRole(person_role);
  const operatorRole = asOperatorRole(operator_role);
  return {
    accountId: account_id,
    tokenId: id,
    scopes: new Set(asScopes(may)),
    ...(person_id !== null && role !== null && { person: { id: person_id, role } }),
    ...(operatorRole !== null && { operatorRole }),
    ...(signed_in && { signedIn: true }),
  };
}

function authenticationOf(hashes: readonly Buffer[]): RawBuilder<unknown> {
  return sql`
    select encode(t.hash, 'hex') as hash, ${authenticationColumns}
    from tokens t where t.hash = any(${hashes}::bytea[])`;
}

/** Whether the token `t` is valid: neither revoked nor expired, of an active account, and of one of its people, if of any, who has access. */
export const isGoodToken = sql<boolean>`(t.revoked_at is null and coalesce(t.expires_at > now(), true)
  and (select a.status = 'active' from accounts a where a.id = t.account_id)
  and (t.person_id is null or ${personRoleOf} is not null) and not ${ofSuspended})`;

/** The valid tokens among these, by id, each with the role now of its person; null: it is the team's own. */
export async function goodTokens(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, TeamRole | null>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; role: string | null }>`
    select t.id, ${personRoleOf} as role from tokens t
    where t.id = any(${ids}::uuid[]) and ${isGoodToken}`.execute(db);
  return new Map(rows.map(({ id, role }) => [id, asTeamRole(role)]));
}

/** Records that these tokens were used now. Skips those that another replica is recording. */
export async function recordTokenUse(db: Database, tokenIds: readonly string[]): Promise<void> {
  await sql`
    with free as (select id from tokens where id = any(${tokenIds}::uuid[]) for no key update skip locked)
    update tokens set last_used_at = now() from free where tokens.id = free.id`.execute(db);
}

export interface TokenOrder {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  /** Null, the default: no limit. */
  readonly spendLimitCents?: number | null;
  /** Null, the default: current. */
  readonly compatibilityVersion?: CompatibilityVersion | null;
  /** Null, the default: the team's own. */
  readonly personId?: string | null;
  /** Only with the scope `operator`. Null, the default: everything. */
  readonly operatorRole?: OperatorRole | null;
}

/** Creates a token. `token` is returned only here. Throws RentalError unknown-object for an unknown account. */
export async function createToken(tx: Transaction, order: TokenOrder): Promise<Token & { token: string }> {
  const { token, hash } = newToken();
  const made = await insertToken(tx, order, hash);
  if (made === undefined) throw new Error("BUG: 256 random bits came a second time");
  await recordEvents(tx, [
    tokenEvent({ ...made, account_id: asUuid(order.accountId), person_id: made.personId }, "created"),
  ]);
  return { ...made, token };
}

/**
 * Makes `token` (from the operator's settings, at least 32 characters) the account's only valid token of this name,
 * also if it was revoked, because the setting takes precedence; undefined: none. Revokes other tokens of the name.
 * Replicas can run it concurrently. Throws Error if it is another account's token.
 */
export async function presetToken(tx: Transaction, order: TokenOrder, token: string | undefined): Promise<void> {
  const hash = token === undefined ? null : hashToken(token);
  const { rows: revoked } = await sql<ToldToken>`update tokens set revoked_at = now()
    where account_id = ${order.accountId} and name = ${order.name} and revoked_at is null
      and (${hash}::bytea is null or hash <> ${hash})
    returning id, account_id, name, scopes, person_id`.execute(tx);
  await recordEvents(
    tx,
    revoked.map((row) => tokenEvent(row, "revoked")),
  );
  if (hash === null) return;
  // Runs at every start: an event only if it was not valid before.
  const { rows: valid } = await sql`select from tokens where hash = ${hash} and revoked_at is null`.execute(tx);
  const { rows: preset } = await sql<ToldToken>`
    insert into tokens (id, account_id, name, hash, scopes, expires_at)
    values (${uuidv7()}, ${order.accountId}, ${order.name}, ${hash}, ${[...order.scopes]}, ${order.expiresAt})
    on conflict (hash) do update set revoked_at = null, name = excluded.name, scopes = excluded.scopes,
      expires_at = excluded.expires_at
    where tokens.account_id = excluded.account_id
    returning id, account_id, name, scopes, person_id`.execute(tx);
  if (preset.length !== 1) throw new Error(`${order.name} is already a token of another account.`);
  if (valid.length > 0) return;
  // Its earlier sessions stay ended.
  await sql`update console_sessions set revoked_at = now()
    where token_id = any(${preset.map(({ id }) => id)}::uuid[]) and revoked_at is null`.execute(tx);
  await recordEvents(
    tx,
    preset.map((row) => tokenEvent(row, "created")),
  );
}

/** The id of the token of this person's sessions in the account; a new one only if there is none. */
export async function insertSignedInToken(tx: Transaction, accountId: string, personId: string): Promise<string> {
  // Its secret is dropped: only sessions act with it.
  const { hash } = newToken();
  await sql`
    insert into tokens (id, account_id, person_id, name, hash, scopes, signed_in)
    values (${uuidv7()}, ${accountId}, ${personId}, 'sign-in', ${hash}, '{read,write}', true)
    on conflict (account_id, person_id) where signed_in and revoked_at is null do nothing`.execute(tx);
  const { rows } = await sql<{ id: string }>`
    select id from tokens
    where account_id = ${accountId} and person_id = ${personId} and signed_in and revoked_at is null`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: the token of a person's sessions is missing");
  return row.id;
}

/** The account's tokens, oldest first, including revoked ones, without those of sessions. */
export async function listTokens(db: Database, accountId: string, page: Page): Promise<Token[]> {
  const rows = await pageOf(
    db.selectFrom("tokens").selectAll().where("account_id", "=", asUuid(accountId)).where("signed_in", "=", false),
    "id",
    page,
  ).execute();
  return rows.map(fromRow);
}

/** Throws RentalError unknown-object. */
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

/** Revokes a token at once; repeating it changes nothing. Throws RentalError unknown-object. */
export async function revokeToken(tx: Transaction, accountId: string, id: string): Promise<void> {
  const revoked = await tx
    .updateTable("tokens")
    .set({ revoked_at: sql<Date>`now()` })
    .where("id", "=", asUuid(id))
    .where("account_id", "=", asUuid(accountId))
    .where("revoked_at", "is", null)
    .returning(["id", "account_id", "name", "scopes", "person_id"])
    .executeTakeFirst();
  // Already revoked, or unknown.
  if (revoked === undefined) await readToken(tx, accountId, id);
  else {
    await retryWaits(tx, { tokenId: revoked.id });
    await recordEvents(tx, [tokenEvent(revoked, "revoked")]);
  }
}

/** Revokes a person's tokens of this account at once, under the lock of its row. */
export async function revokeTokensOf(tx: Transaction, accountId: string, personId: string): Promise<void> {
  const { rows: revoked } = await sql<ToldToken & { signed_in: boolean }>`
    update tokens set revoked_at = now()
    where account_id = ${accountId} and person_id = ${personId} and revoked_at is null
    returning id, account_id, name, scopes, person_id, signed_in`.execute(tx);
  for (const { id } of revoked) await retryWaits(tx, { tokenId: id });
  await recordEvents(
    tx,
    revoked.filter(({ signed_in: isOfSessions }) => !isOfSessions).map((row) => tokenEvent(row, "revoked")),
  );
}

interface ToldToken {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly person_id: string | null;
}

function tokenEvent(
  { id, account_id: accountId, name, scopes: may, person_id }: ToldToken,
  word: "created" | "revoked",
): NewEvent {
  const whose = person_id === null ? {} : { person_id };
  const data = { token_id: id, name, scopes: [...may], ...whose };
  return { accountId, type: `token.${word}`, subjectId: id, data };
}

/** Undefined if a token with this hash exists. */
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
        spend_limit_cents: order.spendLimitCents ?? null,
        compatibility_version: order.compatibilityVersion ?? null,
        person_id: order.personId ?? null,
        operator_role: order.operatorRole ?? null,
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
  spend_limit_cents: number | null;
  compatibility_version: string | null;
  person_id: string | null;
  operator_role: string | null;
  created_at: Date;
}): Token {
  return {
    id: row.id,
    name: row.name,
    scopes: asScopes(row.scopes),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    spendLimitCents: row.spend_limit_cents,
    compatibilityVersion: asCompatibilityVersion(row.compatibility_version),
    personId: row.person_id,
    operatorRole: asOperatorRole(row.operator_role),
    createdAt: row.created_at,
  };
}

export function asScopes(words: readonly string[]): Scope[] {
  return scopes.filter((scope) => words.includes(scope));
}

export function asTeamRole(word: string | null): TeamRole | null {
  return teamRoles.find((role) => role === word) ?? null;
}

function asOperatorRole(word: string | null): OperatorRole | null {
  return operatorRoles.find((role) => role === word) ?? null;
}
