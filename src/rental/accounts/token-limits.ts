// Limits of what a token can do with tokens and limits, and whose tokens it creates (rules/roles.ts). Used by the control
// interface, for operators and accounts, and for replayed responses (http/api/idempotency.ts).
//
// Invariant: no token can exceed its own spend limit or expiry by its own actions. So a token cannot raise its own
// limit. A token with a spend limit can raise no limit in its account, the account's included; it creates no tokens
// that can write or operate, in any account, because those would bypass its limit; and it neither revokes nor limits a
// token without a limit, because the account could lose its only less limited token, and with a limit of 0 that token's
// instances; nor does it change roles or remove a person with such a token. A token that expires creates only tokens that expire no later. No token gets the response to a request of
// a less limited token, because that can contain such a token. What a token launched counts against its limit, even
// after the token is revoked.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { fullOperator, type OperatorRole } from "../../rules/roles.ts";
import { invalid, RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { findMember, lockTeam, type PeopleChange, requireOverToken } from "../people/members.ts";
import { forbids, type Through } from "../people/permits.ts";
import type { Principal, Scope } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { createToken, readToken, revokeToken, type Token, type TokenOrder } from "./token-store.ts";

/** Scopes with which a token can spend, or create one that can. */
const powers: readonly Scope[] = ["write", "operator"];

/** Undefined: as the requesting token; `personId` of an operator's request: null. */
export interface TokenRequest extends Omit<TokenOrder, "expiresAt" | "personId" | "operatorRole"> {
  readonly expiresAt: Date | null | undefined;
  readonly personId?: string | null | undefined;
  readonly operatorRole?: OperatorRole | undefined;
}

/** As createToken, on behalf of `by`. Also throws RentalError conflict, invalid-parameters, role-forbids. */
export async function createTokenBy(
  tx: Transaction,
  by: Principal,
  wish: TokenRequest,
  through: Through,
): Promise<Token & { token: string }> {
  const own = await ownBounds(tx, by);
  if (own.spendLimitCents !== null && wish.scopes.some((scope) => powers.includes(scope))) {
    throw refused(
      "A token with a spend limit cannot create tokens with the scopes write or operator: they would bypass the limit.",
    );
  }
  const operatorRole = operatorRoleOf(by, wish);
  const personId = await holderOf(tx, { by, accountId: wish.accountId, through }, wish.personId);
  return createToken(tx, { ...wish, personId, operatorRole, expiresAt: expiryWithin(own.expiresAt, wish.expiresAt) });
}

/** Whose a new token is; null: the team's. People create only their own, and with the right those of the team. */
async function holderOf(
  tx: Transaction,
  change: PeopleChange,
  asked: string | null | undefined,
): Promise<string | null> {
  const own = change.through === "team" ? (change.by.person?.id ?? null) : null;
  const personId = typeof asked === "string" ? asUuid(asked) : asked === undefined ? own : null;
  if (personId === null) {
    if (own !== null) await requireOverToken(tx, change, null);
    return null;
  }
  await lockTeam(tx, change.accountId);
  if (change.through === "team" && personId !== own)
    throw invalid("person_id", "People create their tokens themselves.");
  if ((await findMember(tx, change.accountId, personId)) === undefined)
    throw invalid("person_id", "Is not of a person in this team.");
  return personId;
}

function operatorRoleOf(by: Principal, { scopes, operatorRole }: TokenRequest): OperatorRole | null {
  const isOperator = scopes.includes("operator");
  if (operatorRole !== undefined && !isOperator) throw invalid("operator_role", "Requires the scope operator.");
  const role = isOperator ? (operatorRole ?? by.operatorRole ?? null) : null;
  if (isOperator) refuseOtherOperator(by, role);
  return role;
}

/** Throws RentalError role-forbids unless `by` may create, limit and revoke tokens of operators with this role. */
function refuseOtherOperator(by: Principal, role: OperatorRole | null): void {
  const own = by.operatorRole ?? fullOperator;
  if (own !== fullOperator && (role ?? fullOperator) !== own) throw forbids(by, "tokens", "operator");
}

/** Throws RentalError conflict if `by` has a spend limit. `what`: what would bypass it. */
export async function refuseWithSpendLimit(tx: Transaction, by: Principal, what: string): Promise<void> {
  if ((await ownBounds(tx, by)).spendLimitCents === null) return;
  throw refused(`A token with a spend limit cannot ${what}: they would bypass the limit.`);
}

/**
 * Throws RentalError conflict if `by` has a spend limit and this person's removal from its account revokes a token
 * without one. Locks the account until the transaction ends, as a change of a limit does.
 */
export async function refuseRevokingTokensOf(tx: Transaction, by: Principal, personId: string): Promise<void> {
  await lockTeam(tx, by.accountId);
  if ((await ownBounds(tx, by)).spendLimitCents === null) return;
  const { rows } = await sql`select from tokens where account_id = ${by.accountId} and person_id = ${asUuid(personId)}
    and revoked_at is null and spend_limit_cents is null limit 1`.execute(tx);
  if (rows.length > 0) throw refused("A token with a spend limit cannot remove a person who has a token without one.");
}

function expiryWithin(own: Date | null, asked: Date | null | undefined): Date | null {
  if (asked === undefined) return own;
  if (own === null || (asked !== null && asked.getTime() <= own.getTime())) return asked;
  const message = `This token expires at ${own.toISOString()} and cannot create tokens that expire later. Omit the field for the same expiration.`;
  throw invalid("expires_at", message);
}

/**
 * Whether `by` can get the response to another token of its account: it has no spend limit, does not expire earlier,
 * and is the same person's, or also the team's, with the same role of operators. `firstId` null or unknown: a token of
 * the team that never expires. Scopes are not checked.
 */
export async function isHeldByNoMore(tx: Transaction, by: Principal, firstId: string | null): Promise<boolean> {
  if (by.tokenId === firstId) return true;
  const { rows } = await sql`
    select from tokens own left join tokens first on first.id = ${firstId}
    where own.id = ${by.tokenId} and own.spend_limit_cents is null
      and own.person_id is not distinct from first.person_id
      and own.operator_role is not distinct from first.operator_role
      and coalesce(own.expires_at, 'infinity') >= coalesce(first.expires_at, 'infinity')`.execute(tx);
  return rows.length > 0;
}

/** Throws RentalError conflict if `by` has a spend limit and the change raises a limit of its own account. */
export async function refuseRaisingOwnAccount(
  tx: Transaction,
  by: Principal,
  now: AccountBounds,
  change: { readonly [K in keyof AccountBounds]?: number | null | undefined },
): Promise<void> {
  const raised = [
    isRaised(now.spendLimitCents, change.spendLimitCents),
    isRaised(now.maxLifetimeSeconds, change.maxLifetimeSeconds),
    isRaised(now.creditCents, change.creditCents),
  ].some(Boolean);
  if (raised && (await ownBounds(tx, by)).spendLimitCents !== null) {
    throw refused("A token with a spend limit cannot raise the limits of its own account.");
  }
}

/** Limits of all launches of an account; null: none. */
interface AccountBounds {
  readonly spendLimitCents: number | null;
  readonly maxLifetimeSeconds: number | null;
  /** How far below zero its balance may be. */
  readonly creditCents: number | null;
}

/** Sets the spend limit of one of the account's tokens; null: none. Throws as revokeTokenBy. */
export async function limitToken(
  tx: Transaction,
  by: Principal,
  accountId: string,
  id: string,
  spendLimitCents: number | null,
): Promise<Token> {
  // Serializes changes of an account's limits, so that the check still holds when the change is written.
  await tx.selectFrom("accounts").select("id").where("id", "=", asUuid(accountId)).forNoKeyUpdate().execute();
  const token = await readToken(tx, accountId, id);
  if (token.scopes.includes("operator")) refuseOtherOperator(by, token.operatorRole);
  const own = await ownBounds(tx, by);
  if (own.spendLimitCents !== null && token.spendLimitCents === null && spendLimitCents !== null) {
    throw refused("A token with a spend limit cannot limit a token without one.");
  }
  const raised = isRaised(token.spendLimitCents, spendLimitCents);
  if (raised && token.id === by.tokenId) throw refused("A token cannot raise its own spend limit.");
  if (raised && asUuid(accountId) === by.accountId && own.spendLimitCents !== null) {
    throw refused("A token with a spend limit cannot raise another token's limit.");
  }
  await tx.updateTable("tokens").set({ spend_limit_cents: spendLimitCents }).where("id", "=", token.id).execute();
  if (spendLimitCents !== token.spendLimitCents) {
    const data = { token_id: token.id, name: token.name, spend_limit_cents: spendLimitCents };
    const type = "token.spend_limit_changed";
    await recordEvents(tx, [{ accountId: asUuid(accountId), type, subjectId: token.id, data }]);
  }
  return { ...token, spendLimitCents };
}

/** As revokeToken, on behalf of `by`. Throws RentalError unknown-object, conflict, role-forbids. */
export async function revokeTokenBy(tx: Transaction, by: Principal, accountId: string, id: string): Promise<void> {
  const { scopes, operatorRole } = await readToken(tx, accountId, id);
  if (scopes.includes("operator")) refuseOtherOperator(by, operatorRole);
  if ((await ownBounds(tx, by)).spendLimitCents !== null) {
    // As in limitToken: waits for a concurrent change of the limit.
    await tx.selectFrom("accounts").select("id").where("id", "=", asUuid(accountId)).forNoKeyUpdate().execute();
    const token = await readToken(tx, accountId, id);
    if (token.spendLimitCents === null && token.revokedAt === null) {
      throw refused("A token with a spend limit cannot revoke a token without one.");
    }
  }
  await revokeToken(tx, accountId, id);
}

/** Null is no limit; undefined changes nothing. */
function isRaised(from: number | null, to: number | null | undefined): boolean {
  return from !== null && to !== undefined && (to ?? Infinity) > from;
}

async function ownBounds(
  tx: Transaction,
  by: Principal,
): Promise<{ spendLimitCents: number | null; expiresAt: Date | null }> {
  const query = tx.selectFrom("tokens").select(["spend_limit_cents", "expires_at"]).where("id", "=", by.tokenId);
  const own = await query.executeTakeFirst();
  return { spendLimitCents: own?.spend_limit_cents ?? null, expiresAt: own?.expires_at ?? null };
}

function refused(message: string): RentalError {
  return new RentalError("conflict", { message, suggestion: "Use a token of the account without a spend limit." });
}
