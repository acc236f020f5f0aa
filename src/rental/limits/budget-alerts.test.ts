// A budget alert tells once a month that usage reached it, whatever happens at the same time.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { mostBudgetAlerts } from "../../rules/account-limits.ts";
import { accountsWithSpent } from "../billing/spent.ts";
import type { Principal } from "../service.ts";
import { checkBudgets, createBudget, deleteBudget, listBudgets } from "./budget-alerts.ts";
import { deleteOldNotices } from "./retention.ts";

const world = worldOfFile({ limitCheckSeconds: 0 });
let free: string;
beforeEach(async () => {
  await world.image();
  await world.host({ vcpus: 5000, memoryGib: 90_000, storageGb: 900_000 });
  free = (await world.product({ gpus: 0, priceCentsPerHour: 0 })).name;
});

/** The account has used so many cents in this month's first second. */
async function use(principal: Principal, cents: number): Promise<void> {
  const { id } = await world.launchOne(principal, { instanceType: free });
  await world.put(id, "terminating");
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    select ${id}, ${principal.accountId}, ${principal.tokenId}, month, month + interval '1 second', ${3600 * cents}, 0
    from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(world.db);
}

const create = ({ accountId }: Principal, cents: number) => world.tx((tx) => createBudget(tx, accountId, cents));
const remove = ({ accountId }: Principal, id: string) => world.tx((tx) => deleteBudget(tx, accountId, id));
const check = () => checkBudgets(world.db);
/** What it told, in the order of telling. */
async function told(): Promise<{ subject_id: string; data: Record<string, unknown> }[]> {
  const query = world.db.selectFrom("events").select(["subject_id", "data"]).where("type", "=", "budget.reached");
  const rows = await query.orderBy("position").execute();
  return rows.map(({ subject_id, data }) => ({ subject_id, data: data as Record<string, unknown> }));
}
const amounts = async () => (await told()).map(({ data }) => data.amount_cents);
/** Everything that was told is of the month before. */
const nextMonth = () => sql`update budget_notices set month = (month - interval '1 month')::date`.execute(world.db);

describe("a budget alert that is reached", () => {
  it("tells once, with what is used, and those that are not reached tell nothing", async () => {
    const [ann, bob] = [await world.account(), await world.account()];
    const alert = await create(ann, 1000);
    await create(ann, 1001);
    await create(bob, 1);
    await use(ann, 999);
    await check();
    expect(await told()).toEqual([]);
    expect(await listBudgets(world.db, ann.accountId)).toMatchObject([{ reachedAt: null }, { reachedAt: null }]);
    await use(ann, 1);
    for (const _ of [1, 2]) await check();
    expect(await told()).toEqual([
      {
        subject_id: alert.id,
        data: {
          ...{ account_id: ann.accountId, budget_alert_id: alert.id, amount_cents: 1000 },
          ...{ month: expect.stringMatching(/^\d{4}-\d\d$/), used_micro_cents: "1000000000" },
        },
      },
    ]);
    expect(await listBudgets(world.db, ann.accountId)).toMatchObject([
      { id: alert.id, reachedAt: expect.any(Date) },
      { amountCents: 1001, reachedAt: null },
    ]);
  });

  it("goes by the sum that the spend limit goes by, credits taken off", async () => {
    const ann = await world.account({ spendLimitCents: 5000 });
    await create(ann, 2000);
    await use(ann, 2000);
    await sql`insert into billing_credits (instance_id, account_id, given_at, began_at, ended_at, seconds, cost_micro_cents)
      select instance_id, account_id, started_at, started_at, ended_at, 1, 1 from billing_spans
      where account_id = ${ann.accountId} and price_cents_per_hour > 0`.execute(world.db);
    const spent = await accountsWithSpent(world.db, [{ id: ann.accountId, spendLimitCents: 5000 }]);
    expect(spent).toMatchObject([{ spentMicroCents: 1_999_999_999n }]);
    await check();
    expect(await told()).toEqual([]);
    await use(ann, 1);
    await check();
    expect(await amounts()).toEqual([2000]);
  });

  it("tells at the next check if it was created later, also one that is created again", async () => {
    const ann = await world.account();
    await use(ann, 50);
    const { id } = await create(ann, 10);
    await check();
    await remove(ann, id);
    await create(ann, 10);
    await check();
    expect(await amounts()).toEqual([10, 10]);
  });

  it("tells again in another month", async () => {
    const ann = await world.account();
    await create(ann, 10);
    await use(ann, 10);
    await check();
    await nextMonth();
    expect(await listBudgets(world.db, ann.accountId)).toMatchObject([{ reachedAt: null }]);
    for (const _ of [1, 2]) await check();
    expect(await amounts()).toEqual([10, 10]);
  });

  it("tells once, however many replicas check at once, and smaller amounts first", async () => {
    const accounts = [await world.account(), await world.account()];
    for (const one of accounts) {
      for (const cents of [30, 10, 20]) await create(one, cents);
      await use(one, 30);
    }
    await Promise.all([check(), check(), check(), check()]);
    expect(await amounts()).toEqual([10, 20, 30, 10, 20, 30]);
  });

  it("is told by another replica if one dies before it commits", async () => {
    const ann = await world.account();
    await create(ann, 10);
    await use(ann, 10);
    await using dying = await begin(world.db);
    // What it would have written.
    await sql`insert into budget_notices (alert_id, month)
      select id, date_trunc('month', now() at time zone 'UTC') from budget_alerts`.execute(dying.tx);
    const other = check();
    await untilWaiting(world.db);
    await dying.rollback();
    await other;
    expect(await amounts()).toEqual([10]);
  });

  it("tells nothing if it is deleted meanwhile", async () => {
    const ann = await world.account();
    const { id } = await create(ann, 10);
    await create(ann, 20);
    await use(ann, 20);
    await using deleting = await begin(world.db);
    await deleteBudget(deleting.tx, ann.accountId, id);
    const checking = check();
    await untilWaiting(world.db);
    await deleting.commit();
    await checking;
    expect(await amounts()).toEqual([20]);
  });
});

