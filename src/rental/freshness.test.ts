// What is kept in memory is held against marks in the database: nothing that was committed before a look goes unnoticed,
// in whatever order transactions begin, look and commit.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sample } from "../../test/support/extent.ts";
import { begin, beginWithId, type OpenTransaction, untilOthersEnded } from "../../test/support/interleave.ts";
import { seeded } from "../../test/support/random.ts";
import { worldOfFile } from "../../test/support/world.ts";
import type { Database, Transaction } from "../database/connect.ts";
import {
  type DatabaseSnapshot,
  deleteOldMarks,
  isUnchanged,
  type MomentRow,
  momentColumns,
  momentOf,
} from "./freshness.ts";
import type { Principal } from "./service.ts";
import { deleteKey } from "./ssh-keys/ssh-keys.ts";

const world = worldOfFile();

async function look({ accountId }: Principal, db: Database = world.db): Promise<DatabaseSnapshot> {
  const { rows } = await sql<MomentRow>`select ${momentColumns(sql`${accountId}::uuid`)}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without from gave no row");
  return momentOf(row);
}

/** Adds a key's row, which is something that an account can list. */
async function addRow(tx: Transaction, { accountId }: Principal, name: string): Promise<void> {
  await sql`insert into ssh_keys (id, account_id, name, kind, base64, fingerprint)
    values (gen_random_uuid(), ${accountId}, ${name}, 'ssh-ed25519', '', '')`.execute(tx);
}

async function names({ accountId }: Principal): Promise<string> {
  const rows = await world.db.selectFrom("ssh_keys").select("name").where("account_id", "=", accountId).execute();
  return rows
    .map(({ name }) => name)
    .sort()
    .join();
}

/** The name of a product that can be launched. */
async function launchable(): Promise<string> {
  await world.host({ gpus: 8 });
  await world.image();
  return (await world.product({ gpus: 1 })).name;
}

describe("what an account can list", () => {
  /** Each changes it; what it needs is there before. */
  const changes: Record<string, (principal: Principal) => Promise<() => Promise<unknown>>> = {
    "a launch": async (principal) => {
      const name = await launchable();
      return () => world.launch(principal, { instanceType: name });
    },
    "a wish": async (principal) => {
      const name = await launchable();
      const [instance] = await world.launch(principal, { instanceType: name });
      return () => world.change(principal, "terminate", [instance?.id ?? ""]);
    },
    "a new key": async (principal) => async () => world.sshKey(principal),
    "a key that is deleted": async (principal) => {
      const key = await world.sshKey(principal);
      return () => world.tx((tx) => deleteKey(tx, principal, key.id));
    },
    "a new file system": async (principal) => {
      await world.region("north");
      return () => world.fileSystem(principal, { region: "north" });
    },
  };

  it.each(Object.entries(changes))("is another after %s, and not before", async (_what, prepare) => {
    const [principal, other] = [await world.account(), await world.account()];
    const act = await prepare(principal);
    await untilOthersEnded(world.db);
    const [before, ofOther] = [await look(principal), await look(other)];
    expect(isUnchanged("account", before, await look(principal))).toBe(true);
    await act();
    expect(isUnchanged("account", before, await look(principal))).toBe(false);
    expect(isUnchanged("account", ofOther, await look(other))).toBe(true);
    await untilOthersEnded(world.db);
    const after = await look(principal);
    expect(isUnchanged("account", after, await look(principal))).toBe(true);
  });

  it("is another when a change commits that began before the look, however late", async () => {
    const principal = await world.account();
    await using late = await begin(world.db);
    await addRow(late.tx, principal, "late");
    const before = await look(principal);
    expect(isUnchanged("account", before, await look(principal))).toBe(true);
    await late.commit();
    expect(isUnchanged("account", before, await look(principal))).toBe(false);
  });

  it("is not another after a change that was rolled back", async () => {
    const principal = await world.account();
    const before = await look(principal);
    const undone = await begin(world.db);
    await addRow(undone.tx, principal, "undone");
    await undone.rollback();
    expect(isUnchanged("account", before, await look(principal))).toBe(true);
  });

  it("stays known to be the same while another account's transaction takes long", async () => {
    const [principal, other] = [await world.account(), await world.account()];
    await using long = await begin(world.db);
    await addRow(long.tx, other, "long");
    const before = await look(principal);
    expect(isUnchanged("account", before, await look(principal))).toBe(true);
  });

  it("is not vouched for by another run of the database server", async () => {
    const principal = await world.account();
    const before = await look(principal);
    expect(isUnchanged("account", before, { ...(await look(principal)), run: "another" })).toBe(false);
  });
});

describe("the catalogue", () => {
  const changes: Record<string, () => Promise<unknown>> = {
    "a new product": () => world.product({ gpus: 1 }),
    "a new region": () => world.region("elsewhere"),
    "a new image": () => world.image(),
    "a host with room": () => world.host({ gpus: 8 }),
    "a host that is cordoned": () =>
      sql`update hosts set mode = case mode when 'up' then 'cordoned' else 'up' end`.execute(world.db),
    "a host that is removed": () => sql`delete from gpus; delete from gpu_pools; delete from hosts`.execute(world.db),
  };

  it.each(Object.entries(changes))("is another after %s", async (what, act) => {
    const principal = await world.account();
    if (what.includes("that is")) await world.host({ gpus: 0, name: "one" });
    await untilOthersEnded(world.db);
    const before = await look(principal);
    expect(isUnchanged("catalog", before, await look(principal))).toBe(true);
    await act();
    expect(isUnchanged("catalog", before, await look(principal))).toBe(false);
    expect(isUnchanged("account", before, await look(principal))).toBe(true);
  });
});

it("in every order of changes, commits and looks, what counts as unchanged is what is there", async () => {
  const random = seeded();
  const principals = [await world.account(), await world.account()];
  const open: OpenTransaction[] = [];
  /** What was read after a look, for each account. */
  const kept = new Map<Principal, { moment: DatabaseSnapshot; names: string }>();
  let [shown, anew] = [0, 0];
  for (let step = 0; step < sample(500, 5000); step++) {
    const principal = random.one(principals);
    const what = random.below(7);
    if (what === 0 && open.length < 4) open.push(await (random.below(2) === 0 ? begin : beginWithId)(world.db));
    else if (what === 1 && open.length > 0) await addRow(random.one(open).tx, principal, `key-${step}`);
    else if (what === 2 && open.length > 0) {
      const [ended] = open.splice(random.below(open.length), 1);
      await (random.below(3) === 0 ? ended?.rollback() : ended?.commit());
    } else if (what === 3 && random.below(4) === 0) await deleteOldMarks(world.db);
    else {
      const moment = await look(principal);
      const before = kept.get(principal);
      const isSame = before !== undefined && isUnchanged("account", before.moment, moment);
      const now = await names(principal);
      if (isSame) expect(before.names, `seed ${random.seed}, step ${step}`).toBe(now);
      else kept.set(principal, { moment, names: now });
      if (isSame) shown++;
      else anew++;
    }
  }
  for (const one of open) await one.rollback();
  // It was of use, and it was put to the test.
  expect(Math.min(shown, anew)).toBeGreaterThan(10);
});

describe("marks", () => {
  it("are deleted once newer ones stand for them; the newest stays", async () => {
    const principal = await world.account();
    for (let n = 0; n < 5; n++) await world.sshKey(principal);
    const before = await look(principal);
    expect(await deleteOldMarks(world.db)).toBeGreaterThanOrEqual(4);
    expect((await look(principal)).account).toBe(before.account);
    expect(await deleteOldMarks(world.db)).toBe(0);
  });

  it("of another cluster, as after a restore, do not count for ever", async () => {
    const principal = await world.account();
    await sql`insert into account_changes (account_id, tx) values (${principal.accountId}, '99999999999')`.execute(
      world.db,
    );
    await sql`insert into catalog_changes (tx) values ('99999999999')`.execute(world.db);
    await deleteOldMarks(world.db);
    await untilOthersEnded(world.db);
    const { account, catalog, horizon } = await look(principal);
    expect(Math.max(account, catalog)).toBeLessThan(horizon);
  });
});
