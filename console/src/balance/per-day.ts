// The balance at the end of each day, from the entries of a ledger. Pure.

import type { Shape } from "../../../src/client/client.ts";

type Entry = Pick<Shape<"LedgerEntry">, "created_at" | "until" | "amount_micro_cents" | "balance_micro_cents">;

export interface DayBalance {
  /** 2026-03-01, in UTC. */
  readonly day: string;
  /** Undefined: the entries do not reach back that far. */
  readonly microCents: bigint | undefined;
}

/** The last day of what an entry counts: usage is posted after the day that it is of. */
function dayOf({ created_at: created, until }: Entry): string {
  const last = until === null ? Date.parse(created) : Math.min(Date.parse(until) - 1, Date.parse(created));
  return new Date(last).toISOString().slice(0, 10);
}

/**
 * `entries`: newest first. `isWhole`: there are no older ones. `days`: as 2026-03-01, in order; the last is today, which has
 * the present balance, with the usage that no entry has yet.
 */
export function balancePerDay(
  entries: readonly Entry[],
  { days, isWhole, present }: { readonly days: readonly string[]; readonly isWhole: boolean; readonly present: bigint },
): readonly DayBalance[] {
  const first = entries.at(-1)?.created_at.slice(0, 10);
  const changes = entries
    .map((entry) => ({ day: dayOf(entry), amount: BigInt(entry.amount_micro_cents) }))
    .sort((one, other) => (one.day < other.day ? 1 : one.day > other.day ? -1 : 0));
  let balance = BigInt(entries[0]?.balance_micro_cents ?? "0");
  let next = 0;
  const balances = days.toReversed().map((day, ago): DayBalance => {
    for (let change = changes[next]; change !== undefined && change.day > day; change = changes[next]) {
      balance -= change.amount;
      next += 1;
    }
    const isKnown = isWhole || (first !== undefined && day >= first);
    return { day, microCents: ago === 0 ? present : isKnown ? balance : undefined };
  });
  return balances.reverse();
}
