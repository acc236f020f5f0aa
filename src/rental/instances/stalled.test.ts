import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { worldOfFile } from "../../../test/support/world.ts";
import { listAll } from "./instance-store.ts";
import { reconcileStatusOf } from "./reconcile-status.ts";

const world = worldOfFile();

/** An instance that was wished so many seconds ago, with these columns (SQL). */
async function instanceWith(columns: string, wishedSecondsAgo = 0): Promise<string> {
  await world.host({ gpus: 0, vcpus: 100, memoryGib: 1000, storageGb: 10_000 });
  await world.image();
  const { name } = await world.product({ gpus: 0 });
  const { id } = await world.launchOne(await world.account(), { instanceType: name });
  await sql`
    update instances set wished_at = now() - make_interval(secs => ${wishedSecondsAgo}), ${sql.raw(columns)}
    where id = ${id}`.execute(world.db);
  return id;
}

const working = "lease_owner = '0198c5a2-5c52-7c4e-9d0c-0a3c5f1f2b6d', lease_until = now() + interval '1 minute'";

describe("the work on an instance", () => {
  it.each([
    ["has just been wished", "attempts = 0", 0, null],
    ["is done for the first time", `attempts = 1, ${working}`, 10, null],
    ["failed once and waits for the next try", "attempts = 1", 10, "tried-again"],
    ["is done for the second time", `attempts = 2, ${working}`, 10, "tried-again"],
    ["failed again and again, for long", "attempts = 9", 3600, "tried-again"],
    ["has waited for less than three minutes", "attempts = 0", 170, null],
    ["has waited for three minutes", "attempts = 0", 180, "slow"],
    ["was done long ago", "fulfilled_generation = generation, next_look_at = null", 3600, null],
    ["was done, and only looked at again", "fulfilled_generation = generation", 3600, null],
  ])("that %s is in trouble or not", async (_, columns, secondsAgo, kind) => {
    const id = await instanceWith(columns, secondsAgo);
    expect((await reconcileStatusOf(world.db, id)).trouble?.kind ?? null).toBe(kind);
    const listed = async (troubled: boolean) => (await listAll(world.db, { troubled })).map((one) => one.id);
    expect([await listed(true), await listed(false)]).toEqual(kind === null ? [[], [id]] : [[id], []]);
    expect((await listAll(world.db, {})).map((one) => one.id)).toEqual([id]);
  });

  it("is told with when it was wished", async () => {
    const id = await instanceWith("attempts = 3", 60);
    const row = await world.db.selectFrom("instances").select("wished_at").where("id", "=", id).executeTakeFirst();
    expect((await reconcileStatusOf(world.db, id)).trouble).toEqual({ kind: "tried-again", since: row?.wished_at });
  });
});
