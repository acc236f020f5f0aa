// Accounts: their quotas, limits and current usage, which quotas.ts counts.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { isUniqueViolation } from "../../database/constraints.ts";
import { ask, type Question, question } from "../../database/round-trips.ts";
import {
  defaultTerms,
  leastBalanceCents,
  type PaymentTerms,
  type Terms,
  termsProblem,
} from "../../rules/payment-terms.ts";
import { readdressEmails } from "../emails/queue.ts";
import { invalid, RentalError } from "../errors.ts";
import type { EventType } from "../events/event-types.ts";
import { type NewEvent, recordEvents } from "../events/record.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Principal } from "../service.ts";
import { asUuid } from "../uuid.ts";
import { liftHold } from "./holds.ts";
import { retryWaits } from "./retry-waits.ts";
import { refuseRaisingOwnAccount } from "./token-limits.ts";

export const quotaNames = ["instances", "gpus", "vcpus", "ssh_keys", "file_systems"] as const;
export type QuotaName = (typeof quotaNames)[number];
export type Quotas = Readonly<Record<QuotaName, number>>;
export type AccountStatus = "active" | "inactive";

export interface Account extends Terms {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly quotas: Quotas;
  readonly used: Quotas;
  /** Per month. Null: no limit. */
  readonly spendLimitCents: number | null;
  /** Default and maximum lifetime of launches; null: no limit. */
  readonly maxLifetimeSeconds: number | null;
  /** Where emails about it go; null: it gets none. */
  readonly contactEmail: string | null;
  /** Kinds of emails that it does not get. */
  readonly disabledEmails: readonly string[];
  /** It is on hold (holds.ts). */
  readonly heldSince: Date | null;
  readonly createdAt: Date;
}

/** What can be changed of an account; absent fields stay unchanged. */
export interface AccountChange {
  readonly name?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly quotas?: Partial<Record<QuotaName, number | undefined>> | undefined;
  readonly spendLimitCents?: number | null | undefined;
  /** For launches from now on. */
  readonly maxLifetimeSeconds?: number | null | undefined;
  readonly paymentTerms?: PaymentTerms | undefined;
  /** Prepaid accounts have none: made prepaid without it, an account loses its own. */
  readonly creditLineCents?: number | null | undefined;
  readonly contactEmail?: string | null | undefined;
  /** All of them, instead of those before. */
  readonly disabledEmails?: readonly string[] | undefined;
  /** Whatever holds it. */
  readonly liftHold?: true | undefined;
}

export interface AccountOrder {
  name: string;
  quotas: Quotas;
  status?: AccountStatus;
  spendLimitCents?: number | null;
  maxLifetimeSeconds?: number | null;
  paymentTerms?: PaymentTerms | undefined;
  creditLineCents?: number | null;
  contactEmail?: string | null;
  disabledEmails?: readonly string[];
}

/** Throws RentalError duplicate if the name is taken, invalid-parameters. */
export async function createAccount(tx: Transaction, order: AccountOrder): Promise<Account> {
  const id = uuidv7();
  const terms = validTerms({
    paymentTerms: order.paymentTerms ?? defaultTerms,
    creditLineCents: order.creditLineCents ?? null,
  });
  try {
    await tx
      .insertInto("accounts")
      .values({
        id,
        name: order.name,
        status: order.status ?? "active",
        ...quotaColumns(order.quotas),
        spend_limit_cents: order.spendLimitCents ?? null,
        max_lifetime_seconds: order.maxLifetimeSeconds ?? null,
        ...termColumns(terms),
        contact_email: order.contactEmail ?? null,
        disabled_emails: [...new Set(order.disabledEmails)],
      })
      .execute();
  } catch (error) {
    throw isUniqueViolation(error, "accounts_name_key") ? nameTaken(order.name) : error;
  }
  return readAccount(tx, id);
}

/** Throws RentalError unknown-object. */
export async function readAccount(db: Database, id: string): Promise<Account> {
  const row = await db.selectFrom("accounts").selectAll().where("id", "=", asUuid(id)).executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "account", ids: [id] });
  return fromRow(row);
}

export async function findAccount(db: Database, name: string): Promise<Account | undefined> {
  const row = await db.selectFrom("accounts").selectAll().where("name", "=", name).executeTakeFirst();
  return row === undefined ? undefined : fromRow(row);
}

