// Vouchers and what operators record: each is worth its amount once, however many ask at once, and no more is paid back than
// was paid.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Principal } from "../service.ts";
import { readBalance } from "./balance.ts";
import { type OrderByHand, postByHand } from "./by-hand.ts";
import { createVoucher, deleteVoucher, listVouchers, redeemVoucher, type VoucherOrder } from "./vouchers.ts";

const world = worldOfFile();
const cent = 1_000_000n;
let [principal, operator]: Principal[] = [];
beforeEach(async () => {
  [principal, operator] = [await world.account(), await world.account()];
});
const customer = () => principal ?? expect.fail("it was made before");

const create = (more: Partial<VoucherOrder> = {}) =>
  world.tx((tx) => createVoucher(tx, { name: "Welcome", amountCents: 500, maxUses: 1, expiresAt: null, ...more }));
const redeem = (by: Principal, code: string) => world.tx((tx) => redeemVoucher(tx, by, code));
const balance = async (of: Principal = customer()) => (await readBalance(world.db, of.accountId)).microCents;

describe("a voucher", () => {
  it("is redeemed with its code, however that is typed, and the code is stored nowhere", async () => {
    const { code } = await create();
    expect(code).toMatch(/^([2-9A-HJ-NP-Z]{5}-){3}[2-9A-HJ-NP-Z]{5}$/);
    const { rows } = await sql<{ text: string }>`select string_agg(v::text, '') as text from vouchers v`.execute(
      world.db,
    );
    expect(rows[0]?.text).not.toContain(code.slice(0, 5));
    const entry = await redeem(customer(), ` ${code.toLowerCase().replaceAll("-", " ")}`);
    expect(entry).toMatchObject({ kind: "voucher", amountMicroCents: 500n * cent, reference: "Welcome" });
    expect(await balance()).toBe(500n * cent);
  });

  it("counts once for an account that asks many times at once", async () => {
    const { code } = await create({ maxUses: 10 });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => redeem(customer(), code)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await refusal("conflict", redeem(customer(), code))).toMatchObject({
      message: expect.stringContaining("before"),
    });
    expect(await balance()).toBe(500n * cent);
    expect(await listVouchers(world.db, {})).toMatchObject([{ uses: 1 }]);
  });

  it("is used up by as many accounts as it is for, when more ask at once", async () => {
    const { code } = await create({ maxUses: 2 });
    const accounts = await Promise.all([1, 2, 3, 4, 5].map(() => world.account()));
    const outcomes = await Promise.allSettled(accounts.map((one) => redeem(one, code)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await refusal("conflict", redeem(customer(), code))).toMatchObject({ message: "This voucher is used up." });
    const balances = await Promise.all(accounts.map((one) => balance(one)));
    expect(balances.reduce((sum, one) => sum + one, 0n)).toBe(1000n * cent);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("is refused when it has expired, was deleted, or never was, without its code in the message", async () => {
    const expired = await create({ expiresAt: new Date(0) });
    expect(await refusal("conflict", redeem(customer(), expired.code))).toMatchObject({
      message: "This voucher has expired.",
    });
    const gone = await create();
    await world.tx((tx) => deleteVoucher(tx, gone.id));
    for (const code of [gone.code, "never"]) {
      const { fields } = await refusal("unknown-name", redeem(customer(), code));
      expect(fields).toEqual({
        code: { code: "global/object-does-not-exist", message: "There is no voucher with this code." },
      });
    }
    expect(await balance()).toBe(0n);
  });

  it("can have a code that the operator chose, which no other voucher has", async () => {
    await create({ code: "GTC-2026-SPRING" });
    expect(await refusal("duplicate", create({ code: "gtc2026spring" }))).toMatchObject({ field: "code" });
    await redeem(customer(), "GTC-2026-SPRING");
  });

  it("that is deleted leaves what was redeemed", async () => {
    const { id, code } = await create();
    await redeem(customer(), code);
    await world.tx((tx) => deleteVoucher(tx, id));
    expect(await balance()).toBe(500n * cent);
    await expect(world.tx((tx) => deleteVoucher(tx, id))).rejects.toMatchObject({ kind: "unknown-object" });
  });
});

describe("what operators record", () => {
  const byHand = (more: Partial<OrderByHand>) =>
    world.tx((tx) =>
      postByHand(tx, operator ?? expect.fail("it was made before"), {
        ...{ accountId: customer().accountId, kind: "top_up", cents: 1000, reference: "DE-1" },
        ...more,
      }),
    );
  const refund = (cents: number, reference = "R-1") => byHand({ kind: "refund", cents, reference, reason: "Asked" });

  it("is a payment once for its reference, for any account, also at once", async () => {
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => byHand({})));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await refusal("duplicate", byHand({ accountId: (await world.account()).accountId }))).toMatchObject({
      field: "reference",
      message: 'The reference "DE-1" was recorded before.',
    });
    expect(await balance()).toBe(1000n * cent);
  });

  it("is no refund of more than was paid, or than is left, also when two are asked for at once", async () => {
    expect(await refusal("conflict", refund(1))).toMatchObject({
      message: expect.stringMatching(/^Nothing can be paid back/),
    });
    await byHand({});
    await byHand({ kind: "adjustment", cents: 200, reference: undefined, reason: "Outage" });
    expect(await refusal("conflict", refund(1001))).toMatchObject({
      message: expect.stringMatching(/^At most 1000 cents/),
    });
    const outcomes = await Promise.allSettled(["R-1", "R-2", "R-3"].map((reference) => refund(600, reference)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await balance()).toBe(600n * cent);
    await byHand({ kind: "adjustment", cents: -500, reference: undefined, reason: "Debt" });
    expect(await refusal("conflict", refund(101, "R-9"))).toMatchObject({
      message: expect.stringMatching(/^At most 100 cents/),
    });
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("is an event of its account", async () => {
    await byHand({});
    await refund(300);
    await byHand({ kind: "adjustment", cents: -1, reference: undefined, reason: "Typo" });
    const { rows } = await sql`select type, data from events
      where account_id = ${customer().accountId} and type ~ '^(payment|balance)' order by position`.execute(world.db);
    const { accountId } = customer();
    expect(rows).toEqual([
      {
        type: "payment.received",
        data: { account_id: accountId, amount_cents: 1000, reference: "DE-1", reason: null },
      },
      {
        type: "payment.refunded",
        data: { account_id: accountId, amount_cents: -300, reference: "R-1", reason: "Asked" },
      },
      { type: "balance.adjusted", data: { account_id: accountId, amount_cents: -1, reference: null, reason: "Typo" } },
    ]);
  });

  it("names an account that there is, and an amount", async () => {
    await expect(byHand({ accountId: crypto.randomUUID() })).rejects.toMatchObject({ kind: "unknown-object" });
    await expect(byHand({ kind: "adjustment", cents: 0, reason: "None" })).rejects.toMatchObject({
      kind: "invalid-parameters",
    });
  });
});
