// Random histories of launches, ends, reservations, payments and time, while two replicas check balances at once and are
// cut off: what an account has is that of a model, to the micro-cent; nothing is launched or reserved that it cannot pay,
// also by several at once; and after each check nothing runs beyond what was announced. npm test plays one, npm run test:crash many.

import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { histories } from "../../../test/support/extent.ts";
import { pay } from "../../../test/support/money.ts";
import { seeded } from "../../../test/support/random.ts";
import { reserve, run } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { connect, type Database } from "../../database/connect.ts";
import { costMicroCents, type MicroCents } from "../../rules/cost.ts";
import { balanceSettings, leastBalanceCents } from "../../rules/payment-terms.ts";
import { readAccount } from "../accounts/account-store.ts";
import { openSpans } from "../billing/spans.ts";
import { RentalError } from "../errors.ts";
import type { Principal } from "../service.ts";
import { leftForMore, leftToRun, readFunds } from "./funds.ts";
import { checkBalances } from "./run-out.ts";

const world = worldOfFile();
let replica: Database;
beforeAll(() => {
  replica = connect(world.config);
});
afterAll(() => replica.destroy());

const settings = { ...balanceSettings, graceSeconds: 1800, keepStoppedSeconds: 7200 };
const seeds = histories(1, 16);
const first = Number(process.env.LESSOR_TEST_SEED ?? 1);
/** The most that passes between two readings of one step costs less. */
const cent = 1_000_000n;

