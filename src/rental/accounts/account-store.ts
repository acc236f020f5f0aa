// Accounts: who rents, how much they may hold at once, and how much they hold now.
// Invariant: used_* equals what the account's instances, keys and file systems hold; it changes only here, in the
// transaction that changes them, and the quota is judged by the same UPDATE that counts.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { isUniqueViolation } from "../../database/constraints.ts";
import { RentalError } from "../errors.ts";
import { type Page, pageOf } from "../paging.ts";
import type { Tenant } from "../service.ts";
import { asUuid } from "../uuid.ts";

export const quotaNames = ["instances", "gpus", "vcpus", "ssh_keys", "file_systems"] as const;
export type QuotaName = (typeof quotaNames)[number];
export type Quotas = Readonly<Record<QuotaName, number>>;
export type AccountStatus = "active" | "inactive";

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly quotas: Quotas;
  readonly used: Quotas;
  readonly spendLimitCents: number | null;
  readonly createdAt: Date;
}

/** What may be set on an account; what is absent stays as it is. */
export interface AccountChange {
  readonly name?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly quotas?: Partial<Record<QuotaName, number | undefined>> | undefined;
  readonly spendLimitCents?: number | null | undefined;
}

/** Makes an account. Throws RentalError duplicate for a name already taken. */
export async function createAccount(
  tx: Transaction,
  order: { name: string; quotas: Quotas; status?: AccountStatus; spendLimitCents?: number | null },
): Promise<Account> {
  const id = uuidv7();
  try {
    await tx
      .insertInto("accounts")
      .values({
        id,
        name: order.name,
        status: order.status ?? "active",
        ...quotaColumns(order.quotas),
        spend_limit_cents: order.spendLimitCents ?? null,
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

/** The account of this name, if there is one. */
export async function findAccount(db: Database, name: string): Promise<Account | undefined> {
  const row = await db.selectFrom("accounts").selectAll().where("name", "=", name).executeTakeFirst();
  return row === undefined ? undefined : fromRow(row);
}

export async function listAccounts(db: Database, page: Page): Promise<Account[]> {
  const rows = await pageOf(db.selectFrom("accounts").selectAll(), "id", page).execute();
  return rows.map(fromRow);
}

/**
 * A quota may be set below what is in use: it only stops new things. `by`: who asks, and so cannot switch off itself,
 * for then nobody might be left who can switch it on. Throws RentalError unknown-object, duplicate, conflict.
 */
export async function changeAccount(tx: Transaction, id: string, change: AccountChange, by?: Tenant): Promise<Account> {
  if (change.status === "inactive" && by !== undefined && asUuid(id) === by.accountId) {
    throw new RentalError("conflict", {
      message: "An account cannot switch itself off.",
      suggestion: "Use a token of another operator's account.",
    });
  }
  const set = {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.status === undefined ? {} : { status: change.status }),
    ...quotaColumns(change.quotas ?? {}),
    ...(change.spendLimitCents === undefined ? {} : { spend_limit_cents: change.spendLimitCents }),
  };
  try {
    if (Object.keys(set).length > 0) await tx.updateTable("accounts").set(set).where("id", "=", asUuid(id)).execute();
  } catch (error) {
    throw isUniqueViolation(error, "accounts_name_key") ? nameTaken(change.name ?? "") : error;
  }
  return readAccount(tx, id);
}

/**
 * Counts what is taken into use against the account's quotas; the UPDATE itself is the judge of a race.
 * Call it last in a transaction: the account's row is the one that all launches of an account share, so its lock is
 * held for as short as can be. Throws RentalError quota-exceeded naming the first quota that would be passed.
 */
export async function takeQuota(tx: Transaction, accountId: string, take: Partial<Quotas>): Promise<void> {
  const n = { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0, ...take };
  const taken = await sql`
    update accounts set
      used_instances = used_instances + ${n.instances}, used_gpus = used_gpus + ${n.gpus},
      used_vcpus = used_vcpus + ${n.vcpus}, used_ssh_keys = used_ssh_keys + ${n.ssh_keys},
      used_file_systems = used_file_systems + ${n.file_systems}
    where id = ${accountId}
      and (${n.instances} = 0 or used_instances + ${n.instances} <= quota_instances)
      and (${n.gpus} = 0 or used_gpus + ${n.gpus} <= quota_gpus)
      and (${n.vcpus} = 0 or used_vcpus + ${n.vcpus} <= quota_vcpus)
      and (${n.ssh_keys} = 0 or used_ssh_keys + ${n.ssh_keys} <= quota_ssh_keys)
      and (${n.file_systems} = 0 or used_file_systems + ${n.file_systems} <= quota_file_systems)`.execute(tx);
  if (taken.numAffectedRows === 1n) return;
  const account = await readAccount(tx, accountId);
  const passed = quotaNames.find((name) => n[name] > 0 && account.used[name] + n[name] > account.quotas[name]);
  // Between the two statements another transaction may have given some back; the refusal still stands for this attempt.
  const what = passed ?? quotaNames.find((name) => n[name] > 0) ?? "instances";
  throw new RentalError("quota-exceeded", {
    what,
    limit: account.quotas[what],
    used: account.used[what],
    requested: n[what],
  });
}

/** Gives back what is no longer in use. */
export async function releaseQuota(tx: Transaction, accountId: string, give: Partial<Quotas>): Promise<void> {
  const n = { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0, ...give };
  await sql`
    update accounts set
      used_instances = used_instances - ${n.instances}, used_gpus = used_gpus - ${n.gpus},
      used_vcpus = used_vcpus - ${n.vcpus}, used_ssh_keys = used_ssh_keys - ${n.ssh_keys},
      used_file_systems = used_file_systems - ${n.file_systems}
    where id = ${accountId}`.execute(tx);
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
  row: Counts & { id: string; name: string; status: string; spend_limit_cents: number | null; created_at: Date },
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
    createdAt: row.created_at,
  };
}
