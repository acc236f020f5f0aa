// What chores let go of, and that the reconciler still knows a machine whose rental is long gone from the lists.

import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { restoredSetting } from "../../src/database/restored.ts";
import { maintenanceJobs } from "../../src/reconciler/maintenance/maintenance.ts";
import { withDefaults } from "../../src/reconciler/settings.ts";
import { booksDisagree } from "../support/books.ts";
import { quiet, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
afterEach(async () => expect(await booksDisagree(stage.db)).toEqual([]));

/** Does every chore once, as set. */
async function housekeeping(days: { eventDays?: number; terminatedReadableDays?: number } = {}): Promise<void> {
  const settings = withDefaults({ ...quiet, ...days });
  const { signal } = new AbortController();
  for (const chore of maintenanceJobs)
    await chore.run({ db: stage.db, settings, log: stage.log, engines: new Map() }, signal);
}

/** A rental that ended, whose row is gone, and a machine of it that is there all the same. */
async function longGone(how: "ended" | "lost") {
  await stage.host();
  const { id, principal } = await stage.launchOne();
  const engine = stage.engine();
  const reconciler = stage.reconciler({}, engine);
  await reconciler.idle();
  const spec = stage.spec(await stage.row(id));
  if (how === "ended") {
    await stage.world.change(principal, "terminate", [id]);
  } else {
    await sql`delete from simulated.machines where id = ${id}`.execute(stage.db);
    for (let sweep = 0; sweep < 3; sweep++) {
      await reconciler.sweepNow();
      await reconciler.idle();
    }
  }
  await reconciler.idle();
  expect(await stage.state(id)).toBe("terminated");
  await travel(stage.db, "31 days");
  await housekeeping();
  expect(await stage.db.selectFrom("instances").select("id").execute()).toEqual([]);
  await engine.create({ ...spec, gpuAddresses: [] }, AbortSignal.timeout(10_000));
  const sweeps = async () => {
    for (let sweep = 0; sweep < 4; sweep++) await reconciler.sweepNow();
  };
  return { id, sweeps };
}

describe("a machine of an instance whose row is gone", () => {
  it("is removed, as that of any that ended", async () => {
    const { sweeps } = await longGone("ended");
    expect(await stage.machines()).toHaveLength(1);
    await sweeps();
    expect(await stage.machines()).toEqual([]);
  });

  it("is removed after a restore too: the database knows it", async () => {
    const { sweeps } = await longGone("ended");
    await stage.db.insertInto("settings").values({ name: restoredSetting, value: "{}" }).execute();
    await sweeps();
    expect(await stage.machines()).toEqual([]);
  });

  it("is left alone where the rental was ended because the machine was gone: somebody's data is on it", async () => {
    const { id, sweeps } = await longGone("lost");
    await sweeps();
    expect(await stage.machines()).toEqual([id]);
    expect(stage.logged.some(({ message }) => message.includes("remove it manually"))).toBe(true);
  });
});

it("events and terminated instances go after as many days as are set, and not before", async () => {
  await stage.host();
  const { id, principal } = await stage.launchOne();
  const reconciler = stage.reconciler();
  await reconciler.idle();
  await stage.world.change(principal, "terminate", [id]);
  await reconciler.idle();
  const told = (await stage.story(id)).length;
  await travel(stage.db, "5 days");
  await housekeeping({ eventDays: 6, terminatedReadableDays: 6 });
  expect([(await stage.story(id)).length, await stage.state(id)]).toEqual([told, "terminated"]);
  await housekeeping({ eventDays: 4, terminatedReadableDays: 4 });
  expect(await stage.db.selectFrom("instances").select("id").execute()).toEqual([]);
  // The newest stays.
  expect(await stage.story(id)).toEqual(["terminated"]);
});
