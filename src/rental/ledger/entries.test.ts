// The ledger keeps what it was given: kinds, signs and accounts are those of rules/ledger.ts, an entry adds up to zero, and
// nothing is changed or counted twice, whatever is asked of the database.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { hasSignOf, ledgerAccounts, ledgerKindNames, ledgerKinds } from "../../rules/ledger.ts";
import type { Principal } from "../service.ts";
import { readBalance } from "./balance.ts";
import { ledgerDifferences } from "./differences.ts";
import { listEntries, type NewEntry, postEntry } from "./entries.ts";

const world = worldOfFile();
let principal: Principal;
beforeEach(async () => {
  principal = await world.account();
});

const order = (more: Partial<NewEntry> = {}): NewEntry => ({
  ...{ accountId: principal.accountId, kind: "top_up", amountMicroCents: 5_000_000n, cause: "DE-1" },
  ...{ reference: "DE-1", reason: "Agreed", tokenId: principal.tokenId, ...more },
});
const post = (more?: Partial<NewEntry>) => world.tx((tx) => postEntry(tx, order(more)));

/** The words in quotation marks of a check of the database. */
async function wordsOf(constraint: string): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select pg_get_constraintdef(oid) as text from pg_constraint where conname = ${constraint}`.execute(world.db);
  return [...(rows[0]?.text.matchAll(/'([a-z_]+(?: [a-z]+ [+-])?)'/g) ?? [])].map(([, words]) => words ?? "");
}

describe("the database's checks", () => {
  it("have the kinds of the table, and what each needs", async () => {
    const kindsWith = (need: "needsReference" | "needsReason" | "isMonthly") =>
      ledgerKindNames.filter((kind) => ledgerKinds[kind][need]);
    expect(await wordsOf("ledger_entries_kind_check")).toEqual(ledgerKindNames);
    expect(await wordsOf("ledger_entries_reference")).toEqual(kindsWith("needsReference"));
    expect(await wordsOf("ledger_entries_reason")).toEqual(kindsWith("needsReason"));
    expect(await wordsOf("ledger_entries_monthly")).toEqual(kindsWith("isMonthly"));
  });

  it("allow each kind its accounts and signs, and no others", async () => {
    const allowed = ledgerKindNames.flatMap((kind) =>
      [1n, -1n]
        .filter((amount) => hasSignOf(kind, amount))
        .flatMap((amount) => [
          `${kind} balance ${amount > 0n ? "+" : "-"}`,
          `${kind} ${ledgerKinds[kind].against} ${amount > 0n ? "-" : "+"}`,
        ]),
    );
    expect((await wordsOf("ledger_lines_of_kind")).toSorted()).toEqual(allowed.toSorted());
    expect(new Set(allowed.map((words) => words.split(" ")[1]))).toEqual(new Set(Object.keys(ledgerAccounts)));
  });

  it("hold at the end of a transaction that an entry adds up to zero", async () => {
    const entry = sql`insert into ledger_entries (account_id, kind, cause, reference)
      values (${principal.accountId}, 'top_up', 'x', 'x') returning id`;
    const line = (account: string, amount: number) => sql`
      insert into ledger_lines select id, account_id, kind, ${account}, ${amount} from ledger_entries where cause = 'x'`;
    for (const lines of [[], [line("balance", 1)], [line("balance", 2), line("cash", -1)]]) {
      const written = world.tx(async (tx) => {
        for (const statement of [entry, ...lines]) await statement.execute(tx);
      });
      await expect(written).rejects.toThrow("add up to zero");
    }
    await world.tx(async (tx) => {
      for (const statement of [entry, line("balance", 1), line("cash", -1)]) await statement.execute(tx);
    });
    expect(await ledgerDifferences(world.db)).toEqual([]);
    // Nor can a line be added later.
    const late = sql`insert into ledger_lines select id, account_id, kind, 'revenue', 1 from ledger_entries`;
    await expect(late.execute(world.db)).rejects.toThrow("ledger_lines_of_kind");
  });

  it.each([
    "update ledger_entries set reason = 'other'",
    "delete from ledger_entries",
    "truncate ledger_entries cascade",
    "update ledger_lines set amount_micro_cents = amount_micro_cents * 2",
    "delete from ledger_lines",
    "truncate ledger_lines",
  ])("refuse: %s", async (statement) => {
    await post();
    await expect(sql.raw(statement).execute(world.db)).rejects.toThrow("never changes");
  });
});

describe("posting", () => {
  it.each(ledgerKindNames.filter((kind) => !ledgerKinds[kind].isMonthly))(
    "a %s changes the balance by it",
    async (kind) => {
      const amountMicroCents = hasSignOf(kind, 1n) ? 7n : -7n;
      expect(await post({ kind, amountMicroCents })).toMatchObject({
        kind,
        amountMicroCents,
        balanceMicroCents: amountMicroCents,
      });
      expect(await readBalance(world.db, principal.accountId)).toMatchObject({
        ...{ microCents: amountMicroCents, postedMicroCents: amountMicroCents, pendingMicroCents: 0n },
      });
      const { rows } = await sql<{ account: string }>`
      select ledger_account as account from ledger_lines where amount_micro_cents = ${String(-amountMicroCents)}`.execute(
        world.db,
      );
      expect(rows).toEqual([{ account: ledgerKinds[kind].against }]);
      expect(await booksDisagree(world.db)).toEqual([]);
    },
  );

  it("the same cause again does nothing, also at once, and another kind's cause is another", async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => post()));
    expect(made.filter((entry) => entry !== undefined)).toHaveLength(1);
    expect(await post({ amountMicroCents: 1n })).toBeUndefined();
    expect(await post({ kind: "chargeback", amountMicroCents: -5_000_000n })).toMatchObject({ balanceMicroCents: 0n });
  });

  it("takes no amount of the other sign", async () => {
    await expect(post({ amountMicroCents: -1n })).rejects.toThrow(
      "BUG: an entry of the kind top_up with the amount -1",
    );
    await expect(post({ amountMicroCents: 0n })).rejects.toThrow("BUG");
  });

  it("keeps amounts that a number does not hold exactly", async () => {
    const amountMicroCents = 2n ** 70n + 1n;
    await post({ amountMicroCents });
    expect((await readBalance(world.db, principal.accountId)).microCents).toBe(amountMicroCents);
  });
});

it("lists an account's entries, newest first, each with the balance after it, page by page", async () => {
  const other = await world.account();
  for (const [n, accountId] of [principal, other, principal, principal].map(
    (by, index) => [index + 1, by.accountId] as const,
  )) {
    await post({ cause: `${n}`, accountId, amountMicroCents: BigInt(n) });
  }
  const all = await listEntries(world.db, principal.accountId, {});
  expect(all.map((entry) => [entry.amountMicroCents, entry.balanceMicroCents])).toEqual([
    [4n, 8n],
    [3n, 4n],
    [1n, 1n],
  ]);
  const second = await listEntries(world.db, principal.accountId, { after: `${all[0]?.id}`, limit: 1 });
  expect(second).toEqual([all[1]]);
});
