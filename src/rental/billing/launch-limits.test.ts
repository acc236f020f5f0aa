// Spend limits at a launch: nothing new once this month's use has reached that of the account or of the token. What
// becomes of what runs is limits/spend-limits.test.ts.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { createToken } from "../accounts/token-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";

/** Launches reserve nothing here: what they reserve is spend-room.test.ts. */
const world = worldOfFile({ limitCheckSeconds: 0 });
let product: InstanceType;
beforeEach(async () => {
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
});

const launchBy = (principal: Principal) => world.launchOne(principal, { instanceType: product.name });
const refused = (principal: Principal) =>
  changingNothing(world.db, () => refusal("spend-limit-exceeded", launchBy(principal)));

/**
 * An instance of the account that has cost so many cents this month and has ended. It cost them in the month's first
 * second, so that these tests hold on the first of a month too.
 */
async function used(principal: Principal, cents: number): Promise<string> {
  const { id } = await launchBy(principal);
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    select ${id}, ${principal.accountId}, ${principal.tokenId}, month, month + interval '1 second', ${3600 * cents}, 0
    from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(world.db);
  return id;
}

describe("an account's spend limit", () => {
  it("lets launches through while less than it was used", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    await used(principal, 999);
    expect((await launchBy(principal)).state).toBe("booting");
  });

  it("refuses launches as soon as it is reached, and says what it is", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    await used(principal, 1000);
    expect(await refused(principal)).toEqual({ of: "account", limitCents: 1000 });
  });

  it("of nothing refuses every launch", async () => {
    expect(await refused(await world.account({ spendLimitCents: 0 }))).toEqual({ of: "account", limitCents: 0 });
  });

  it("does not stop what runs, nor forbids its owner to change it", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    const id = await used(principal, 5000);
    const [stopping] = await world.change(principal, "stop", [id]);
    expect(stopping?.state).toBe("stopping");
  });

  it("counts this month only", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    await used(principal, 5000);
    await sql`update billing_spans set started_at = started_at - interval '1 day', ended_at = ended_at - interval '1 day'`.execute(
      world.db,
    );
    expect((await launchBy(principal)).state).toBe("booting");
  });

  it("is the account's own, and none where none is set", async () => {
    const [limited, free] = [await world.account({ spendLimitCents: 1000 }), await world.account()];
    await used(free, 5000);
    expect((await launchBy(free)).state).toBe("booting");
    expect((await launchBy(limited)).state).toBe("booting");
  });

  it("lets launches through again when it is raised", async () => {
    const principal = await world.account({ spendLimitCents: 1000 });
    await used(principal, 1000);
    await refused(principal);
    await world.tx((tx) => changeAccount(tx, principal.accountId, { spendLimitCents: 1001 }));
    expect((await launchBy(principal)).state).toBe("booting");
  });
});

/** A token of the account with this limit. */
async function tokenOf(principal: Principal, spendLimitCents: number | null): Promise<Principal> {
  const order = {
    accountId: principal.accountId,
    name: world.fresh("token"),
    scopes: ["write"] as const,
    expiresAt: null,
  };
  const { id } = await world.tx((tx) => createToken(tx, { ...order, spendLimitCents }));
  return { ...principal, tokenId: id };
}

describe("a token's spend limit", () => {
  it("counts what that token launched, and is told apart from the account's", async () => {
    const principal = await world.account({ spendLimitCents: 5000 });
    const [limited, other] = [await tokenOf(principal, 1000), await tokenOf(principal, null)];
    await used(other, 2000);
    expect((await launchBy(limited)).tokenId).toBe(limited.tokenId);
    await used(limited, 1000);
    expect(await refused(limited)).toEqual({ of: "token", limitCents: 1000 });
    expect((await launchBy(other)).state).toBe("booting");
    await used(other, 2000);
    expect(await refused(limited)).toEqual({ of: "account", limitCents: 5000 });
    expect(await refused(other)).toEqual({ of: "account", limitCents: 5000 });
  });

  it("of nothing refuses every launch", async () => {
    expect(await refused(await tokenOf(await world.account(), 0))).toEqual({ of: "token", limitCents: 0 });
  });
});

describe("launches at the same time", () => {
  it("see a limit that was lowered while they waited for their account", async () => {
    const principal = await world.account({ spendLimitCents: 10_000 });
    await used(principal, 1000);
    const open = await begin(world.db);
    await changeAccount(open.tx, principal.accountId, { spendLimitCents: 1000 });
    const launching = Array.from({ length: 4 }, () => refusal("spend-limit-exceeded", launchBy(principal)));
    await untilWaiting(world.db, 4);
    await open.commit();
    for (const details of await Promise.all(launching)) expect(details).toEqual({ of: "account", limitCents: 1000 });
  });

  it("see what was used meanwhile", async () => {
    const principal = await world.account();
    const limited = await tokenOf(principal, 1000);
    const id = await used(limited, 999);
    await using open = await begin(world.db);
    await sql`select from accounts where id = ${principal.accountId} for update`.execute(open.tx);
    const launching = refusal("spend-limit-exceeded", launchBy(limited));
    await untilWaiting(world.db);
    await sql`update billing_spans set price_cents_per_hour = 3600 * 1000 where instance_id = ${id}`.execute(world.db);
    await open.rollback();
    expect(await launching).toEqual({ of: "token", limitCents: 1000 });
  });
});
