// Random histories of what is billed, credited, paid and redeemed, while two replicas post usage at once: the balance is that
// of a model, to the micro-cent, after each step, and in the end the entries of each closed month are its statement. npm test plays two,
// npm run test:crash many.

import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { rounds } from "../../../test/support/extent.ts";
import { seeded } from "../../../test/support/random.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { connect, type Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { costMicroCents } from "../../rules/cost.ts";
import { closeMonths } from "../billing/close-months.ts";
import { giveCredits } from "../billing/credits.ts";
import { closeSpans, closeSpansInThePast, closeSpansOfPreempted, openSpans } from "../billing/spans.ts";
import { listStatements } from "../billing/statements.ts";
import type { Principal } from "../service.ts";
import { readBalance } from "./balance.ts";
import { postByHand } from "./by-hand.ts";
import { listEntries } from "./entries.ts";
import { postUsage } from "./post-usage.ts";
import { createVoucher, redeemVoucher } from "./vouchers.ts";

const world = worldOfFile();
let replica: Database;
beforeAll(() => {
  replica = connect(world.config);
});
afterAll(() => replica.destroy());

it.each(rounds(2, 24))("history %i", async (seed) => {
  const random = seeded(seed * 7919);
  const accounts = [await world.account(), await world.account(), await world.account()];
  const operator = await world.account();
  /** By account, in micro-cents: what is no usage. */
  const given = new Map(accounts.map(({ accountId }) => [accountId, 0n]));
  await world.image();
  await world.host({ vcpus: 4096, memoryGib: 65_536, storageGb: 900_000 });
  const running: string[] = [];

  const give = ({ accountId }: Principal, cents: number) =>
    given.set(accountId, (given.get(accountId) ?? 0n) + BigInt(cents) * 1_000_000n);
  const inAny = () => random.one([world.db, replica]);
  const taken = () => running.splice(random.below(running.length), 1);

  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    launch: async () => {
      const product = await world.product({ gpus: 0, vcpus: 1, priceCentsPerHour: random.below(5000) });
      const { id } = await world.launchOne(random.one(accounts), { instanceType: product.name });
      await sql`update instances set discount_basis_points = ${random.below(10_001)} where id = ${id}`.execute(
        world.db,
      );
      await world.tx((tx) => openSpans(tx, [id]));
      running.push(id);
    },
    end: () => world.tx((tx) => closeSpans(tx, taken())),
    evict: () => world.tx((tx) => closeSpansOfPreempted(tx, taken())),
    lose: () => {
      const until = new Date(Date.now() - random.below(100_000_000));
      return world.tx((tx) =>
        closeSpansInThePast(
          tx,
          taken().map((instanceId) => ({ instanceId, until })),
        ),
      );
    },
    credit: () => {
      const from = sql`now() - make_interval(secs => ${random.below(200_000)})`;
      return world.tx((tx) =>
        giveCredits(
          tx,
          "downtime",
          sql`(select instance_id, ${from} as began_at, now() as ended_at from billing_spans
          where instance_id = any(${[...running.slice(0, 1)]}::uuid[]))`,
        ),
      );
    },
    pay: async () => {
      const account = random.one(accounts);
      const order = {
        accountId: account.accountId,
        cents: 1 + random.below(100_000),
        reference: world.fresh("transfer"),
      };
      const both = [world.db, replica].map((db) =>
        inTransaction(db, (tx) => postByHand(tx, operator, { ...order, kind: "top_up" })),
      );
      expect((await Promise.allSettled(both)).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      give(account, order.cents);
    },
    refund: async () => {
      const account = random.one(accounts);
      const order = {
        accountId: account.accountId,
        cents: 1 + random.below(10_000),
        reference: world.fresh("refund"),
        reason: "Asked",
      };
      const outcome = await inTransaction(inAny(), (tx) =>
        postByHand(tx, operator, { ...order, kind: "refund" }),
      ).catch(() => undefined);
      if (outcome !== undefined) give(account, -order.cents);
    },
    adjust: async () => {
      const account = random.one(accounts);
      const cents = random.one([-1, 1]) * (1 + random.below(1000));
      await inTransaction(inAny(), (tx) =>
        postByHand(tx, operator, { accountId: account.accountId, kind: "adjustment", cents, reason: "Outage" }),
      );
      give(account, cents);
    },
    redeem: async () => {
      const amountCents = 1 + random.below(1000);
      const { code } = await world.tx((tx) =>
        createVoucher(tx, { name: "V", amountCents, maxUses: 2, expiresAt: null }),
      );
      const asked = [...accounts, ...accounts].map((account) =>
        inTransaction(inAny(), (tx) => redeemVoucher(tx, account, code)),
      );
      for (const outcome of await Promise.allSettled(asked)) {
        if (outcome.status === "fulfilled") give({ ...operator, accountId: outcome.value.accountId }, amountCents);
      }
    },
    post: () => Promise.all([postUsage(world.db), postUsage(replica), postUsage(world.db)]),
    wait: () => travel(world.db, random.one(["7 seconds", "1 hour 1 second", "11 hours", "1 day 3 minutes", "9 days"])),
  };

  for (let n = 0; n < 60; n++) {
    const name = random.one([...Object.keys(steps), "launch", "wait", "post"]);
    if (running.length === 0 && ["end", "evict", "lose", "credit"].includes(name)) continue;
    await steps[name]?.();
    for (const { accountId } of accounts) {
      const { balance, usage } = await readBoth(accountId);
      expect([n, name, balance], `seed ${seed}`).toEqual([n, name, (given.get(accountId) ?? 0n) - usage]);
    }
  }
  await travel(world.db, "45 days");
  await Promise.all([closeMonths(world.db), closeMonths(replica), postUsage(world.db), postUsage(replica)]);
  await closeMonths(world.db);
  expect(await booksDisagree(world.db)).toEqual([]);
  for (const { accountId } of accounts) {
    const entries = await listEntries(world.db, accountId, {});
    for (const { month, closedAt, costMicroCents, creditMicroCents } of await listStatements(world.db, { accountId })) {
      if (closedAt === null) continue;
      const posted = entries
        .filter((entry) => entry.month === month)
        .reduce((sum, entry) => sum + entry.amountMicroCents, 0n);
      expect(posted).toBe(creditMicroCents - costMicroCents);
    }
    const { balance, usage } = await readBoth(accountId);
    expect(balance).toBe((given.get(accountId) ?? 0n) - usage);
  }
});

/** The balance, and what the usage costs by the rule of a span, less credits, both as of the same moment. */
function readBoth(accountId: string): Promise<{ balance: bigint; usage: bigint }> {
  return world.tx(async (tx) => {
    const { microCents } = await readBalance(tx, accountId);
    const { rows } = await sql<{ seconds: number; price: number; discount: number }>`
      select floor(extract(epoch from least(coalesce(ended_at, now()), now()) - started_at))::bigint as seconds,
        price_cents_per_hour as price, discount_basis_points as discount
      from billing_spans where account_id = ${accountId}`.execute(tx);
    const credits = await sql<{ sum: string }>`
      select coalesce(sum(cost_micro_cents), 0)::text as sum from billing_credits where account_id = ${accountId}`.execute(
      tx,
    );
    const cost = rows.reduce(
      (sum, { seconds, price, discount }) =>
        sum + costMicroCents({ priceCentsPerHour: price, discountBasisPoints: discount, seconds }),
      0n,
    );
    return { balance: microCents, usage: cost - BigInt(credits.rows[0]?.sum ?? "0") };
  });
}
