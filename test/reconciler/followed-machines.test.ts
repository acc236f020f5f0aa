// Machines that an operator moves at the engine itself, on a cluster: Lessor follows them.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { moveFromOutside } from "../../src/engines/simulated/database.ts";
import type { Reconciler } from "../../src/reconciler/reconciler.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { auditEverything } from "../support/audit.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";

const stage = stageOfFile();

let source: string;
let target: string;
let reconciler: Reconciler;
beforeEach(async () => {
  source = await stage.host({ gpus: 1 });
  reconciler = stage.reconciler();
});

const place = async (id: string) => (await stage.row(id)).host;

async function allIsWell(): Promise<void> {
  await reconciler.idle();
  expect(await auditEverything(stage.db)).toEqual({ lost: [], orphans: [], capacity: [], spans: [], events: [] });
}

describe("a machine that an operator moves at the engine", () => {
  async function plain(): Promise<Launched> {
    const { name } = await stage.world.product({ gpus: 0, gpuModel: null });
    await stage.world.image();
    const launched = await stage.launchOne({ instanceType: name });
    await reconciler.idle();
    target = await stage.host({ gpus: 0 });
    return launched;
  }

  it("is followed, with its capacity", async () => {
    const one = await plain();
    await moveFromOutside(stage.db, one.id, target);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect([await stage.state(one.id), await place(one.id)]).toEqual(["active", target]);
    expect((await stage.story(one.id)).slice(-1)).toEqual(["moved"]);
    await allIsWell();
    await reconciler.sweepNow();
    expect((await stage.row(one.id)).next_look_at).toBeNull();
  });

  it("is counted even on a host that is full, which accepts nothing then", async () => {
    const one = await plain();
    await sql`update hosts set vcpus = 1, free_vcpus = 1 where name = ${target}`.execute(stage.db);
    await sql`update simulated.hosts set vcpus = 1 where name = ${target}`.execute(stage.db);
    await moveFromOutside(stage.db, one.id, target);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect(await place(one.id)).toBe(target);
    await reconciler.sweepNow();
    expect(await readHost(stage.db, target)).toMatchObject({ freeVcpus: 0, available: false });
    await allIsWell();
  });

  it("is left where it is if its GPUs are unknown, and told of", async () => {
    const one = await stage.launchOne();
    await reconciler.idle();
    target = await stage.host({ gpus: 1 });
    await moveFromOutside(stage.db, one.id, target);
    await reconciler.sweepNow();
    await reconciler.idle();
    expect([await stage.state(one.id), await place(one.id)]).toEqual(["active", source]);
    expect(stage.logged).toContainEqual(expect.objectContaining({ level: "error", instance: one.id, to: target }));
  });
});