/**
 * The accounts, locked in order of id until the transaction ends, as they are under the lock. With "skip locked",
 * accounts that another transaction has locked are left out.
 */
export function lockedAccounts(
  tx: Transaction,
  ids: Iterable<string>,
  others: "wait" | "skip locked" = "wait",
): Question<Map<string, Account>> {
  const named = tx
    .selectFrom("accounts")
    .selectAll()
    .where(sql<boolean>`id = any(${[...new Set(ids)]}::uuid[])`);
  const locked = named.orderBy("id").forNoKeyUpdate();
  const query = others === "wait" ? locked : locked.skipLocked();
  return question(query, (rows) => new Map(rows.map((row) => [row.id, fromRow(row)])));
}

export async function listAccounts(db: Database, page: Page): Promise<Account[]> {
  const rows = await pageOf(db.selectFrom("accounts").selectAll(), "id", page).execute();
  return rows.map(fromRow);
}

/**
 * A quota can be set below current usage: it only stops new launches. `by`: the requesting token, which can neither
 * deactivate its own account, nor raise limits that apply to it. A new spend limit or lifetime is recorded as an event,
 * because it affects running or new instances. Throws RentalError unknown-object, duplicate, conflict.
 */
export async function changeAccount(
  tx: Transaction,
  id: string,
  change: AccountChange,
  by?: Principal,
): Promise<Account> {
  if (by !== undefined && asUuid(id) === by.accountId) await refuseAgainstItself(tx, change, by);
  const before = await boundsToChange(tx, id, change);
  const set = {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.status === undefined ? {} : { status: change.status }),
    ...quotaColumns(change.quotas ?? {}),
    ...(change.spendLimitCents === undefined ? {} : { spend_limit_cents: change.spendLimitCents }),
    ...(change.maxLifetimeSeconds === undefined ? {} : { max_lifetime_seconds: change.maxLifetimeSeconds }),
    ...(await changedTerms(tx, id, change)),
    ...(change.contactEmail === undefined ? {} : { contact_email: change.contactEmail }),
    ...(change.disabledEmails === undefined ? {} : { disabled_emails: [...new Set(change.disabledEmails)] }),
  };
  try {
    if (Object.keys(set).length > 0) await tx.updateTable("accounts").set(set).where("id", "=", asUuid(id)).execute();
  } catch (error) {
    throw isUniqueViolation(error, "accounts_name_key") ? nameTaken(change.name ?? "") : error;
  }
  if (change.liftHold === true) await liftHold(tx, asUuid(id));
  const account = await readAccount(tx, id);
  // Those that wait may live shorter or longer now, have money, or are to end.
  const termsChange = change.paymentTerms !== undefined || change.creditLineCents !== undefined;
  if (change.status !== undefined || change.maxLifetimeSeconds !== undefined || termsChange)
    await retryWaits(tx, { accountId: account.id });
  if (change.contactEmail !== undefined || change.disabledEmails !== undefined) await readdressEmails(tx, account.id);
  if (before !== undefined) await recordEvents(tx, boundEvents(before, account));
  return account;
}

interface Bounds {
  readonly spend_limit_cents: number | null;
  readonly max_lifetime_seconds: number | null;
}

/** The current limits, locked, so that concurrent changes are recorded separately. Undefined: nothing to record. */
async function boundsToChange(tx: Transaction, id: string, change: AccountChange): Promise<Bounds | undefined> {
  if (change.spendLimitCents === undefined && change.maxLifetimeSeconds === undefined) return undefined;
  const query = tx.selectFrom("accounts").select(["spend_limit_cents", "max_lifetime_seconds"]);
  return query.where("id", "=", asUuid(id)).forNoKeyUpdate().executeTakeFirst();
}

function boundEvents(before: Bounds, { id, spendLimitCents, maxLifetimeSeconds }: Account): NewEvent[] {
  const told = (type: EventType, changed: Partial<Bounds>): NewEvent => {
    return { accountId: id, type, subjectId: id, data: { account_id: id, ...changed } };
  };
  const events: NewEvent[] = [];
  if (before.spend_limit_cents !== spendLimitCents) {
    events.push(told("account.spend_limit_changed", { spend_limit_cents: spendLimitCents }));
  }
  if (before.max_lifetime_seconds !== maxLifetimeSeconds) {
    events.push(told("account.lifetime_changed", { max_lifetime_seconds: maxLifetimeSeconds }));
  }
  return events;
}

