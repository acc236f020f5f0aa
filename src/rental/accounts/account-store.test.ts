// Accounts and their quotas.

import { beforeEach, describe, expect, it } from "vitest";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import {
  type AccountChange,
  changeAccount,
  createAccount,
  findAccount,
  listAccounts,
  type Quotas,
  quotaNames,
  readAccount,
} from "./account-store.ts";
import { releaseQuota, takeQuota } from "./quotas.ts";

const world = worldOfFile();
const quotas: Quotas = { instances: 10, gpus: 20, vcpus: 30, ssh_keys: 40, file_systems: 50 };
const none: Quotas = { instances: 0, gpus: 0, vcpus: 0, ssh_keys: 0, file_systems: 0 };
const create = (name: string) => world.tx((tx) => createAccount(tx, { name, quotas }));

describe("an account", () => {
  it("begins active, with the quotas it was given, nothing used and no spend limit", async () => {
    const account = await create("acme");
    expect(account).toMatchObject({ name: "acme", status: "active", quotas, used: none, spendLimitCents: null });
    expect(await readAccount(world.db, account.id)).toEqual(account);
    expect(await findAccount(world.db, "acme")).toEqual(account);
  });

  it("may begin inactive and with a spend limit", async () => {
    const order = { name: "acme", quotas, status: "inactive", spendLimitCents: 5000 } as const;
    expect(await world.tx((tx) => createAccount(tx, order))).toMatchObject({
      status: "inactive",
      spendLimitCents: 5000,
    });
  });

  it("has a name of its own", async () => {
    await create("acme");
    const details = await changingNothing(world.db, () => refusal("duplicate", create("acme")));
    expect(details.field).toBe("name");
  });

  it("that nobody has is unknown, by id and by name", async () => {
    for (const id of ["0198c0de-0000-7000-8000-000000000000", "nonsense"]) {
      expect(await refusal("unknown-object", readAccount(world.db, id))).toEqual({ what: "account", ids: [id] });
    }
    expect(await findAccount(world.db, "nobody")).toBeUndefined();
  });

  it("is read by its id in any spelling", async () => {
    const { id } = await create("acme");
    expect((await readAccount(world.db, id.replaceAll("-", "").toUpperCase())).id).toBe(id);
  });

  it("is listed, oldest first, page by page", async () => {
    for (const name of ["c", "a", "b"]) await create(name);
    const first = await listAccounts(world.db, { limit: 2 });
    const rest = await listAccounts(world.db, { after: first.at(-1)?.id });
    expect([...first, ...rest].map((account) => account.name)).toEqual(["c", "a", "b"]);
  });
});

