// Quotas and spend limits where many launches go into one transaction: each launch is held to them in its turn, by what those
// before it took, and no launch of another account is.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { begin } from "../../../test/support/interleave.ts";
import { launch } from "../../../test/support/launch-all.ts";
import { batchesOfFile, details, words } from "../../../test/support/launch-batches.ts";
import { changingNothing } from "../../../test/support/refusals.ts";
import { changeAccount } from "../accounts/account-store.ts";
import { createToken } from "../accounts/token-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Principal } from "../service.ts";

const fixture = batchesOfFile();
const { world, ask, together, untilLater, used } = fixture;
let principal: Principal;
let other: Principal;
let product: InstanceType;
beforeEach(() => {
  ({ principal, other, product } = fixture.prepared);
});

describe("a quota", () => {
  for (const [what, quota, each] of [
    ["instances", 3, 1],
    ["gpus", 3, 1],
    ["vcpus", 7, 2],
  ] as const) {
    it(`of ${what} is used up in the order of the launches, by those that fit in what is left`, async () => {
      const bounded = await world.account({ quotas: { [what]: quota } });
      const asked = [2, 2, 1, 1].map((quantity) => ask(bounded, { quantity }));
      const outcomes = await together(...asked, ask(other, { quantity: 2 }));
      expect(words(outcomes)).toEqual(["launched", "quota-exceeded", "launched", "quota-exceeded", "launched"]);
      expect(details(outcomes[1])).toEqual({ what, limit: quota, used: 2 * each, requested: 2 * each });
      expect(details(outcomes[3])).toEqual({ what, limit: quota, used: 3 * each, requested: each });
      await auditCapacity(world.db);
    });
  }

  it("counts what the account has already", async () => {
    const bounded = await world.account({ quotas: { gpus: 2 } });
    await world.launch(bounded, { instanceType: product.name });
    const outcomes = await together(ask(bounded), ask(bounded));
    expect(words(outcomes)).toEqual(["launched", "quota-exceeded"]);
  });

  it("refuses before anything is taken: a host then has all its room", async () => {
    const bounded = await world.account({ quotas: { gpus: 0 } });
    expect(words(await changingNothing(world.db, () => together(ask(bounded))))).toEqual(["quota-exceeded"]);
    expect(words(await together(ask(bounded), ask(principal, { quantity: 8 })))).toEqual(["quota-exceeded", "alone"]);
    expect(words(await together(ask(principal, { quantity: 8 })))).toEqual(["launched"]);
  });

  for (const [ending, expected] of [
    ["commit", "quota-exceeded"],
    ["rollback", "launched"],
  ] as const) {
    it(`is judged after another launch of the account that it waited for: ${ending}`, async () => {
      await world.host({ gpus: 8, vcpus: 200, memoryGib: 2000, storageGb: 9000 });
      const bounded = await world.account({ quotas: { instances: 1 } });
      await using open = await begin(world.db);
      await launch(open.tx, world.service, bounded, ask(bounded).order);
      const launching = together(ask(other), ask(bounded));
      await untilLater();
      await open[ending]();
      expect(words(await launching)).toEqual(["launched", expected]);
      await auditCapacity(world.db);
    });
  }
});

describe("a spend limit", () => {
  const tokenOf = async (whose: Principal, spendLimitCents: number): Promise<Principal> => {
    const words = { accountId: whose.accountId, name: world.fresh("token"), scopes: ["write"] as const };
    const { id } = await world.tx((tx) => createToken(tx, { ...words, expiresAt: null, spendLimitCents }));
    return { ...whose, tokenId: id };
  };

  it("that is reached refuses the account's launches, and no others", async () => {
    const limited = await world.account({ spendLimitCents: 1000 });
    await used(limited, 1000);
    const outcomes = await together(ask(limited), ask(other), ask(limited));
    expect(words(outcomes)).toEqual(["spend-limit-exceeded", "launched", "spend-limit-exceeded"]);
    expect(details(outcomes[0])).toEqual({ of: "account", limitCents: 1000 });
    await auditCapacity(world.db);
  });

  it("that is not reached lets all through that come before it is", async () => {
    const limited = await world.account({ spendLimitCents: 1000 });
    await used(limited, 999);
    expect(words(await together(ask(limited), ask(limited)))).toEqual(["launched", "launched"]);
  });

  it("of a token refuses that token's launches, and not those of the account's others", async () => {
    const limited = await tokenOf(principal, 1000);
    await used(limited, 1000);
    const outcomes = await together(ask(limited), ask(principal), ask(await tokenOf(principal, 1000)));
    expect(words(outcomes)).toEqual(["spend-limit-exceeded", "launched", "launched"]);
    expect(details(outcomes[0])).toEqual({ of: "token", limitCents: 1000 });
  });

  it("that was lowered while they waited for the account refuses them then, and the others go through", async () => {
    const limited = await world.account({ spendLimitCents: 10_000 });
    await used(limited, 1000);
    await using open = await begin(world.db);
    await changeAccount(open.tx, limited.accountId, { spendLimitCents: 1000 });
    const launching = together(ask(other), ask(limited), ask(limited), ask(principal));
    await untilLater();
    await open.commit();
    const outcomes = await launching;
    expect(words(outcomes)).toEqual(["launched", "spend-limit-exceeded", "spend-limit-exceeded", "launched"]);
    expect(details(outcomes[1])).toEqual({ of: "account", limitCents: 1000 });
    await auditCapacity(world.db);
  });

  it("that was reached while they waited for the account refuses them then", async () => {
    const limited = await tokenOf(principal, 1000);
    await used(limited, 999);
    await using open = await begin(world.db);
    await sql`select from accounts where id = ${principal.accountId} for update`.execute(open.tx);
    const launching = together(ask(limited), ask(other));
    await untilLater();
    await sql`update billing_spans set price_cents_per_hour = 3600 * 1000`.execute(world.db);
    await open.rollback();
    expect(words(await launching)).toEqual(["spend-limit-exceeded", "launched"]);
    await auditCapacity(world.db);
  });
});