describe("an account has", () => {
  it("at most ten, each of another amount, however many are created at once", async () => {
    const [ann, bob] = [await world.account(), await world.account()];
    for (let cents = 2; cents < mostBudgetAlerts; cents++) await create(ann, cents);
    const results = await Promise.allSettled([100, 100, 101, 102, 103].map((cents) => create(ann, cents)));
    const kinds = results.map((one) => (one.status === "fulfilled" ? "created" : one.reason.kind));
    expect(kinds.filter((kind) => kind === "created")).toHaveLength(2);
    const present = await listBudgets(world.db, ann.accountId);
    expect(present).toHaveLength(mostBudgetAlerts);
    expect(new Set(present.map(({ amountCents }) => amountCents)).size).toBe(mostBudgetAlerts);
    await changingNothing(world.db, async () => {
      expect(await refusal("quota-exceeded", create(ann, 104))).toEqual({
        ...{ what: "budget_alerts", limit: mostBudgetAlerts, used: mostBudgetAlerts, requested: 1 },
      });
      expect(await refusal("duplicate", create(ann, 2))).toMatchObject({ field: "amount_cents" });
    });
    await create(bob, 2);
  });

  it("its own alone", async () => {
    const [ann, bob] = [await world.account(), await world.account()];
    const { id } = await create(ann, 10);
    expect(await listBudgets(world.db, bob.accountId)).toEqual([]);
    expect(await refusal("unknown-object", remove(bob, id))).toEqual({ what: "budget alert", ids: [id] });
    await use(ann, 10);
    await check();
    await remove(ann, id);
    await refusal("unknown-object", remove(ann, id));
    expect(await listBudgets(world.db, ann.accountId)).toEqual([]);
  });
});

it("what was told is kept for this month and the last, and deleted after that", async () => {
  const ann = await world.account();
  const { id } = await create(ann, 10);
  await sql`insert into budget_notices (alert_id, month)
    select ${id}, date_trunc('month', now() at time zone 'UTC') - make_interval(months => ago)
    from unnest(array[0, 1, 2, 14]) as ago`.execute(world.db);
  expect(await deleteOldNotices(world.db)).toBe(2);
  await use(ann, 10);
  await check();
  expect(await told()).toEqual([]);
});
