// The spend limit: nothing new once this month's use has reached it. What runs goes on.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/index.ts";
import type { Product } from "../instances/index.ts";
import type { Tenant } from "../service.ts";

const world = worldOfFile();
let product: Product;
beforeEach(async () => {
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
});

const launchBy = (tenant: Tenant) => world.launchOne(tenant, { instanceType: product.name });
const refused = (tenant: Tenant) => changingNothing(world.db, () => refusal("spend-limit-exceeded", launchBy(tenant)));

/**
 * An instance of the account that has cost so many cents this month and has ended. It cost them in the month's first
 * second, so that these tests hold on the first of a month too.
 */
async function used(tenant: Tenant, cents: number): Promise<string> {
  const { id } = await launchBy(tenant);
  await sql`insert into billing_spans
      (instance_id, account_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    select ${id}, ${tenant.accountId}, month, month + interval '1 second', ${3600 * cents}, 0
    from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(world.db);
  return id;
}

describe("an account's spend limit", () => {
  it("lets launches through while less than it was used", async () => {
    const tenant = await world.account({ spendLimitCents: 1000 });
    await used(tenant, 999);
    expect((await launchBy(tenant)).state).toBe("booting");
  });

  it("refuses launches as soon as it is reached, and says what it is", async () => {
    const tenant = await world.account({ spendLimitCents: 1000 });
    await used(tenant, 1000);
    expect(await refused(tenant)).toEqual({ limitCents: 1000 });
  });

  it("of nothing refuses every launch", async () => {
    expect(await refused(await world.account({ spendLimitCents: 0 }))).toEqual({ limitCents: 0 });
  });

  it("does not stop what runs, nor forbids its owner to change it", async () => {
    const tenant = await world.account({ spendLimitCents: 1000 });
    const id = await used(tenant, 5000);
    const [stopping] = await world.change(tenant, "stop", [id]);
    expect(stopping?.state).toBe("stopping");
  });

  it("counts this month only", async () => {
    const tenant = await world.account({ spendLimitCents: 1000 });
    await used(tenant, 5000);
    await sql`update billing_spans set started_at = started_at - interval '1 day', ended_at = ended_at - interval '1 day'`.execute(
      world.db,
    );
    expect((await launchBy(tenant)).state).toBe("booting");
  });

  it("is the account's own, and none where none is set", async () => {
    const [limited, free] = [await world.account({ spendLimitCents: 1000 }), await world.account()];
    await used(free, 5000);
    expect((await launchBy(free)).state).toBe("booting");
    expect((await launchBy(limited)).state).toBe("booting");
  });

  it("lets launches through again when it is raised", async () => {
    const tenant = await world.account({ spendLimitCents: 1000 });
    await used(tenant, 1000);
    await refused(tenant);
    await world.tx((tx) => changeAccount(tx, tenant.accountId, { spendLimitCents: 1001 }));
    expect((await launchBy(tenant)).state).toBe("booting");
  });
});
