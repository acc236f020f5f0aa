// What is shown beside a spend limit is what the limit is held to: this month's cost, of an account or of a token.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { listAccounts, readAccount } from "../accounts/account-store.ts";
import { createToken, listTokens, readToken } from "../accounts/token-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import { enforceSpendLimits } from "../limits/spend-limits.ts";
import type { Principal } from "../service.ts";
import {
  accountsWithSpent,
  accountWithSpent,
  spentByAccounts,
  spentByTokens,
  tokensWithSpent,
  tokenWithSpent,
} from "./spent.ts";

/** Launches reserve nothing here: what they reserve is spend-room.test.ts. */
const world = worldOfFile({ limitCheckSeconds: 0 });
const cent = 1_000_000n;
let product: InstanceType;
beforeEach(async () => {
  await world.image();
  await world.host({ vcpus: 512, memoryGib: 8192, storageGb: 90_000 });
  product = await world.product({ gpus: 0, priceCentsPerHour: 3600 });
});

/** One of the principal's instances was billed from then to then, told from the beginning of this month (UTC). A cent a second. */
async function used(principal: Principal, started: string, ended: string | null): Promise<void> {
  const { id } = await world.launchOne(principal, { instanceType: product.name });
  await sql`insert into billing_spans
      (instance_id, account_id, token_id, started_at, ended_at, price_cents_per_hour, discount_basis_points)
    select ${id}, ${principal.accountId}, ${principal.tokenId}, month + ${started}::interval, month + ${ended}::interval, 3600, 0
    from (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as month) this`.execute(world.db);
}

async function tokenOf(principal: Principal, spendLimitCents: number | null): Promise<Principal> {
  const order = { accountId: principal.accountId, name: world.fresh("token"), scopes: ["write"] as const };
  const { id } = await world.tx((tx) => createToken(tx, { ...order, expiresAt: null, spendLimitCents }));
  return { ...principal, tokenId: id };
}

const spentBy = async ({ accountId }: Principal) => (await spentByAccounts(world.db, [accountId])).get(accountId) ?? 0n;

describe("what an account has spent this month", () => {
  it("leaves out what was used before the month began", async () => {
    const principal = await world.account();
    await used(principal, "-2 hours", "-1 hour");
    await used(principal, "-2 hours", "0 seconds");
    expect(await spentBy(principal)).toBe(0n);
  });

  it("counts of a span that began before only the part since, and of one that goes on the part up to now", async () => {
    const [ended, running] = [await world.account(), await world.account()];
    await used(ended, "-2 hours", "5 seconds");
    expect(await spentBy(ended)).toBe(5n * cent);
    await used(running, "-2 hours", null);
    const { rows } = await sql<{ seconds: number }>`select floor(extract(epoch from
      now() - date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'))::bigint as seconds`.execute(world.db);
    const [spent, least] = [await spentBy(running), BigInt(rows[0]?.seconds ?? 0) * cent];
    // The database's clock runs on while the test runs.
    expect(spent >= least && spent < least + 30n * cent, `${spent} for ${least}`).toBe(true);
  });

  it("is its own alone", async () => {
    const [principal, other] = [await world.account(), await world.account()];
    await used(other, "0 seconds", "7 seconds");
    expect(await spentBy(principal)).toBe(0n);
    expect(await spentByAccounts(world.db, [principal.accountId, other.accountId])).toEqual(
      new Map([[other.accountId, 7n * cent]]),
    );
  });
});

describe("what a token has spent this month", () => {
  it("is the cost of what it launched, and of nothing else of its account", async () => {
    const principal = await world.account();
    const [one, two, idle] = [await tokenOf(principal, 10), await tokenOf(principal, 10), await tokenOf(principal, 10)];
    await used(one, "0 seconds", "3 seconds");
    await used(one, "-1 hour", "1 second");
    await used(two, "0 seconds", "2 seconds");
    await used(principal, "0 seconds", "9 seconds");
    const ids = [one, two, idle].map(({ tokenId }) => tokenId);
    expect(await spentByTokens(world.db, principal.accountId, ids)).toEqual(
      new Map([
        [one.tokenId, 4n * cent],
        [two.tokenId, 2n * cent],
      ]),
    );
    expect(await spentBy(principal)).toBe(15n * cent);
  });
});

describe("beside a limit", () => {
  it("it is 0 before anything was used, and nothing where there is no limit", async () => {
    const [limited, free] = [await world.account({ spendLimitCents: 5 }), await world.account()];
    await used(free, "0 seconds", "3 seconds");
    const account = async ({ accountId }: Principal) =>
      accountWithSpent(world.db, await readAccount(world.db, accountId));
    expect((await account(limited)).spentMicroCents).toBe(0n);
    expect((await account(free)).spentMicroCents).toBeNull();
    const token = await tokenOf(free, null);
    const shown = tokenWithSpent(world.db, free.accountId, await readToken(world.db, free.accountId, token.tokenId));
    expect((await shown).spentMicroCents).toBeNull();
  });

  it("costs a list one query, however long it is, and none where nothing in it has a limit", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    await world.account({ spendLimitCents: 100 });
    for (const limit of [100, 100, 100, null]) await used(await tokenOf(principal, limit), "0 seconds", "2 seconds");
    let queries = 0;
    const counted = world.db.withPlugin({
      transformQuery({ node }) {
        queries += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const tokens = await listTokens(world.db, principal.accountId, {});
    const shown = await tokensWithSpent(counted, principal.accountId, tokens);
    expect(shown.map(({ spentMicroCents }) => spentMicroCents)).toEqual([2n * cent, 2n * cent, 2n * cent, null]);
    expect(queries).toBe(1);
    const accounts = await accountsWithSpent(counted, await listAccounts(world.db, {}));
    expect(accounts.map(({ spentMicroCents }) => spentMicroCents)).toEqual([8n * cent, 0n]);
    expect(queries).toBe(2);
    await tokensWithSpent(counted, principal.accountId, tokens.slice(3));
    expect(queries).toBe(2);
  });

  it("it is what a launch is refused for and what is ended for, to the micro-cent", async () => {
    const principal = await world.account({ spendLimitCents: 100 });
    const limited = await tokenOf(principal, 4);
    await used(limited, "0 seconds", "3 seconds");
    await used(principal, "0 seconds", "1 second");
    expect(await refusedFor(limited)).toBeUndefined();
    await used(limited, "0 seconds", "1 second");
    const told = tokenWithSpent(
      world.db,
      principal.accountId,
      await readToken(world.db, principal.accountId, limited.tokenId),
    );
    expect((await told).spentMicroCents).toBe(4n * cent);
    expect(await refusedFor(limited)).toMatchObject({ of: "token", limitCents: 4 });
    expect(await refusedFor(principal)).toBeUndefined();
    await enforceSpendLimits(world.db);
    const events = world.db.selectFrom("events").select("data").where("type", "=", "token.spend_limit_reached");
    expect(await events.execute()).toMatchObject([{ data: { used_micro_cents: String(4n * cent) } }]);

    /** Undefined: the launch was let through. */
    async function refusedFor(by: Principal): Promise<object | undefined> {
      const launch = world.launchOne(by, { instanceType: product.name });
      return launch.then(
        () => undefined,
        () => refusal("spend-limit-exceeded", launch),
      );
    }
  });
});
