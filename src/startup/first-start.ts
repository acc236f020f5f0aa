// The first start on a database: creates the accounts and tokens of the operator and the demo customer, its owner, and the
// demo data.
//
// Invariant: tokens are created, used and printed under one lock, and the first start counts as completed only after
// that. If it was killed, the next start repeats it, and revokes tokens that might not have been seen. Of several
// replicas that start at once, one does it and the others wait.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../database/connect.ts";
import { inTransaction } from "../database/transaction.ts";
import { type Account, createAccount, findAccount, type Quotas } from "../rental/accounts/account-store.ts";
import { createToken, presetToken } from "../rental/accounts/token-store.ts";
import type { Scope } from "../rental/service.ts";
import { keptRole } from "../rules/roles.ts";

export interface FirstTokens {
  /** Undefined if the operator preset one (LESSOR_OPERATOR_TOKEN). */
  readonly operator: string | undefined;
  /** Undefined without the demo. */
  readonly customer: string | undefined;
}

export interface StartSettings {
  readonly demo: boolean;
  readonly operatorToken: string | undefined;
  readonly quotas: Quotas;
}

const operatorName = "operator";
const customerName = "demo";
/** Of the owner of the demo customer's account. */
export const demoAddress = "demo@example.com";
const firstTokenName = "first start";
const presetTokenName = "LESSOR_OPERATOR_TOKEN";
const everyScope: readonly Scope[] = ["read", "write", "operator"];

/**
 * Makes sure that the operator's account and preset token exist. On the first start also creates the first tokens and
 * calls `finish`, which loads the demo and shows the tokens; if that throws, the next start is a first start again.
 */
export async function firstStart(
  db: Database,
  settings: StartSettings,
  finish: (tokens: FirstTokens) => Promise<void>,
): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext('lessor first start'))`.execute(connection);
    try {
      const done = await connection
        .selectFrom("settings")
        .select("name")
        .where("name", "=", "first-start")
        .executeTakeFirst();
      const tokens = await inTransaction(db, (tx) => makeTokens(tx, settings, done === undefined));
      if (done !== undefined) return;
      await finish(tokens);
      await connection.insertInto("settings").values({ name: "first-start", value: '"done"' }).execute();
    } finally {
      await sql`select pg_advisory_unlock(hashtext('lessor first start'))`.execute(connection);
    }
  });
}

async function makeTokens(tx: Transaction, settings: StartSettings, first: boolean): Promise<FirstTokens> {
  const operator = await ensureAccount(tx, operatorName, settings.quotas);
  const preset = { accountId: operator.id, name: presetTokenName, scopes: everyScope, expiresAt: null };
  await presetToken(tx, preset, settings.operatorToken);
  if (!first) return { operator: undefined, customer: undefined };
  return {
    operator: settings.operatorToken === undefined ? await freshToken(tx, operator, everyScope) : undefined,
    customer: settings.demo ? await makeCustomer(tx, settings.quotas) : undefined,
  };
}

/** The demo customer's account, with an owner who can sign in by email. Returns a token. */
async function makeCustomer(tx: Transaction, quotas: Quotas): Promise<string> {
  const account = await ensureAccount(tx, customerName, quotas);
  const { rows } = await sql`select from memberships where account_id = ${account.id} limit 1`.execute(tx);
  if (rows.length === 0) {
    const id = uuidv7();
    await tx.insertInto("people").values({ id, name: "Demo", email: demoAddress }).execute();
    await tx.insertInto("memberships").values({ account_id: account.id, person_id: id, role: keptRole }).execute();
  }
  return freshToken(tx, account, ["read", "write"]);
}

async function ensureAccount(tx: Transaction, name: string, quotas: Quotas): Promise<Account> {
  return (await findAccount(tx, name)) ?? createAccount(tx, { name, quotas });
}

async function freshToken(tx: Transaction, account: Account, scopes: readonly Scope[]): Promise<string> {
  await revokeNamed(tx, account, firstTokenName);
  const made = await createToken(tx, { accountId: account.id, name: firstTokenName, scopes, expiresAt: null });
  return made.token;
}

async function revokeNamed(tx: Transaction, account: Account, name: string): Promise<void> {
  await sql`update tokens set revoked_at = now()
    where account_id = ${account.id} and name = ${name} and revoked_at is null`.execute(tx);
}
