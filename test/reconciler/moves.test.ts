// Instances that move to another host: where they run, what is kept and what is freed, and what happens to the move when
// something else does meanwhile.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import {
  haltFromInside,
  injectFaults,
  loseMachine,
  reviveHost,
  startFromOutside,
} from "../../src/engines/simulated/database.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { moveOf } from "../../src/rental/moving/move-store.ts";
import { movingOfFile } from "../support/moving-stage.ts";
import { refusal } from "../support/refusals.ts";
import { stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
const m = movingOfFile(stage);

describe("an instance that moves", () => {
  it("is copied while it is stopped, starts on its new host, and only then leaves the old one", async () => {
    const one = await m.stopped();
    const events = await stage.story(one.id);
    await m.move(one.id);
    expect([await m.place(one.id), await m.phase(one.id), await stage.state(one.id)]).toEqual([
      m.target,
      "moved",
      "stopped",
    ]);
    expect(await m.copies(one.id)).toEqual([m.source, m.target].sort());
    expect([await m.free(m.source), await m.free(m.target)]).toEqual([0, 0]);
    expect((await readHost(stage.db, m.source)).instances).toBe(1);
    expect((await stage.row(one.id)).next_look_at).toBeNull();
    await m.allIsWell();

    await m.change(one, "restart");
    expect([await stage.state(one.id), await m.phase(one.id)]).toEqual(["active", undefined]);
    expect(await m.copies(one.id)).toEqual([m.target]);
    expect([await m.free(m.source), await m.free(m.target)]).toEqual([1, 0]);
    expect((await readHost(stage.db, m.source)).instances).toBe(0);
    expect((await stage.story(one.id)).slice(events.length)).toEqual(["moved", "booting", "active"]);
    await m.allIsWell();
    await m.change(one, "terminate");
    expect([await m.free(m.source), await m.free(m.target)]).toEqual([1, 1]);
    await m.allIsWell();
  });

  it("says how much is copied, and shows its account no host", async () => {
    const one = await m.stopped();
    const seen: number[] = [];
    m.meanwhile = async (copied) => {
      seen.push(copied);
      const found = await moveOf(stage.db, one.id);
      expect([found?.copiedBytes, found?.totalBytes]).toEqual([copied, copied === 0 ? 0 : await m.total(one.id)]);
    };
    await m.move(one.id);
    expect(seen).toEqual([0, 1, 2, 3].map((part) => part * (seen[1] ?? 0)));
    expect(await stage.progress(one.id)).toContain("moving to another host");
    const { rows } = await sql<{ data: unknown }>`
      select data from events where type = 'instance.moved' and subject_id = ${one.id}`.execute(stage.db);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${m.source}|${m.target}`));
  });

  it("that is restarted meanwhile starts when it is copied, and has its whole time to boot then", async () => {
    const one = await m.stopped();
    m.meanwhile = async (copied) => {
      if (copied > 0) return;
      m.meanwhile = async () => {};
      await stage.world.change(one.principal, "restart", [one.id]);
      await travel(stage.db, "20 minutes");
    };
    await m.move(one.id);
    await m.reconciler.idle();
    expect([await stage.state(one.id), await m.place(one.id), await m.phase(one.id)]).toEqual([
      "active",
      m.target,
      undefined,
    ]);
    expect((await stage.story(one.id)).slice(-3)).toEqual(["booting", "moved", "active"]);
    await m.allIsWell();
  });

  it.each([0, 1, 2, 3])(
    "that is terminated meanwhile, after %s parts, leaves nothing on either host",
    async (parts) => {
      const one = await m.stopped();
      m.meanwhile = async (copied) => {
        if (copied < (parts * (await m.total(one.id))) / 4) return;
        m.meanwhile = async () => {};
        await stage.world.change(one.principal, "terminate", [one.id]);
      };
      await m.move(one.id);
      await m.reconciler.idle();
      expect([await stage.state(one.id), await m.phase(one.id), await m.copies(one.id)]).toEqual([
        "terminated",
        undefined,
        [],
      ]);
      expect([await m.free(m.source), await m.free(m.target)]).toEqual([1, 1]);
      await m.allIsWell();
    },
  );

  it("that is restarted and stopped again meanwhile is copied to the end, without a resync", async () => {
    const one = await m.stopped();
    m.meanwhile = async (copied) => {
      if (copied > 0) return;
      m.meanwhile = async () => {};
      await stage.world.change(one.principal, "restart", [one.id]);
      await stage.world.change(one.principal, "stop", [one.id]);
    };
    await m.move(one.id);
    await m.reconciler.idle();
    expect([await stage.state(one.id), await m.place(one.id), await m.phase(one.id)]).toEqual([
      "stopped",
      m.target,
      "moved",
    ]);
    await m.allIsWell();
  });

  it("that is terminated before it started on its new host leaves nothing on either", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await m.change(one, "terminate");
    expect([await m.copies(one.id), await m.free(m.source), await m.free(m.target)]).toEqual([[], 1, 1]);
    await m.allIsWell();
  });

  it("stays, and says why, if the engine rejects the copy; and moves when it is asked again", async () => {
    const one = await m.stopped();
    await injectFaults(stage.db, {
      kind: "refuses",
      operation: "move",
      machine: one.id,
      times: 1,
      parameters: { message: "No." },
    });
    await m.move(one.id);
    expect(await moveOf(stage.db, one.id)).toMatchObject({
      phase: "failed",
      from: m.source,
      to: m.target,
      failure: { code: "simulated-refusal", message: "No." },
    });
    expect([await m.place(one.id), await m.copies(one.id), await m.free(m.target)]).toEqual([m.source, [m.source], 1]);
    await m.allIsWell();
    await m.move(one.id);
    expect([await m.place(one.id), await m.phase(one.id)]).toEqual([m.target, "moved"]);
    await m.change(one, "restart");
    await m.allIsWell();
  });

  it("is copied again after a failure that passes", async () => {
    const one = await m.stopped();
    for (const kind of ["unavailable", "loses-answer"] as const)
      await injectFaults(stage.db, { kind, operation: "move", machine: one.id, times: 1 });
    await m.move(one.id);
    for (let tries = 0; tries < 3; tries++) {
      await travel(stage.db, "1 minute");
      await m.reconciler.idle();
    }
    expect([await m.place(one.id), await m.phase(one.id)]).toEqual([m.target, "moved"]);
  });

  it("keeps its disk if another program starts its machine meanwhile, and is not moved", async () => {
    const one = await m.stopped();
    m.meanwhile = async (copied) => {
      if (copied === 0) return;
      m.meanwhile = async () => {};
      await startFromOutside(stage.db, one.id);
    };
    await m.move(one.id);
    await travel(stage.db, "1 minute");
    await m.reconciler.idle();
    expect(await moveOf(stage.db, one.id)).toMatchObject({ phase: "failed", failure: { code: "machine-ran" } });
    expect([await stage.state(one.id), await m.place(one.id), await m.copies(one.id)]).toEqual([
      "stopped",
      m.source,
      [m.source],
    ]);
    await m.allIsWell();
  });

  it("that was never created changes its host without a copy", async () => {
    const one = await m.stopped();
    await sql`delete from simulated.machines where id = ${one.id}`.execute(stage.db);
    await sql`update instances set active_at = null where id = ${one.id}`.execute(stage.db);
    m.meanwhile = () => Promise.reject(new Error("nothing is to be copied"));
    await m.move(one.id);
    expect([await m.place(one.id), await m.phase(one.id), await m.copies(one.id)]).toEqual([
      m.target,
      "moved",
      [m.target],
    ]);
  });

  it("returns to its old copy if the engine only said that it moved", async () => {
    const one = await m.stopped();
    await injectFaults(stage.db, { kind: "lies", operation: "move", machine: one.id, times: 1 });
    await m.move(one.id);
    expect(await moveOf(stage.db, one.id)).toMatchObject({ phase: "failed", failure: { code: "machine-not-moved" } });
    await m.change(one, "restart");
    expect([await stage.state(one.id), await m.place(one.id)]).toEqual(["active", m.source]);
    expect(await m.free(m.target)).toBe(1);
    await m.allIsWell();
  });

  it("returns to its old copy if its machine is lost before it was ready on the new host", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await injectFaults(stage.db, { kind: "never-boots", machine: one.id, times: 1 });
    await m.change(one, "restart");
    await loseMachine(stage.db, one.id);
    await travel(stage.db, "1 minute");
    await m.reconciler.idle();
    expect([await stage.state(one.id), await m.place(one.id), await m.phase(one.id)]).toEqual([
      "active",
      m.source,
      "failed",
    ]);
    await m.allIsWell();
  });

  it("ends if its machine is lost after it was ready on the new host: the old copy is outdated", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove-copy", machine: one.id, times: 1 });
    await m.change(one, "restart");
    await loseMachine(stage.db, one.id);
    await m.reconciler.sweepNow();
    await travel(stage.db, "1 minute");
    await m.reconciler.idle();
    expect(await stage.row(one.id)).toMatchObject({ state: "terminated", failure_code: "machine-lost" });
    expect([await m.copies(one.id), await m.free(m.source), await m.free(m.target)]).toEqual([[], 1, 1]);
    await m.allIsWell();
  });

  it("waits with the removal of the old copy for a host that does not respond", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await m.dies(m.source);
    await m.change(one, "restart");
    expect([await stage.state(one.id), await m.phase(one.id)]).toEqual(["active", "removing-source"]);
    expect((await readHost(stage.db, m.source)).instances).toBe(1);
    await reviveHost(stage.db, m.source);
    await travel(stage.db, "5 minutes");
    await m.reconciler.idle();
    expect([await m.phase(one.id), await m.copies(one.id)]).toEqual([undefined, [m.target]]);
    await m.reconciler.sweepNow();
    await m.allIsWell();
  });
});

describe("the full resync", () => {
  it("takes no second copy for an orphan, and wakes nothing for it", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    const before = await m.copies(one.id);
    // A hint that the machine has halted can come after the reconciler saw it, and wake the instance then.
    await m.reconciler.sweepNow();
    await m.reconciler.idle();
    for (let times = 0; times < 3; times++) {
      await m.reconciler.sweepNow();
      expect((await stage.row(one.id)).next_look_at).toBeNull();
      await travel(stage.db, "10 minutes");
    }
    expect(await m.copies(one.id)).toEqual(before);
    expect(stage.logged.filter(({ message }) => /drifted|orphan/.test(message))).toEqual([]);
  });

  it("finds a machine that halted by itself, whatever copy is listed beside it", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove-copy", machine: one.id });
    await m.change(one, "restart");
    expect(await m.phase(one.id)).toBe("removing-source");
    await haltFromInside(stage.db, one.id);
    await sql`update instances set next_look_at = null where id = ${one.id}`.execute(stage.db);
    await m.reconciler.sweepNow();
    await m.reconciler.idle();
    expect(await stage.state(one.id)).toBe("stopped");
  });

  it("removes a copy that no move expects, after the grace period, and keeps the machine", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await injectFaults(stage.db, { kind: "lies", operation: "remove-copy", machine: one.id, times: 1 });
    await m.change(one, "restart");
    expect([await m.phase(one.id), await m.copies(one.id)]).toEqual([undefined, [m.source, m.target].sort()]);
    await m.reconciler.sweepNow();
    expect(await m.copies(one.id)).toHaveLength(2);
    await m.reconciler.sweepNow();
    expect(await m.copies(one.id)).toEqual([m.target]);
    await m.allIsWell();
  });

  it("goes on with a move that was forgotten", async () => {
    const one = await m.stopped();
    await m.reconciler.stop();
    await m.begin(one.id);
    await sql`update instances set next_look_at = null where id = ${one.id}`.execute(stage.db);
    m.startReconciler();
    await m.reconciler.sweepNow();
    await m.reconciler.idle();
    expect(await m.phase(one.id)).toBe("moved");
  });
});

it("of two moves that want the last capacity one is rejected, before anything is touched", async () => {
  const one = await m.stopped();
  const secondSource = await stage.host({ gpus: 1 });
  await sql`update hosts set mode = 'cordoned' where name = ${m.target}`.execute(stage.db);
  const two = await stage.launchOne();
  expect(two.host).toBe(secondSource);
  await m.reconciler.idle();
  await m.change(two, "stop");
  await sql`update hosts set mode = 'up' where name = ${m.target}`.execute(stage.db);
  const results = await Promise.allSettled([m.begin(one.id, m.target), m.begin(two.id, m.target)]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const rejected = results[0]?.status === "rejected" ? one : two;
  await m.reconciler.idle();
  expect(await moveOf(stage.db, rejected.id)).toBeUndefined();
  expect(await refusal("insufficient-capacity", m.begin(rejected.id, m.target))).toMatchObject({
    move: { host: m.target },
  });
  await m.allIsWell();
});
