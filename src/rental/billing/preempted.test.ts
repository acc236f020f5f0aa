// What an instance costs that was evicted: nothing if that was within five minutes and for another account, else what any
// other costs, to the micro-cent: whatever the price, the coupon and the time.

import { sql } from "kysely";
import { beforeEach, expect, it } from "vitest";
import { seeded } from "../../../test/support/random.ts";
import { reserve } from "../../../test/support/reservations.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";
import { costMicroCents } from "../../rules/cost.ts";
import { freeSeconds } from "../../rules/spot.ts";
import type { InstanceType } from "../instances/instance.ts";
import { deleteOldInstances } from "../instances/past-instances.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";
import { giveCredits } from "./credits.ts";
import { closeSpans, closeSpansOfPreempted } from "./spans.ts";
import { spentByAccounts } from "./spent.ts";
import { monthOf, statementLines } from "./statements.ts";
import { totalCost, usageLines } from "./usage.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ vcpus: 5000, memoryGib: 90_000, storageGb: 900_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 7200, spotPriceCentsPerHour: 3600 });
});

interface Used {
  readonly microseconds: number;
  readonly priceCentsPerHour?: number;
  readonly discountBasisPoints?: number;
}

const whole = freeSeconds * 1_000_000;

/** Instances that were billed for so long when they were evicted, in one transaction, so that no time passes meanwhile. */
async function evicted(
  all: readonly Used[],
  before = async (_tx: Transaction, _ids: string[]) => {},
): Promise<string[]> {
  const ids: string[] = [];
  for (const _ of all) ids.push((await world.launchOne(principal, { instanceType: product.name, spot: true })).id);
  await world.tx(async (tx) => {
    for (const [index, { microseconds, priceCentsPerHour = 3600, discountBasisPoints = 0 }] of all.entries()) {
      await sql`insert into billing_spans
          (instance_id, account_id, token_id, started_at, price_cents_per_hour, discount_basis_points)
        values (${ids[index]}, ${principal.accountId}, ${principal.tokenId},
          billing_now() - make_interval(secs => ${microseconds}::numeric / 1000000), ${priceCentsPerHour},
          ${discountBasisPoints})`.execute(tx);
    }
    await before(tx, ids);
    await closeSpansOfPreempted(tx, ids);
  });
  return ids;
}

const total = () => totalCost(world.db, { accountId: principal.accountId });
const spent = async () => (await spentByAccounts(world.db, [principal.accountId])).get(principal.accountId) ?? 0n;
const creditsOf = (id: string) =>
  world.db
    .selectFrom("billing_credits")
    .select(["reason", "seconds", "cost_micro_cents"])
    .where("instance_id", "=", id)
    .orderBy("reason")
    .execute();

it("is nothing within five minutes, and all of it from the first moment after them", async () => {
  for (const [microseconds, seconds] of [
    [0, 0],
    [1, 0],
    [whole - 1, 0],
    [whole, 0],
    [whole + 1, 300],
    [whole + 999_999, 300],
    [whole + 1_000_000, 301],
  ] as const) {
    const [id] = await evicted([{ microseconds }]);
    const line = (await usageLines(world.db, { accountId: principal.accountId })).find((one) => one.subject.id === id);
    expect([microseconds, line?.seconds ?? 0, line?.costMicroCents ?? 0n]).toEqual([
      microseconds,
      seconds,
      BigInt(seconds) * 1_000_000n,
    ]);
  }
});

it("is told with its reason in usage and in the statement, also when the instance was deleted; and only of what was free", async () => {
  const [free = "", paid = ""] = await evicted([{ microseconds: whole }, { microseconds: whole + 1 }]);
  for (const id of [free, paid]) {
    const { generation } = await world.db
      .selectFrom("instances")
      .select("generation")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await world.change(principal, "terminate", [id]);
    await world.tx((tx) => recordObservation(tx, { id, generation: generation + 1 }, "removed", {}));
  }
  await sql`update instances set ended_by = 'preempted', terminated_at = now() - interval '100 days',
    terminating_at = now() - interval '100 days', created_at = now() - interval '100 days'`.execute(world.db);
  const reasons = async () =>
    new Map((await usageLines(world.db, {})).map((line) => [line.subject.id, line.noCostReason] as const));
  const expected = new Map([
    [free, "preempted"],
    [paid, null],
  ]);
  expect(await reasons()).toEqual(expected);
  expect(await deleteOldInstances(world.db, 30, new AbortController().signal)).toBe(2);
  expect(await reasons()).toEqual(expected);
  await sql`update past_instances set reservation_id = ${free} where id = ${paid}`.execute(world.db);
  expect((await reasons()).get(paid)).toBe("reservation");
  const month = monthOf(new Date().toISOString().slice(0, 7));
  if (month === undefined) throw new Error("BUG: this month is no month");
  expect(await statementLines(world.db, month, { accountId: principal.accountId })).toMatchObject([
    { subject: { id: paid }, noCostReason: "reservation" },
  ]);
});

