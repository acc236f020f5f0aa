// A launch reserves what it costs until the next limit check: so launches at once never pass a limit together,
// on however many replicas, and a bill passes its limit by no more than is stated (docs/how-to/operators/limit-spending.md).

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { launchAll } from "../../../test/support/launch-all.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { inTransaction } from "../../database/transaction.ts";
import { createToken } from "../accounts/token-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import { recordObservation } from "../instances/record-observation.ts";
import { enforceSpendLimits } from "../limits/spend-limits.ts";
import type { Principal } from "../service.ts";
import { spentByAccounts } from "./spent.ts";

const limitCheckSeconds = 30;
const world = worldOfFile({ limitCheckSeconds });
const cent = 1_000_000n;
/** 8 × H100 at 24 dollars an hour: 20 cents in 30 seconds. */
let product: InstanceType;
const reserveCents = 20;
beforeEach(async () => {
  await world.image();
  for (let host = 0; host < 7; host++) await world.host({ gpus: 8, vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 8, priceCentsPerHour: 2400 });
});

const launchBy = (principal: Principal) => world.launchOne(principal, { instanceType: product.name });
/** As other replicas do it: launches that came together in one transaction. */
const together = async (principal: Principal, count: number): Promise<string[]> => {
  const order = launchOrder({ instanceType: product.name });
  const outcomes = await inTransaction(world.db, (tx) =>
    launchAll(
      tx,
      world.service,
      Array.from({ length: count }, () => ({ principal, order })),
    ),
  );
  return outcomes.map((one) => (typeof one === "string" ? one : "kind" in one ? one.kind : "launched"));
};
const launched = async ({ accountId }: Principal): Promise<number> => {
  const { rows } = await sql`select from instances where account_id = ${accountId}`.execute(world.db);
  return rows.length;
};
async function tokenOf(principal: Principal, spendLimitCents: number): Promise<Principal> {
  const order = { accountId: principal.accountId, name: world.fresh("token"), scopes: ["write"] as const };
  const { id } = await world.tx((tx) => createToken(tx, { ...order, expiresAt: null, spendLimitCents }));
  return { ...principal, tokenId: id };
}
async function activate(id: string): Promise<void> {
  const row = world.db.selectFrom("instances").select("generation").where("id", "=", id);
  const { generation } = await row.executeTakeFirstOrThrow();
  expect(await world.tx((tx) => recordObservation(tx, { id, generation }, "ready", { ip: "203.0.113.1" }))).toBe(true);
}

describe("a launch that costs more until the next check than its limit has left", () => {
  it("is refused, with what it needs and what is left: seven 8 × H100 at once under a limit of 1 cent cost nothing", async () => {
    const principal = await tokenOf(await world.account(), 1);
    await world.service.capacity.refresh();
    const refusals = await changingNothing(world.db, () =>
      Promise.all(Array.from({ length: 7 }, () => refusal("spend-limit-exceeded", launchBy(principal)))),
    );
    const launch = { needsMicroCents: 20n * cent, leftMicroCents: cent };
    expect(refusals).toEqual(Array.from({ length: 7 }, () => ({ of: "token", limitCents: 1, launch })));
    expect(await together(principal, 7)).toEqual(Array.from({ length: 7 }, () => "spend-limit-exceeded"));
    expect(await launched(principal)).toBe(0);
  });

  it("is refused whole where only a part of it would fit", async () => {
    const principal = await world.account({ spendLimitCents: 2 * reserveCents });
    const order = { instanceType: product.name, quantity: 3 };
    await changingNothing(world.db, () => refusal("spend-limit-exceeded", world.launch(principal, order)));
    expect(await world.launch(principal, { ...order, quantity: 2 })).toHaveLength(2);
  });

  it("goes through where its coupon makes it cheap enough", async () => {
    const principal = await world.account({ spendLimitCents: reserveCents / 2 });
    await refusal("spend-limit-exceeded", launchBy(principal));
    const { code } = await world.coupon({ discountBasisPoints: 5000 });
    expect((await world.launchOne(principal, { instanceType: product.name, coupon: code })).state).toBe("booting");
  });

  it("goes through when another instance has ended, which costs nothing more", async () => {
    const principal = await world.account({ spendLimitCents: reserveCents });
    const { id } = await launchBy(principal);
    await refusal("spend-limit-exceeded", launchBy(principal));
    await world.change(principal, "terminate", [id]);
    expect((await launchBy(principal)).state).toBe("booting");
  });
});

describe("launches at once", () => {
  it("of one account or token, in one transaction or in many, reserve each room once", async () => {
    for (const principal of [
      await world.account({ spendLimitCents: 2 * reserveCents }),
      await tokenOf(await world.account(), 2 * reserveCents),
    ]) {
      await world.service.capacity.refresh();
      const alone = Array.from({ length: 4 }, () =>
        launchBy(principal).then(
          () => "launched",
          (error: { kind: string }) => error.kind,
        ),
      );
      const outcomes = (await Promise.all([...alone, together(principal, 4), together(principal, 4)])).flat();
      // Those that met the account's row locked come again, as a server does it.
      for (let tries = 0; tries < 50 && (await launched(principal)) < 2; tries++) {
        outcomes.push(...(await together(principal, 1)));
      }
      expect(outcomes.filter((one) => one === "launched")).toHaveLength(2);
      expect(await launched(principal)).toBe(2);
      expect(await together(principal, 2)).toEqual(["spend-limit-exceeded", "spend-limit-exceeded"]);
    }
  });
});

describe("how far a bill passes its limit", () => {
  it("is less than what was left for at the last launch: what everything live costs between two checks", async () => {
    const limitCents = 3 * reserveCents;
    const principal = await world.account({ spendLimitCents: limitCents });
    const ids = [(await launchBy(principal)).id, (await launchBy(principal)).id, (await launchBy(principal)).id];
    await refusal("spend-limit-exceeded", launchBy(principal));
    for (const id of ids) await activate(id);
    // The worst moment: a second before the limit is reached, and then a whole check interval.
    await travel(world.db, `${limitCheckSeconds - 1} seconds`);
    expect(await enforceSpendLimits(world.db)).toBe(0);
    await travel(world.db, `${limitCheckSeconds} seconds`);
    expect(await enforceSpendLimits(world.db)).toBe(3);
    const spent = (await spentByAccounts(world.db, [principal.accountId])).get(principal.accountId) ?? 0n;
    const past = spent - BigInt(limitCents) * cent;
    expect(past).toBeGreaterThan(0n);
    expect(past).toBeLessThanOrEqual(3n * BigInt(reserveCents) * cent);
  });
});
