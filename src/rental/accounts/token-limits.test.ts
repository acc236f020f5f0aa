// Nobody comes to spend more, or to go on for longer, than their token may by what that token does.

import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Principal, Scope } from "../service.ts";
import { type AccountChange, changeAccount, readAccount } from "./account-store.ts";
import { createTokenBy, isHeldByNoMore, limitToken, revokeTokenBy } from "./token-limits.ts";
import { createToken, readToken } from "./token-store.ts";

const world = worldOfFile();
let principal: Principal;
beforeEach(async () => {
  principal = await world.account();
});

async function tokenWith(
  spendLimitCents: number | null,
  account = principal,
  expiresAt: Date | null = null,
): Promise<Principal> {
  const order = { accountId: account.accountId, name: world.fresh("token"), expiresAt };
  const { id } = await world.tx((tx) => createToken(tx, { ...order, scopes: ["read", "write"], spendLimitCents }));
  return { ...account, tokenId: id };
}
const limit = (by: Principal, of: Principal, cents: number | null) =>
  world.tx((tx) => limitToken(tx, by, of.accountId, of.tokenId, cents));
const revoke = (by: Principal, of: Principal) => world.tx((tx) => revokeTokenBy(tx, by, of.accountId, of.tokenId));
const limitOf = async (of: Principal) => (await readToken(world.db, of.accountId, of.tokenId)).spendLimitCents;
const make = (by: Principal, scopes: readonly Scope[], accountId = by.accountId) =>
  world.tx((tx) => createTokenBy(tx, by, { accountId, name: world.fresh("made"), scopes, expiresAt: null }, "team"));
const refused = (asked: () => Promise<unknown>) => changingNothing(world.db, () => refusal("conflict", asked()));

describe("a token without a limit", () => {
  it("sets, raises and takes away the limits of others", async () => {
    const [by, of] = [await tokenWith(null), await tokenWith(null)];
    for (const cents of [100, 200, 50, null]) {
      expect(await limit(by, of, cents)).toMatchObject({ id: of.tokenId, spendLimitCents: cents });
      expect(await limitOf(of)).toBe(cents);
    }
  });

  it("may give itself one, and is then held by it", async () => {
    const by = await tokenWith(null);
    await limit(by, by, 100);
    await refused(() => limit(by, by, 101));
    await refused(() => limit(by, by, null));
    expect(await limitOf(by)).toBe(100);
  });

  it("makes tokens of every kind", async () => {
    const by = await tokenWith(null);
    for (const scopes of [["read"], ["write"], ["read", "write", "operator"]] as const) {
      expect((await make(by, scopes)).spendLimitCents).toBeNull();
    }
  });
});

describe("a token with a limit", () => {
  it("lowers its own and others', and raises none", async () => {
    const [by, of] = [await tokenWith(100), await tokenWith(1000)];
    await limit(by, by, 100);
    await limit(by, by, 90);
    await limit(by, of, 999);
    await refused(() => limit(by, of, 1000));
    await refused(() => limit(by, of, null));
    await refused(() => limit(by, by, 100));
  });

  it("makes no token that may write or operate, in any account, and those that only read", async () => {
    const by = await tokenWith(100);
    const other = await world.account();
    for (const accountId of [by.accountId, other.accountId]) {
      expect((await make(by, ["read"], accountId)).scopes).toEqual(["read"]);
      for (const scopes of [["write"], ["operator"], ["read", "write"], ["read", "operator"]] as const) {
        await refused(() => make(by, scopes, accountId));
      }
    }
  });

  it("revokes none that has no limit, in any account: only itself and others with one", async () => {
    const [by, limited, free] = [await tokenWith(100), await tokenWith(1000), await tokenWith(null)];
    const foreign = await tokenWith(null, await world.account());
    for (const one of [free, foreign]) {
      await refused(() => revoke(by, one));
      expect((await readToken(world.db, one.accountId, one.tokenId)).revokedAt).toBeNull();
    }
    await revoke(free, free);
    for (const one of [limited, free, by]) {
      await revoke(by, one);
      expect((await readToken(world.db, one.accountId, one.tokenId)).revokedAt).not.toBeNull();
    }
  });

  it("gives no limit to one that has none, in any account: it would end what that launched, and could then revoke it", async () => {
    for (const account of [principal, await world.account()]) {
      const [by, free] = [await tokenWith(100), await tokenWith(null, account)];
      for (const cents of [0, 1, 1_000_000]) await refused(() => limit(by, free, cents));
      expect(await limitOf(free)).toBeNull();
    }
  });

  it("waits for a limit that is just being taken away, and then revokes nothing", async () => {
    const [by, of] = [await tokenWith(100), await tokenWith(1000)];
    await using open = await begin(world.db);
    await limitToken(open.tx, principal, of.accountId, of.tokenId, null);
    const revoking = refusal("conflict", revoke(by, of));
    await untilWaiting(world.db);
    await open.commit();
    await revoking;
    expect((await readToken(world.db, of.accountId, of.tokenId)).revokedAt).toBeNull();
  });

  it("of an operator raises the limits of other accounts' tokens", async () => {
    const by = await tokenWith(100);
    const of = await tokenWith(10, await world.account());
    expect((await limit(by, of, 10_000)).spendLimitCents).toBe(10_000);
  });

  it("of an operator raises no bound of its own account, and may lower them and raise those of others", async () => {
    const [by, free] = [await tokenWith(100), await tokenWith(null)];
    const other = await world.account();
    const change = (to: AccountChange, { accountId } = principal, as = by) =>
      world.tx((tx) => changeAccount(tx, accountId, to, as));
    await change({ spendLimitCents: 1000, maxLifetimeSeconds: 60 });
    await refused(() => change({ spendLimitCents: 1001 }));
    await refused(() => change({ spendLimitCents: null }));
    await refused(() => change({ maxLifetimeSeconds: 61 }));
    await refused(() =>
      change({ maxLifetimeSeconds: null }, { ...principal, accountId: principal.accountId.toUpperCase() }),
    );
    await change({ name: world.fresh("renamed"), spendLimitCents: 900, maxLifetimeSeconds: 60 });
    expect(await readAccount(world.db, principal.accountId)).toMatchObject({
      spendLimitCents: 900,
      maxLifetimeSeconds: 60,
    });
    await change({ spendLimitCents: 5 }, other);
    expect(await change({ spendLimitCents: null }, other)).toMatchObject({ spendLimitCents: null });
    expect(await change({ spendLimitCents: null }, principal, free)).toMatchObject({ spendLimitCents: null });
  });
});

