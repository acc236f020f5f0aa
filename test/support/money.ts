// Money in a world (world.ts), for tests: paid to an account, and what its balance is then.

import { readFunds } from "../../src/rental/funds/funds.ts";
import { postEntry } from "../../src/rental/ledger/entries.ts";
import type { Principal } from "../../src/rental/service.ts";
import type { World } from "./world.ts";

/** Adds so many cents to the balance; below zero: takes them away. */
export async function pay(world: World, { accountId, tokenId }: Principal, cents: number): Promise<void> {
  await world.tx((tx) =>
    postEntry(tx, {
      ...{ accountId, kind: "adjustment", amountMicroCents: BigInt(cents) * 1_000_000n, tokenId },
      ...{ cause: crypto.randomUUID(), reason: "for a test" },
    }),
  );
}

/** Throws if its balance has no bound. */
export async function fundsOf(world: World, { accountId }: Principal) {
  const [funds] = await readFunds(world.db, { accountIds: [accountId] });
  if (funds === undefined) throw new Error(`the balance of ${accountId} has no bound`);
  return funds;
}