it.each(Array.from({ length: seeds }, (_, index) => first + index))("history %i", async (seed) => {
  const random = seeded(seed * 104_729);
  await world.image();
  for (let host = 0; host < 4; host++)
    await world.host({ gpus: 8, vcpus: 1024, memoryGib: 16_384, storageGb: 900_000 });
  const accounts = [
    await world.account({ paymentTerms: "prepaid" }),
    await world.account({ paymentTerms: "prepaid" }),
    await world.account({ creditLineCents: 500 }),
  ];
  const given = new Map(accounts.map(({ accountId }) => [accountId, 0n]));
  const product = await world.product({ priceCentsPerHour: 100 });

  const give = async (account: Principal, cents: number) => {
    await pay(world, account, cents);
    given.set(account.accountId, (given.get(account.accountId) ?? 0n) + BigInt(cents) * cent);
  };
  const live = async ({ accountId }: Principal, ...states: string[]) => {
    const { rows } = await sql<{ id: string }>`select id from instances
      where account_id = ${accountId} and terminated_at is null and state = any(${states}::text[]) order by id`.execute(
      world.db,
    );
    return rows.map(({ id }) => id);
  };
  const act = async (action: "stop" | "terminate", ...states: string[]) => {
    const account = random.one(accounts);
    const [id] = await live(account, ...states);
    if (id !== undefined) await world.change(account, action, [id]);
  };

  /** Of what is bought by several at once: how much was, at most as much as there was. */
  const buy = async (account: Principal, attempts: readonly (() => Promise<bigint>)[]) => {
    const before = (await modelOf(world.db, account, given)).left;
    const outcomes = await Promise.allSettled(attempts.map((attempt) => attempt()));
    let bought = 0n;
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") bought += outcome.value;
      else if (!(outcome.reason instanceof RentalError)) throw outcome.reason;
    }
    expect(bought).toBeLessThanOrEqual(before > 0n ? before : 0n);
    const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as RentalError] : []));
    for (const { kind, details } of refused) {
      if (kind !== "insufficient-balance" || !("leftMicroCents" in details)) continue;
      expect(details.needsMicroCents).toBeGreaterThan(before - bought - cent);
    }
  };

  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    launch: async () => {
      const account = random.one(accounts);
      const launch = async () => {
        const quantity = 1 + random.below(3);
        const made = await world.launch(account, { instanceType: product.name, quantity });
        return BigInt(made.length) * 100n * cent;
      };
      await buy(
        account,
        Array.from({ length: 1 + random.below(3) }, () => launch),
      );
    },
    reserve: async () => {
      const account = random.one(accounts);
      const from = random.one([0, 1, 5]);
      const hours = 1 + random.below(4);
      const order = { instanceType: product.name, from: from === 0 ? undefined : from, to: from + hours };
      const one = async () => {
        await reserve(world, account, order);
        return BigInt(hours) * 100n * cent - cent;
      };
      await buy(account, [one, one].slice(0, 1 + random.below(2)));
    },
    boot: async () => {
      for (const account of accounts) {
        for (const id of await live(account, "booting")) {
          await world.put(id, "active");
          await world.tx((tx) => openSpans(tx, [id]));
        }
        for (const id of await live(account, "stopping")) await world.put(id, "stopped");
      }
    },
    stop: () => act("stop", "active"),
    restart: async () => {
      const account = random.one(accounts);
      const [id] = await live(account, "stopped");
      if (id === undefined) return;
      const { leftToRun: left } = await modelOf(world.db, account, given);
      const came = await world.change(account, "restart", [id]).catch((error: unknown) => error);
      // What was stopped for want of money, and would be again, is not started.
      if (came instanceof RentalError) expect([came.kind, left < cent]).toEqual(["conflict", true]);
      else if (came instanceof Error) throw came;
    },
    terminate: () => act("terminate", "active", "stopped", "booting"),
    pay: () => give(random.one(accounts), 1 + random.below(600)),
    take: () => give(random.one(accounts), -(1 + random.below(200))),
    reservations: () => run(world),
    wait: () => travel(world.db, random.one(["50 seconds", "17 minutes", "1 hour 1 second", "3 hours", "9 hours"])),
    check: () => checkBalances(random.one([world.db, replica]), settings),
    cut: async () => {
      const checking = checkBalances(replica, settings).catch(() => {});
      for (let times = 0; times < 3; times++) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`.execute(world.db);
      }
      await checking;
    },
  };

  for (let n = 0; n < 70; n++) {
    const name = random.one([...Object.keys(steps), "launch", "boot", "wait", "wait", "pay"]);
    await steps[name]?.();
    for (const account of accounts) {
      const { funds, model } = await bothOf(account, given);
      expect([n, name, funds], `seed ${seed}`).toEqual([n, name, model]);
    }
    if (name === "wait") await Promise.all([checkBalances(world.db, settings), checkBalances(replica, settings)]);
    if (["wait", "check"].includes(name)) for (const account of accounts) await expectWithinPolicy(account);
  }
  expect(await booksDisagree(world.db)).toEqual([]);
});

interface Model {
  readonly balance: MicroCents;
  readonly left: MicroCents;
  readonly leftToRun: MicroCents;
}

/** As of one moment. */
function bothOf(account: Principal, given: ReadonlyMap<string, bigint>): Promise<{ funds: Model; model: Model }> {
  return world.tx(async (tx) => {
    const accountIds = [account.accountId];
    const [funds] = await readFunds(tx, { accountIds, aheadSeconds: settings.launchSeconds });
    if (funds === undefined) throw new Error("BUG: its balance has a bound");
    const model = await modelOf(tx, account, given);
    return { funds: { balance: funds.balance, left: leftForMore(funds), leftToRun: leftToRun(funds) }, model };
  });
}

/** From spans, reservations and instances alone, by the rule of a cost. */
async function modelOf(db: Database, { accountId }: Principal, given: ReadonlyMap<string, bigint>): Promise<Model> {
  const cost = (price: number, seconds: number) =>
    costMicroCents({ priceCentsPerHour: price, discountBasisPoints: 0, seconds });
  const { rows: spans } = await sql<{ seconds: number; price: number; quantity: number }>`
    select greatest(0, floor(extract(epoch from least(coalesce(ended_at, now()), now()) - started_at)))::bigint as seconds,
      price_cents_per_hour as price, quantity from billing_spans where account_id = ${accountId}`.execute(db);
  const { rows: reservations } = await sql<{
    whole: number;
    past: number;
    price: number;
    quantity: number;
    active: boolean;
  }>`
    select floor(extract(epoch from ends_at - coalesce(started_at, begins_at)))::bigint as whole,
      greatest(0, floor(extract(epoch from least(ends_at, statement_timestamp()) - coalesce(started_at, begins_at))))::bigint as past,
      price_cents_per_hour as price, quantity, started_at is not null as active
    from reservations where account_id = ${accountId} and ended_at is null`.execute(db);
  const { rows: running } = await sql<{ price: number }>`
    select price_cents_per_hour as price from instances where account_id = ${accountId} and reservation_id is null
      and terminated_at is null and state in ('booting', 'active', 'stopping', 'stopped')`.execute(db);
  const used = spans.reduce((sum, { seconds, price, quantity }) => sum + BigInt(quantity) * cost(price, seconds), 0n);
  const committed = (isActive: boolean) =>
    reservations
      .filter(({ active }) => active === isActive)
      .reduce((sum, r) => sum + BigInt(r.quantity) * (cost(r.price, r.whole) - cost(r.price, r.past)), 0n);
  const ahead = running.reduce((sum, { price }) => sum + cost(price, settings.launchSeconds), 0n);
  const balance = (given.get(accountId) ?? 0n) - used;
  const above = balance - BigInt(leastBalanceCents(await readAccount(db, accountId)) ?? 0) * cent;
  const toRun = above - committed(true);
  return { balance, left: toRun - committed(false) - ahead, leftToRun: toRun };
}

/** After a check: an account without money has nothing that runs once it was to be stopped, nor at all once it was to end. */
async function expectWithinPolicy({ accountId }: Principal): Promise<void> {
  const { rows } = await sql<{ stop: boolean; terminate: boolean; running: number; live: number }>`
    select e.stop_at <= now() as stop, e.terminate_at <= now() as terminate,
      count(i.id) filter (where i.state in ('booting', 'active'))::integer as running, count(i.id)::integer as live
    from exhausted_balances e left join instances i on i.account_id = e.account_id and i.reservation_id is null
      and i.terminated_at is null and i.state in ('booting', 'active', 'stopping', 'stopped')
    where e.account_id = ${accountId} group by e.account_id`.execute(world.db);
  const [exhausted] = rows;
  if (exhausted === undefined) {
    const [funds] = await readFunds(world.db, { accountIds: [accountId] });
    expect(funds !== undefined && funds.perHour > 0n && leftToRun(funds) <= -cent).toBe(false);
    return;
  }
  if (exhausted.stop) expect(exhausted.running).toBe(0);
  if (exhausted.terminate) expect(exhausted.live).toBe(0);
}
