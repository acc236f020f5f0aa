// API tokens: shown once, stored as a hash, good until they expire or are revoked.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";
import { compatibilityVersions } from "../../rules/compatibility-versions.ts";
import { hashToken } from "../../secrets/token.ts";
import { changeAccount } from "./account-store.ts";
import {
  authenticate,
  createToken,
  listTokens,
  presetToken,
  readToken,
  recordTokenUse,
  revokeToken,
  type TokenOrder,
} from "./token-store.ts";

const world = worldOfFile();
let accountId: string;
beforeEach(async () => {
  accountId = (await world.account()).accountId;
});

const create = (order: Partial<TokenOrder> = {}) =>
  world.tx((tx) => createToken(tx, { accountId, name: "ci", scopes: ["read", "write"], expiresAt: null, ...order }));
/** What the token turns out to be when it is presented. */
const present = async (token: string) => {
  const hash = hashToken(token);
  return (await authenticate(world.db, [hash])).get(hash.toString("hex"));
};
const inAnHour = () => new Date(Date.now() + 3_600_000);

describe("a new token", () => {
  it("is recognized when it is presented, with its account and scopes", async () => {
    const made = await create({ scopes: ["read", "operator"] });
    expect(await present(made.token)).toEqual({
      principal: { accountId, tokenId: made.id, scopes: new Set(["read", "operator"]) },
      accountStatus: "active",
      expired: false,
      revoked: false,
      suspended: false,
      compatibilityVersion: null,
      moment: expect.objectContaining({ account: 0 }),
    });
  });

  it.each([null, ...compatibilityVersions])(
    "that is pinned to %s says so when it is presented and listed",
    async (pin) => {
      const made = await create({ compatibilityVersion: pin });
      expect(made.compatibilityVersion).toBe(pin);
      expect(await present(made.token)).toMatchObject({ compatibilityVersion: pin });
      expect(await readToken(world.db, accountId, made.id)).toMatchObject({ compatibilityVersion: pin });
    },
  );

  it("is pinned to no version that there is not, also by the database", async () => {
    const { id } = await create();
    const pin = sql`update tokens set compatibility_version = '9.9.9' where id = ${id}`;
    await expect(pin.execute(world.db)).rejects.toThrow("check constraint");
  });

  it("stands nowhere in the database but as its hash", async () => {
    const { token } = await create();
    const { rows } = await sql<{ text: string }>`select t::text as text from tokens t`.execute(world.db);
    expect(rows[0]?.text).not.toContain(token.slice(7));
    expect(rows[0]?.text).toContain(hashToken(token).toString("hex"));
  });

  it("is another one each time, and has each scope once", async () => {
    const [one, other] = [await create({ scopes: ["read", "read"] }), await create()];
    expect(one.token).not.toBe(other.token);
    expect(one.scopes).toEqual(["read"]);
  });

  it("is refused for an account that there is not, whatever its id looks like", async () => {
    for (const nobody of ["0198c0de-0000-7000-8000-000000000000", "nonsense"]) {
      expect(await refusal("unknown-object", create({ accountId: nobody }))).toEqual({
        what: "account",
        ids: [nobody],
      });
    }
  });

  it("is refused an expiry that has passed", async () => {
    const { fields } = await refusal("invalid-parameters", create({ expiresAt: new Date(Date.now() - 1000) }));
    expect(Object.keys(fields)).toEqual(["expires_at"]);
  });
});

describe("presenting tokens", () => {
  it("looks any number of them up at once, and leaves out what is no token", async () => {
    const made = [await create(), await create(), await create()];
    const hashes = [...made.map((one) => hashToken(one.token)), hashToken("lessor_unknown")];
    const found = await authenticate(world.db, hashes);
    expect([...found.values()].map((one) => one.principal.tokenId).sort()).toEqual(made.map((one) => one.id).sort());
    expect((await authenticate(world.db, [])).size).toBe(0);
  });

  it("tells that one has expired, by the database's clock", async () => {
    const { token } = await create({ expiresAt: inAnHour() });
    expect((await present(token))?.expired).toBe(false);
    await travel(world.db, "61 minutes");
    expect((await present(token))?.expired).toBe(true);
  });

  it("tells that its account is inactive", async () => {
    const { token } = await create();
    await world.tx((tx) => changeAccount(tx, accountId, { status: "inactive" }));
    expect((await present(token))?.accountStatus).toBe("inactive");
  });

  it("is noted as its last use", async () => {
    const [used, unused] = [await create(), await create()];
    expect(used.lastUsedAt).toBeNull();
    await recordTokenUse(world.db, [used.id]);
    const tokens = await listTokens(world.db, accountId, {});
    expect(tokens.find((one) => one.id === used.id)?.lastUsedAt).toBeInstanceOf(Date);
    expect(tokens.find((one) => one.id === unused.id)?.lastUsedAt).toBeNull();
    await recordTokenUse(world.db, []);
  });
});