describe("changing an account", () => {
  it("sets what is named and leaves the rest", async () => {
    const account = await create("acme");
    const change = { status: "inactive", quotas: { gpus: 0, vcpus: undefined }, spendLimitCents: 100 } as const;
    const changed = await world.tx((tx) => changeAccount(tx, account.id, change));
    expect(changed).toEqual({ ...account, status: "inactive", quotas: { ...quotas, gpus: 0 }, spendLimitCents: 100 });
    expect(await world.tx((tx) => changeAccount(tx, account.id, {}))).toEqual(changed);
    const limitless = await world.tx((tx) => changeAccount(tx, account.id, { spendLimitCents: null, name: "renamed" }));
    expect(limitless).toMatchObject({ name: "renamed", spendLimitCents: null });
  });

  it("tells in an event of each new spend limit and lifetime, and of nothing that stays as it was", async () => {
    const { id } = await create("acme");
    const set = (change: AccountChange) => world.tx((tx) => changeAccount(tx, id, change));
    await set({ name: "renamed", status: "inactive", quotas: { gpus: 1 } });
    await set({ spendLimitCents: null, maxLifetimeSeconds: null });
    expect(await told()).toEqual([]);
    await set({ spendLimitCents: 500, maxLifetimeSeconds: 3600 });
    await set({ spendLimitCents: 500, maxLifetimeSeconds: 60 });
    await set({ spendLimitCents: null, name: "again" });
    expect(await told()).toEqual([
      ["account.spend_limit_changed", { account_id: id, spend_limit_cents: 500 }],
      ["account.lifetime_changed", { account_id: id, max_lifetime_seconds: 3600 }],
      ["account.lifetime_changed", { account_id: id, max_lifetime_seconds: 60 }],
      ["account.spend_limit_changed", { account_id: id, spend_limit_cents: null }],
    ]);

    async function told() {
      const query = world.db.selectFrom("events").select(["account_id", "subject_id", "type", "data"]);
      const rows = await query.orderBy("position").execute();
      expect(rows.every((row) => row.account_id === id && row.subject_id === id)).toBe(true);
      return rows.map(({ type, data }) => [type, data]);
    }
  });

  it("tells of a new limit once where two set the same one at once, and of none that was refused", async () => {
    const [{ id }] = [await create("acme"), await create("taken")];
    const set = (change: AccountChange) => world.tx((tx) => changeAccount(tx, id, change));
    await using first = await begin(world.db);
    await changeAccount(first.tx, id, { spendLimitCents: 7 });
    const second = set({ spendLimitCents: 7 });
    await untilWaiting(world.db);
    await first.commit();
    await second;
    await refusal("duplicate", set({ spendLimitCents: 8, name: "taken" }));
    expect(await world.db.selectFrom("events").select("data").execute()).toEqual([
      { data: { account_id: id, spend_limit_cents: 7 } },
    ]);
  });

  it("refuses a name that another has, and an account that there is not", async () => {
    await create("acme");
    const { id } = await create("other");
    await refusal(
      "duplicate",
      world.tx((tx) => changeAccount(tx, id, { name: "acme" })),
    );
    await refusal(
      "unknown-object",
      world.tx((tx) => changeAccount(tx, "nonsense", { name: "x" })),
    );
  });

  it("may lower a quota below what is in use", async () => {
    const { id } = await create("acme");
    await world.tx((tx) => takeQuota(tx, id, { gpus: 8 }));
    const account = await world.tx((tx) => changeAccount(tx, id, { quotas: { gpus: 2 } }));
    expect([account.quotas.gpus, account.used.gpus]).toEqual([2, 8]);
  });
});

describe("a quota", () => {
  let id: string;
  beforeEach(async () => {
    id = (await create("acme")).id;
  });
  const take = (n: Partial<Quotas>) => world.tx((tx) => takeQuota(tx, id, n));
  const used = async () => (await readAccount(world.db, id)).used;

  for (const name of quotaNames) {
    it(`of ${name} lets through exactly what it says`, async () => {
      await take({ [name]: quotas[name] });
      expect(await used()).toEqual({ ...none, [name]: quotas[name] });
      const details = await changingNothing(world.db, () => refusal("quota-exceeded", take({ [name]: 1 })));
      expect(details).toEqual({ what: name, limit: quotas[name], used: quotas[name], requested: 1 });
    });
  }

  it("is taken with all others asked for, or not at all", async () => {
    const details = await changingNothing(world.db, () =>
      refusal("quota-exceeded", take({ instances: 1, gpus: 21, vcpus: 31 })),
    );
    expect(details.what).toBe("gpus");
  });

  it("that is exhausted is no matter to who takes none of it", async () => {
    await take({ gpus: 20 });
    await take({ instances: 1, gpus: 0, vcpus: 4 });
    expect(await used()).toEqual({ ...none, instances: 1, gpus: 20, vcpus: 4 });
  });

  it("that was lowered is no matter to who takes none of it", async () => {
    await take({ gpus: 8 });
    await world.tx((tx) => changeAccount(tx, id, { quotas: { gpus: 1 } }));
    await take({ instances: 1, vcpus: 1 });
    await refusal("quota-exceeded", take({ gpus: 1 }));
  });

  it("can be taken again after it was given back", async () => {
    await take({ ssh_keys: 40, file_systems: 1 });
    await world.tx((tx) => releaseQuota(tx, id, { ssh_keys: 1 }));
    await take({ ssh_keys: 1 });
    expect(await used()).toEqual({ ...none, ssh_keys: 40, file_systems: 1 });
  });

  it("never goes below nothing: that would be a fault of the program, and the database refuses it", async () => {
    await expect(world.tx((tx) => releaseQuota(tx, id, { gpus: 1 }))).rejects.toThrow("check constraint");
  });

  it("lets through exactly what it says when many ask at once", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => take({ gpus: 3 })));
    expect(outcomes.filter((one) => one.status === "fulfilled")).toHaveLength(6);
    expect((await used()).gpus).toBe(18);
  });
});
