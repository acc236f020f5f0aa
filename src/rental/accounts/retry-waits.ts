// Has launches that wait tried again, because what they may have or do has changed. Used by account-store.ts,
// holds.ts, token-store.ts and the ledger; quotas and spend limits are told by triggers.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { waitingState } from "../../rules/waiting-launches.ts";
import { wakeReconciler } from "../instances/wake.ts";

/** Those of an account, or of a token. */
export async function retryWaits(
  tx: Transaction,
  of: { readonly accountId: string } | { readonly tokenId: string },
): Promise<void> {
  const theirs = "accountId" in of ? sql`account_id = ${of.accountId}` : sql`token_id = ${of.tokenId}`;
  const { numAffectedRows = 0n } = await sql`
    update waiting_launches set next_try_at = now() where state = ${sql.lit(waitingState)} and ${theirs}`.execute(tx);
  if (numAffectedRows > 0n) await wakeReconciler(tx, "launches");
}
