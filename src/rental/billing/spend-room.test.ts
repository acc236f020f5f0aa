// A launch reserves what it costs until spend limits are checked next: so launches at once never pass a limit together,
// on however many replicas, and a bill passes its limit by no more than is stated (docs/operating/accounts.md).

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { launchAll } from "../../../test/support/launch-all.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { inTransaction } from "../../database/connect.ts";
import { createToken } from "../accounts/index.ts";
import type { Product } from "../instances/index.ts";
import { recordFact } from "../instances/record-observation.ts";
import { enforceSpendLimits } from "../limits/index.ts";
import type { Tenant } from "../service.ts";
import { spentByAccounts } from "./spent.ts";

const limitCheckSeconds = 30;
const world = worldOfFile({ limitCheckSeconds });
const cent = 1_000_000n;
/** 8 × H100 at 24 dollars an hour: 20 cents in 30 seconds. */
let product: Product;
const reserveCents = 20;
beforeEach(async () => {
  await world.image();
  for (let host = 0; host < 7; host++) await world.host({ gpus: 8, vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 8, priceCentsPerHour: 2400 });
});

const launchBy = (tenant: Tenant) => world.launchOne(tenant, { instanceType: product.name });
/** As other replicas do it: launches that came together in one transaction. */
const together = async (tenant: Tenant, count: number): Promise<string[]> => {
  const order = launchOrder({ instanceType: product.name });
  const outcomes = await inTransaction(world.db, (tx) =>
    launchAll(
      tx,
      world.service,
      Array.from({ length: count }, () => ({ tenant, order })),
    ),
  );
  return outcomes.map((one) => (typeof one === "string" ? one : "kind" in one ? one.kind : "launched"));
};
const launched = async ({ accountId }: Tenant): Promise<number> => {
  const { rows } = await sql`select from instances where account_id = ${accountId}`.execute(world.db);
  return rows.length;
};
async function tokenOf(tenant: Tenant, spendLimitCents: number): Promise<Tenant> {
  const order = { accountId: tenant.accountId, name: world.fresh("token"), scopes: ["write"] as const };
  const { id } = await world.tx((tx) => createToken(tx, { ...order, expiresAt: null, spendLimitCents }));
  return { ...tenant, tokenId: id };
}
async function activate(id: string): Promise<void> {
  const row = world.db.selectFrom("instances").select("generation").where("id", "=", id);
  const { generation } = await row.executeTakeFirstOrThrow();
  expect(await world.tx((tx) => recordFact(tx, { id, generation }, "ready", { ip: "203.0.113.1" }))).toBe(true);
}

describe("a launch that costs more until the next check than its limit has left", () => {
  it("is refused, with what it needs and what is left: seven 8 × H100 at once under a limit of 1 cent cost nothing", async () => {
    const tenant = await tokenOf(await world.account(), 1);
    await world.service.capacity.refresh();
    const refusals = await changingNothing(world.db, () =>
      Promise.all(Array.from({ length: 7 }, () => refusal("spend-limit-exceeded", launchBy(tenant)))),
    );
    const launch = { needsMicroCents: 20n * cent, leftMicroCents: cent };
    expect(refusals).toEqual(Array.from({ length: 7 }, () => ({ of: "token", limitCents: 1, launch })));
    expect(await together(tenant, 7)).toEqual(Array.from({ length: 7 }, () => "spend-limit-exceeded"));
    expect(await launched(tenant)).toBe(0);
  });

  it("is refused whole where only a part of it would fit", async () => {
    const tenant = await world.account({ spendLimitCents: 2 * reserveCents });
    const order = { instanceType: product.name, quantity: 3 };
    await changingNothing(world.db, () => refusal("spend-limit-exceeded", world.launch(tenant, order)));
    expect(await world.launch(tenant, { ...order, quantity: 2 })).toHaveLength(2);
  });

  it("goes through where its coupon makes it cheap enough", async () => {
    const tenant = await world.account({ spendLimitCents: reserveCents / 2 });
    await refusal("spend-limit-exceeded", launchBy(tenant));
    const { code } = await world.coupon({ discountBasisPoints: 5000 });
    expect((await world.launchOne(tenant, { instanceType: product.name, coupon: code })).state).toBe("booting");
  });

  it("goes through when another instance has ended, which costs nothing more", async () => {
    const tenant = await world.account({ spendLimitCents: reserveCents });
    const { id } = await launchBy(tenant);
    await refusal("spend-limit-exceeded", launchBy(tenant));
    await world.change(tenant, "terminate", [id]);
    expect((await launchBy(tenant)).state).toBe("booting");
  });
});

describe("launches at once", () => {
  it("of one account or token, in one transaction or in many, reserve each room once", async () => {
    for (const tenant of [
      await world.account({ spendLimitCents: 2 * reserveCents }),
      await tokenOf(await world.account(), 2 * reserveCents),
    ]) {
      await world.service.capacity.refresh();
      const alone = Array.from({ length: 4 }, () =>
        launchBy(tenant).then(
          () => "launched",
          (error: { kind: string }) => error.kind,
        ),
      );
      const outcomes = (await Promise.all([...alone, together(tenant, 4), together(tenant, 4)])).flat();
      // Those that met the account's row locked come again, as a server does it.
      for (let tries = 0; tries < 50 && (await launched(tenant)) < 2; tries++) {
        outcomes.push(...(await together(tenant, 1)));
      }
      expect(outcomes.filter((one) => one === "launched")).toHaveLength(2);
      expect(await launched(tenant)).toBe(2);
      expect(await together(tenant, 2)).toEqual(["spend-limit-exceeded", "spend-limit-exceeded"]);
    }
  });
});

describe("how far a bill passes its limit", () => {
  it("is less than what was left for at the last launch: what everything live costs between two checks", async () => {
    const limitCents = 3 * reserveCents;
    const tenant = await world.account({ spendLimitCents: limitCents });
    const ids = [(await launchBy(tenant)).id, (await launchBy(tenant)).id, (await launchBy(tenant)).id];
    await refusal("spend-limit-exceeded", launchBy(tenant));
    for (const id of ids) await activate(id);
    // The worst moment: a second before the limit is reached, and then a whole check interval.
    await travel(world.db, `${limitCheckSeconds - 1} seconds`);
    expect(await enforceSpendLimits(world.db)).toBe(0);
    await travel(world.db, `${limitCheckSeconds} seconds`);
    expect(await enforceSpendLimits(world.db)).toBe(3);
    const spent = (await spentByAccounts(world.db, [tenant.accountId])).get(tenant.accountId) ?? 0n;
    const past = spent - BigInt(limitCents) * cent;
    expect(past).toBeGreaterThan(0n);
    expect(past).toBeLessThanOrEqual(3n * BigInt(reserveCents) * cent);
  });
});
