// A database that was restored does not know the machines that were rented after the backup was taken. They are
// somebody's: nothing is done to them until an operator has said so.

import { describe, expect, it } from "vitest";
import { acceptOrphans } from "../../src/backup/restore.ts";
import { restoredSetting } from "../../src/database/restored.ts";
import { stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

/** One rental, a machine of one that ended, and a machine of which the database knows nothing. */
async function restoredWorld() {
  await stage.host();
  const { id } = await stage.launchOne();
  const { id: ended, principal } = await stage.launchOne();
  const engine = stage.engine();
  const reconciler = stage.reconciler({}, engine);
  await reconciler.idle();
  const spec = stage.spec(await stage.row(ended));
  await stage.world.change(principal, "terminate", [ended]);
  await reconciler.idle();
  const unknown = crypto.randomUUID();
  for (const one of [ended, unknown]) {
    await engine.create({ ...spec, id: one, gpuAddresses: [] }, AbortSignal.timeout(10_000));
  }
  await stage.db.insertInto("settings").values({ name: restoredSetting, value: "{}" }).execute();
  const sweeps = async () => {
    for (let sweep = 0; sweep < 4; sweep++) await reconciler.sweepNow();
  };
  return { id, ended, unknown, sweeps };
}

describe("after a restore", () => {
  it("a machine that the database does not know is told of and left alone", async () => {
    const { unknown, sweeps } = await restoredWorld();
    await sweeps();
    expect(await stage.machines()).toContain(unknown);
    const told = stage.logged.filter(({ level, machine }) => level === "error" && machine === unknown);
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]?.message).toContain("lessor restore --accept-orphans");
  });

  it("a machine whose rental is known to have ended is removed as ever, and rentals go on", async () => {
    const { id, ended, unknown, sweeps } = await restoredWorld();
    await sweeps();
    expect((await stage.machines()).sort()).toEqual([id, unknown].sort());
    expect(await stage.machines()).not.toContain(ended);
    expect(await stage.state(id)).toBe("active");
  });

  it("and an operator's word, unknown machines are removed again", async () => {
    const { id, sweeps } = await restoredWorld();
    await sweeps();
    expect(await acceptOrphans(stage.world.url)).toBe(true);
    await sweeps();
    expect(await stage.machines()).toEqual([id]);
    expect(await acceptOrphans(stage.world.url)).toBe(false);
  });
});