describe("a token that expires", () => {
  const soon = new Date("2098-01-01T00:00:00.000Z");
  const later = new Date("2099-01-01T00:00:00.000Z");
  const makeUntil = (by: Principal, expiresAt: Date | null | undefined, accountId = by.accountId) =>
    world.tx((tx) =>
      createTokenBy(tx, by, { accountId, name: world.fresh("made"), scopes: ["read", "write"], expiresAt }, "team"),
    );

  it("makes tokens that expire when it does, or before where that is asked", async () => {
    const by = await tokenWith(null, principal, later);
    expect((await makeUntil(by, undefined)).expiresAt).toEqual(later);
    expect((await makeUntil(by, later)).expiresAt).toEqual(later);
    expect((await makeUntil(by, soon)).expiresAt).toEqual(soon);
  });

  it("makes none that expire later or never, in any account, and says until when", async () => {
    const by = await tokenWith(null, principal, soon);
    const other = await world.account();
    for (const accountId of [by.accountId, other.accountId]) {
      for (const asked of [later, new Date(soon.getTime() + 1), null]) {
        const details = await changingNothing(world.db, () =>
          refusal("invalid-parameters", makeUntil(by, asked, accountId)),
        );
        expect(details).toMatchObject({
          fields: { expires_at: { message: expect.stringContaining("expires at 2098-01-01T00:00:00.000Z") } },
        });
      }
    }
  });

  it("is not what others make: theirs do not expire unless told", async () => {
    const by = await tokenWith(null);
    expect((await makeUntil(by, undefined)).expiresAt).toBeNull();
    expect((await makeUntil(by, null)).expiresAt).toBeNull();
    expect((await makeUntil(by, soon)).expiresAt).toEqual(soon);
  });

  it("is told what one was answered that lasts no longer, and a limited token only what it was answered itself", async () => {
    const [free, limited] = [await tokenWith(null), await tokenWith(5)];
    const [short, long] = [await tokenWith(null, principal, soon), await tokenWith(null, principal, later)];
    const told = (by: Principal, first: Principal | null) =>
      world.tx((tx) => isHeldByNoMore(tx, by, first?.tokenId ?? null));
    for (const one of [free, limited, short, long]) expect(await told(one, one)).toBe(true);
    for (const one of [free, limited, short, long, null]) expect(await told(free, one)).toBe(true);
    for (const one of [free, short, long, null]) expect(await told(limited, one)).toBe(false);
    for (const [by, first, expected] of [
      [long, short, true],
      [short, long, false],
      [long, free, false],
      [long, null, false],
      [short, limited, false],
    ] as const) {
      expect(await told(by, first)).toBe(expected);
    }
  });
});

describe("a limit that is changed", () => {
  it("is an event of the account, where it is another than before", async () => {
    const [by, of] = [await tokenWith(null), await tokenWith(100)];
    await limit(by, of, 100);
    await limit(by, of, 200);
    const query = world.db.selectFrom("events").select(["account_id", "subject_id", "data"]);
    expect(await query.where("type", "=", "token.spend_limit_changed").execute()).toEqual([
      {
        account_id: principal.accountId,
        subject_id: of.tokenId,
        data: { token_id: of.tokenId, name: expect.any(String), spend_limit_cents: 200 },
      },
    ]);
  });

  it("is that of a token of the account", async () => {
    const by = await tokenWith(null);
    const stranger = await tokenWith(100, await world.account());
    await expect(world.tx((tx) => limitToken(tx, by, by.accountId, stranger.tokenId, 5))).rejects.toMatchObject({
      kind: "unknown-object",
    });
    expect(await limitOf(stranger)).toBe(100);
  });

  it("cannot be raised by two that judge it at once", async () => {
    const [by, of] = [await tokenWith(null), await tokenWith(null)];
    await Promise.allSettled([limit(by, by, 10), limit(by, by, 20), limit(by, of, 5), limit(by, of, 7)]);
    const own = await limitOf(by);
    expect(own === 10 || own === 20).toBe(true);
    await refused(() => limit(by, by, (own ?? 0) + 1));
  });
});