/** The columns after the change, under the account's lock. */
async function changedTerms(tx: Transaction, id: string, { paymentTerms, creditLineCents }: AccountChange) {
  if (paymentTerms === undefined && creditLineCents === undefined) return {};
  const before = (await ask(tx, lockedAccounts(tx, [asUuid(id)]))).get(asUuid(id));
  if (before === undefined) throw new RentalError("unknown-object", { what: "account", ids: [id] });
  return termColumns(validTerms(termsAfter(before, { paymentTerms, creditLineCents })));
}

function termsAfter(before: Terms, { paymentTerms = before.paymentTerms, creditLineCents }: AccountChange): Terms {
  const kept = paymentTerms === "prepaid" ? null : before.creditLineCents;
  return { paymentTerms, creditLineCents: creditLineCents === undefined ? kept : creditLineCents };
}

/** How far below zero its balance may be; null: without a bound. */
function creditOf(terms: Terms): number | null {
  const least = leastBalanceCents(terms);
  return least === null ? null : 0 - least;
}

function validTerms(terms: Terms): Terms {
  const problem = termsProblem(terms);
  if (problem !== undefined) throw invalid("credit_line_cents", problem);
  return terms;
}

function termColumns({ paymentTerms, creditLineCents }: Terms) {
  return { payment_terms: paymentTerms, credit_line_cents: creditLineCents };
}

async function refuseAgainstItself(tx: Transaction, change: AccountChange, by: Principal): Promise<void> {
  if (change.status === "inactive") {
    throw new RentalError("conflict", {
      message: "An account cannot deactivate itself.",
      suggestion: "Use a token of another operator's account.",
    });
  }
  if (change.liftHold === true) {
    throw new RentalError("conflict", {
      message: "An account cannot lift its own hold.",
      suggestion: "Use a token of another operator's account.",
    });
  }
  // Locked, so that the check still holds when the change is written.
  await tx.selectFrom("accounts").select("id").where("id", "=", by.accountId).forNoKeyUpdate().execute();
  const now = await readAccount(tx, by.accountId);
  const [creditCents, changed] = [creditOf(now), termsAfter(now, change)];
  await refuseRaisingOwnAccount(tx, by, { ...now, creditCents }, { ...change, creditCents: creditOf(changed) });
}

function quotaColumns<Q extends Partial<Record<QuotaName, number | undefined>>>(quotas: Q) {
  const columns: { [K in QuotaName as `quota_${K}`]?: number } = {};
  for (const name of quotaNames) {
    const value = quotas[name];
    if (value !== undefined) columns[`quota_${name}`] = value;
  }
  // With full Quotas every column is there; with a part, only those that change.
  return columns as Q extends Quotas ? { [K in QuotaName as `quota_${K}`]: number } : typeof columns;
}

function nameTaken(name: string): RentalError {
  return new RentalError("duplicate", {
    what: "account",
    field: "name",
    message: `An account named ${JSON.stringify(name)} exists already.`,
  });
}

type Counts = { [K in QuotaName as `quota_${K}`]: number } & { [K in QuotaName as `used_${K}`]: number };

function fromRow(
  row: Counts & {
    id: string;
    name: string;
    status: string;
    spend_limit_cents: number | null;
    max_lifetime_seconds: number | null;
    payment_terms: string;
    credit_line_cents: number | null;
    contact_email: string | null;
    disabled_emails: string[];
    held_since: Date | null;
    created_at: Date;
  },
): Account {
  const pick = (kind: "quota" | "used"): Quotas => ({
    instances: row[`${kind}_instances`],
    gpus: row[`${kind}_gpus`],
    vcpus: row[`${kind}_vcpus`],
    ssh_keys: row[`${kind}_ssh_keys`],
    file_systems: row[`${kind}_file_systems`],
  });
  return {
    id: row.id,
    name: row.name,
    status: row.status === "active" ? "active" : "inactive",
    quotas: pick("quota"),
    used: pick("used"),
    spendLimitCents: row.spend_limit_cents,
    maxLifetimeSeconds: row.max_lifetime_seconds,
    paymentTerms: row.payment_terms === "prepaid" ? "prepaid" : "postpaid",
    creditLineCents: row.credit_line_cents,
    contactEmail: row.contact_email,
    disabledEmails: row.disabled_emails,
    heldSince: row.held_since,
    createdAt: row.created_at,
  };
}
