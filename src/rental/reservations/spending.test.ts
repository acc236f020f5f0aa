// Reservations and spend limits: the whole price counts from the moment on that one is made, month by month, for other
// reservations and for launches.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { inHours, type Reserve, reserve, run } from "../../../test/support/reservations.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { createToken } from "../accounts/token-store.ts";
import { enforceSpendLimits } from "../limits/spend-limits.ts";
import type { Principal } from "../service.ts";
import { costWithin } from "./spending.ts";

const world = worldOfFile();

/** Hours until the next month (UTC), or one that follows. */
function hoursLeft(months = 1): number {
  const now = new Date();
  return (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months) - now.getTime()) / 3_600_000;
}

async function setting(spendLimitCents?: number) {
  const principal = await world.account(spendLimitCents === undefined ? {} : { spendLimitCents });
  await world.host({ gpus: 8 });
  await world.image();
  const product = await world.product({ priceCentsPerHour: 100 });
  const make = (more: Partial<Reserve>, by: Principal = principal) =>
    reserve(world, by, { instanceType: product.name, to: 0, ...more });
  const launch = (by: Principal = principal) => world.launchOne(by, { instanceType: product.name });
  return { principal, product, make, launch };
}

describe("a spend limit", () => {
  it("rejects what costs more in a later month than is left of it then", async () => {
    const { make } = await setting(2000);
    const next = hoursLeft() + 24;
    await make({ from: next, to: next + 15 });
    const more = { from: next + 20, to: next + 26 };
    const { limitCents, launch } = await changingNothing(world.db, () => refusal("spend-limit-exceeded", make(more)));
    expect([limitCents, launch?.leftMicroCents]).toEqual([2000, 500_000_000n]);
    expect(Number(launch?.needsMicroCents)).toBeCloseTo(600_000_000, -6);
    await make({ from: next + 20, to: next + 24.9 });
  });

  it("counts each month by itself", async () => {
    const { make } = await setting(2000);
    const next = hoursLeft(2);
    await make({ from: next - 10, to: next + 10 });
    await make({ from: next + 15, to: next + 20 });
    await refusal("spend-limit-exceeded", make({ from: next + 25, to: next + 31 }));
  });

  it("leaves launches only what reservations of this month do not cost", async () => {
    const left = hoursLeft();
    if (left < 5) return;
    const { make, launch } = await setting(200);
    await make({ from: 1, to: 3 });
    await refusal("spend-limit-exceeded", launch());
    await sql`update accounts set spend_limit_cents = 203`.execute(world.db);
    await launch();
    await refusal("spend-limit-exceeded", make({ from: 3.5, to: 4.6 }));
  });

  it("of a token counts what it reserved, and no other one", async () => {
    const { principal, make } = await setting();
    const order = { name: "t", accountId: principal.accountId, scopes: ["write"] as const, expiresAt: null };
    const token = async () => ({
      ...principal,
      tokenId: (await world.tx((tx) => createToken(tx, { ...order, spendLimitCents: 1000 }))).id,
    });
    const [one, other] = [await token(), await token()];
    const next = hoursLeft() + 24;
    await make({ from: next, to: next + 9 }, one);
    expect(await refusal("spend-limit-exceeded", make({ from: next, to: next + 9 }, one))).toMatchObject({
      of: "token",
    });
    await make({ from: next, to: next + 9 }, other);
  });

  it("that is reached ends what costs something, and leaves instances of a reservation", async () => {
    const { principal, product, make, launch } = await setting();
    const { id } = await make({ from: undefined, to: 30 });
    const free = await world.launchOne(principal, { instanceType: product.name, reservationId: id });
    const paid = await launch();
    await travel(world.db, "2 hours");
    await run(world);
    await sql`update accounts set spend_limit_cents = 1`.execute(world.db);
    expect(await enforceSpendLimits(world.db)).toBe(1);
    const states = await world.db.selectFrom("instances").select(["id", "terminating_at"]).execute();
    expect(new Map(states.map((row) => [row.id, row.terminating_at !== null]))).toEqual(
      new Map([
        [free.id, false],
        [paid.id, true],
      ]),
    );
  });
});

it("the cost within months adds up to the whole", () => {
  const reservation = {
    ...{ beginsAt: new Date("2026-01-30T23:59:59.500Z"), endsAt: new Date("2026-03-02T07:01:03.250Z"), quantity: 7 },
    product: { priceCentsPerHour: 101 },
  };
  const at = (month: number) => new Date(Date.UTC(2026, month));
  const parts = [0, 1, 2].map((month) => costWithin(reservation, at(month), at(month + 1)));
  const whole = costWithin(reservation, at(0), inHours(24 * 365 * 50));
  expect(parts.reduce((a, b) => a + b)).toBe(whole);
  const seconds = BigInt(Math.floor((reservation.endsAt.getTime() - reservation.beginsAt.getTime()) / 1000));
  expect(whole).toBe(7n * ((seconds * 101n * 1_000_000n) / 3600n));
});