describe("revoking", () => {
  const revoke = (id: string, account = accountId) => world.tx((tx) => revokeToken(tx, account, id));

  it("works at once, and a second time changes nothing", async () => {
    const { id, token } = await create();
    await revoke(id);
    expect((await present(token))?.revoked).toBe(true);
    const { revokedAt } = only(await listTokens(world.db, accountId, {}));
    await revoke(id.toUpperCase());
    expect(only(await listTokens(world.db, accountId, {})).revokedAt).toEqual(revokedAt);
  });

  it("of an unknown token, or of another account's, is refused alike", async () => {
    const { id, token } = await create();
    const other = (await world.account()).accountId;
    await refusal("unknown-object", revoke(id, other));
    for (const unknown of ["0198c0de-0000-7000-8000-000000000000", "nonsense"]) {
      expect(await refusal("unknown-object", revoke(unknown))).toEqual({ what: "token", ids: [unknown] });
    }
    expect((await present(token))?.revoked).toBe(false);
  });
});

describe("the list", () => {
  it("has the account's tokens, oldest first, the revoked included and none in plaintext", async () => {
    const made = [await create({ name: "a" }), await create({ name: "b", expiresAt: inAnHour() })];
    await world.tx((tx) => revokeToken(tx, accountId, made[0]?.id ?? ""));
    await create({ accountId: (await world.account()).accountId });
    const listed = await listTokens(world.db, accountId, {});
    expect(listed.map((one) => [one.name, one.revokedAt !== null, one.expiresAt !== null])).toEqual([
      ["a", true, false],
      ["b", false, true],
    ]);
    expect(JSON.stringify(listed)).not.toContain("lessor_");
    expect((await listTokens(world.db, accountId, { after: made[0]?.id })).map((one) => one.name)).toEqual(["b"]);
    expect(await listTokens(world.db, "nonsense", {})).toEqual([]);
  });
});

describe("a preset token", () => {
  const preset = "preset-by-the-operator-0123456789abcdef";
  const orderFor = (account: string) =>
    ({ accountId: account, name: "preset", scopes: ["operator"], expiresAt: null }) as const;
  const set = (token: string | undefined = preset) => world.tx((tx) => presetToken(tx, orderFor(accountId), token));

  it("is valid after it was set, and set again it is still one", async () => {
    await set();
    await set();
    expect((await present(preset))?.principal.scopes).toEqual(new Set(["operator"]));
    expect(await listTokens(world.db, accountId, {})).toHaveLength(1);
  });

  it("can be set by several replicas that start at once", async () => {
    await Promise.all(Array.from({ length: 6 }, () => set()));
    expect(await listTokens(world.db, accountId, {})).toHaveLength(1);
  });

  it("is valid again when it was revoked and is set again", async () => {
    await set();
    const { id } = only(await listTokens(world.db, accountId, {}));
    await world.tx((tx) => revokeToken(tx, accountId, id));
    await set();
    expect((await present(preset))?.revoked).toBe(false);
  });

  it("ends the former one, and all of them when none is set any more", async () => {
    await set();
    await set(`${preset}-2`);
    expect((await present(preset))?.revoked).toBe(true);
    expect((await present(`${preset}-2`))?.revoked).toBe(false);
    await world.tx((tx) => presetToken(tx, orderFor(accountId), undefined));
    expect((await present(`${preset}-2`))?.revoked).toBe(true);
  });

  it("leaves the account's other tokens alone", async () => {
    const { token } = await world.tx((tx) => createToken(tx, { ...orderFor(accountId), name: "other" }));
    await set();
    expect((await present(token))?.revoked).toBe(false);
  });

  it("cannot be another account's token", async () => {
    const other = await world.account();
    await world.tx((tx) => presetToken(tx, orderFor(other.accountId), preset));
    await expect(set()).rejects.toThrow("another account");
    expect((await present(preset))?.principal.accountId).toBe(other.accountId);
  });
});

it("of many accounts, looking up a token reads its own alone", async () => {
  await sql`
    insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
    select gen_random_uuid(), 'one of many ' || n, 1, 1, 1, 1, 1 from generate_series(1, 5000) n`.execute(world.db);
  // As PostgreSQL sees it, tokens are of the first accounts only: those of tests have ids that begin with the time.
  for (let n = 0; n < 16; n++) await create({ accountId: (await world.account()).accountId });
  await sql`analyze accounts, tokens`.execute(world.db);
  const { rows } = await sql<{ id: string }>`select id from accounts order by id desc limit 1`.execute(world.db);
  const { token } = await create({ accountId: only(rows).id });
  const accountsRead = async (tx: Transaction) => {
    const { rows: counts } = await sql<{ n: string }>`
      select seq_tup_read + idx_tup_fetch as n from pg_stat_xact_user_tables where relname = 'accounts'`.execute(tx);
    return Number(only(counts).n);
  };
  const [before, found, after] = await world.tx(async (tx) => [
    await accountsRead(tx),
    await authenticate(tx, [hashToken(token)]),
    await accountsRead(tx),
  ]);
  expect(found.size).toBe(1);
  expect(after - before).toBe(1);
});
