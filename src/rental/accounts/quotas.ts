// An account's usage, counted against its quotas. Invariant: used_* equals what the account's instances, keys and file
// systems use; it changes only here and in capacity/release.ts, in the transaction that changes them. A quota is
// checked under the account's lock: by the UPDATE that counts, or after locking. Instances of a reservation are counted,
// and are within the quotas that were checked when it was made (reservations/admit.ts).

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { behind } from "../../database/round-trips.ts";
import { RentalError } from "../errors.ts";
import { type Account, type QuotaName, type Quotas, quotaNames, readAccount } from "./account-store.ts";

export type LaunchUse = Pick<Quotas, "instances" | "gpus" | "vcpus">;

/**
 * Adds usage within the account's quotas; the UPDATE itself decides races. Call it last in a transaction: all launches
 * of an account need its row, so the lock should be short. Throws RentalError quota-exceeded for the first exceeded
 * quota.
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
  // Another transaction might have released some since; this attempt is still rejected.
  throw quotaRefusal(account, n) ?? exceeded(quotaNames.find((name) => n[name] > 0) ?? "instances", account, n);
}

/** The error for the first exceeded quota; undefined if none is exceeded. */
export function quotaRefusal(
  account: Pick<Account, "quotas" | "used">,
  take: Partial<Quotas>,
): RentalError | undefined {
  const passed = quotaNames.find((name) => {
    const n = take[name] ?? 0;
    return n > 0 && account.used[name] + n > account.quotas[name];
  });
  return passed === undefined ? undefined : exceeded(passed, account, take);
}

function exceeded(
  what: QuotaName,
  { quotas, used }: Pick<Account, "quotas" | "used">,
  take: Partial<Quotas>,
): RentalError {
  return new RentalError("quota-exceeded", { what, limit: quotas[what], used: used[what], requested: take[what] ?? 0 });
}

/** Adds the usage of launches per account. The caller has locked the accounts and checked quotas (quotaRefusal). */
export async function addUse(tx: Transaction, taken: ReadonlyMap<string, LaunchUse>): Promise<void> {
  const of = (name: keyof LaunchUse) => [...taken.values()].map((use) => use[name]);
  const statement = sql`
    update accounts set used_instances = used_instances + t.instances, used_gpus = used_gpus + t.gpus,
      used_vcpus = used_vcpus + t.vcpus
    from unnest(${[...taken.keys()]}::uuid[], ${of("instances")}::integer[], ${of("gpus")}::integer[],
      ${of("vcpus")}::integer[]) as t (id, instances, gpus, vcpus)
    where accounts.id = t.id`;
  await behind(statement).execute(tx);
}

/** Releases usage. */
export async function releaseQuota(tx: Transaction, accountId: string, give: Partial<Quotas>): Promise<void> {
  const n = { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0, ...give };
  await sql`
    update accounts set
      used_instances = used_instances - ${n.instances}, used_gpus = used_gpus - ${n.gpus},
      used_vcpus = used_vcpus - ${n.vcpus}, used_ssh_keys = used_ssh_keys - ${n.ssh_keys},
      used_file_systems = used_file_systems - ${n.file_systems}
    where id = ${accountId}`.execute(tx);
}
