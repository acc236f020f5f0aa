// An account's spend limit, as far as a launch is concerned: nothing new once the month's limit is reached.

import type { Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import type { Tenant } from "../service.ts";
import { costThisMonth } from "./usage.ts";

const microCentsPerCent = 1_000_000n;

/** Throws RentalError spend-limit-exceeded when this month's use has reached the account's limit. */
export async function refuseOverSpendLimit(tx: Transaction, tenant: Tenant): Promise<void> {
  const account = await tx
    .selectFrom("accounts")
    .select("spend_limit_cents")
    .where("id", "=", tenant.accountId)
    .executeTakeFirst();
  const limitCents = account?.spend_limit_cents ?? null;
  if (limitCents === null) return;
  if ((await costThisMonth(tx, tenant.accountId)) < BigInt(limitCents) * microCentsPerCent) return;
  throw new RentalError("spend-limit-exceeded", { limitCents });
}