it("adds up exactly, whatever the prices, coupons and times", async () => {
  const random = seeded();
  const all = Array.from(
    { length: 60 },
    (): Required<Used> => ({
      microseconds: random.one([random.below(2 * whole), random.below(100 * whole), whole + random.below(3) - 1]),
      priceCentsPerHour: random.below(100_000),
      discountBasisPoints: random.one([0, 1, random.below(10_000), 9_999, 10_000]),
    }),
  );
  await evicted(all);
  const expected = all.reduce((sum, { microseconds, ...price }) => {
    const seconds = Math.floor(microseconds / 1_000_000);
    return sum + (microseconds <= whole ? 0n : costMicroCents({ ...price, seconds }));
  }, 0n);
  expect(await total()).toMatchObject({ costMicroCents: expected, creditMicroCents: 0n });
});

it("is nothing also if a part of it was given back before: the rest is given back too", async () => {
  const [id = ""] = await evicted([{ microseconds: whole - 500_000 }], (tx, ids) =>
    giveCredits(
      tx,
      "gpu-fault",
      sql`(select instance_id, started_at + interval '10 seconds' as began_at, started_at + interval '50 seconds' as ended_at
        from billing_spans where instance_id = any(${ids}::uuid[]))`,
    ),
  );
  expect(await creditsOf(id)).toEqual([
    { reason: "gpu-fault", seconds: 40, cost_micro_cents: "40000000" },
    { reason: "preemption", seconds: 299, cost_micro_cents: "259000000" },
  ]);
  expect(await total()).toMatchObject({ costMicroCents: 299_000_000n, creditMicroCents: 299_000_000n });
  expect(await spent()).toBe(0n);
});

it("leaves a closed month as it was, and gives back what is in it", async () => {
  const monthEnd = sql<Date>`((date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC')`;
  const { id } = await world.launchOne(principal, { instanceType: product.name, spot: true });
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, price_cents_per_hour, discount_basis_points)
    values (${id}, ${principal.accountId}, ${principal.tokenId}, ${monthEnd} - interval '200 seconds', 3600, 0)`.execute(
    world.db,
  );
  // As if the clock had been set back: spans end behind the closed month.
  await sql`insert into closed_months (month) select (date_trunc('month', now() at time zone 'UTC'))::date`.execute(
    world.db,
  );
  await world.tx((tx) => closeSpansOfPreempted(tx, [id]));
  const { rows } = await sql`select extract(epoch from ended_at - started_at)::integer as seconds
    from billing_spans where instance_id = ${id}`.execute(world.db);
  expect(rows).toEqual([{ seconds: 200 }]);
  expect(await creditsOf(id)).toEqual([{ reason: "preemption", seconds: 200, cost_micro_cents: "200000000" }]);
});

it("of one that was never billed is nothing, and what has ended keeps its end", async () => {
  const { id } = await world.launchOne(principal, { instanceType: product.name, spot: true });
  await world.tx((tx) => closeSpansOfPreempted(tx, [id]));
  expect(await usageLines(world.db, { accountId: principal.accountId })).toEqual([]);
  const [over = ""] = await evicted([{ microseconds: 5_000_000 }], (tx, ids) => closeSpans(tx, ids));
  await world.tx((tx) => closeSpansOfPreempted(tx, [over]));
  expect(await total()).toMatchObject({ costMicroCents: 5_000_000n });
});

it("is billed like others if it was evicted for a launch or a reservation of its own account", async () => {
  const waiting = new Waiting(world);
  const [own, other] = [await waiting.customer(), await waiting.customer()];
  principal = own;
  const { name: onGpu } = await world.product({ gpus: 1 });
  const ids = new Map<string, Principal>();
  for (const one of [own, other]) {
    ids.set((await waiting.waits(one, { instanceType: onGpu })).id, one);
    ids.set((await reserve(world, one, { instanceType: product.name, from: 10, to: 20 })).id, one);
  }
  const seconds = new Map<string, number>();
  for (const [id] of ids) {
    const [instance = ""] = await evicted([{ microseconds: 5_000_000 }], async (tx, instances) => {
      await sql`update instances set evict_at = now(), evicted_for = ${id} where id = any(${instances}::uuid[])`.execute(
        tx,
      );
    });
    const lines = await usageLines(world.db, { accountId: own.accountId });
    seconds.set(id, lines.find(({ subject }) => subject.id === instance)?.seconds ?? 0);
  }
  expect(seconds).toEqual(new Map([...ids].map(([id, owner]) => [id, owner === own ? 5 : 0])));
});
