// Moves from hosts and to hosts that are declared lost: neither copy of a machine is lost with the other's host.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { forgive, injectFaults, killHost, reviveHost } from "../../src/engines/simulated/database.ts";
import { readHost } from "../../src/rental/capacity/host-reading.ts";
import { removeHost } from "../../src/rental/capacity/host-store.ts";
import { listFileSystems } from "../../src/rental/file-systems/file-systems.ts";
import { recordOff } from "../../src/rental/hosts/verified-off.ts";
import { moveOf } from "../../src/rental/moving/move-store.ts";
import { movingOfFile } from "../support/moving-stage.ts";
import { refusal } from "../support/refusals.ts";
import { type Launched, stageOfFile } from "../support/stage.ts";
import { travel } from "../support/time-travel.ts";

const stage = stageOfFile();
const m = movingOfFile(stage);

describe("if the source is declared lost", () => {
  it("while it is copied, the instance ends with it, and what was copied is removed", async () => {
    const one = await m.stopped();
    m.meanwhile = async (copied) => {
      if (copied > 0) await killHost(stage.db, m.source);
    };
    await m.move(one.id);
    await m.reconciler.sweepNow();
    expect(await m.phase(one.id)).toBe("copying");
    expect(await m.lose(m.source)).toEqual([one.id]);
    expect(await stage.state(one.id)).toBe("terminated");
    expect(await m.phase(one.id)).toBe("removing-target");
    await m.reconciler.sweepNow();
    expect([await m.phase(one.id), await m.copies(one.id), await m.free(m.target)]).toEqual([undefined, [m.source], 1]);
    await reviveHost(stage.db, m.source);
    await m.reconciler.sweepNow();
    await m.reconciler.sweepNow();
    expect((await readHost(stage.db, m.source)).mode).toBe("cordoned");
    await m.allIsWell();
  });

  it("after it was copied, only the old copy is lost; and when the host returns, it is removed there", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await m.dies(m.source);
    expect(await m.lose(m.source)).toEqual([]);
    expect([await stage.state(one.id), await m.place(one.id), await m.phase(one.id)]).toEqual([
      "stopped",
      m.target,
      undefined,
    ]);
    expect((await readHost(stage.db, m.source)).instances).toBe(0);
    await m.change(one, "restart");
    expect(await stage.state(one.id)).toBe("active");
    await reviveHost(stage.db, m.source);
    await m.reconciler.sweepNow();
    expect(await m.copies(one.id)).toEqual([m.target]);
    await m.reconciler.sweepNow();
    expect((await readHost(stage.db, m.source)).mode).toBe("cordoned");
    expect(await stage.state(one.id)).toBe("active");
    await m.allIsWell();
  });
});

describe("if the new host is declared lost", () => {
  it("while it is copied, the instance stays", async () => {
    const one = await m.stopped();
    m.meanwhile = async (copied) => {
      if (copied > 0) await killHost(stage.db, m.target);
    };
    await m.move(one.id);
    await m.reconciler.sweepNow();
    expect(await m.lose(m.target)).toEqual([]);
    await travel(stage.db, "5 minutes");
    await m.reconciler.idle();
    expect(await moveOf(stage.db, one.id)).toMatchObject({ phase: "failed", failure: { code: "target-lost" } });
    expect([await stage.state(one.id), await m.place(one.id)]).toEqual(["stopped", m.source]);
    expect((await readHost(stage.db, m.target)).instances).toBe(0);
    await m.change(one, "restart");
    expect(await stage.state(one.id)).toBe("active");
  });

  it("before it started there, it returns to where it was, and starts there", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await m.dies(m.target);
    expect(await m.lose(m.target)).toEqual([]);
    await m.change(one, "restart");
    expect([await stage.state(one.id), await m.place(one.id), await m.phase(one.id)]).toEqual([
      "active",
      m.source,
      "failed",
    ]);
    await reviveHost(stage.db, m.target);
    await m.reconciler.sweepNow();
    expect(await m.copies(one.id)).toEqual([m.source]);
    await m.reconciler.sweepNow();
    await m.allIsWell();
  });

  it("before it started there, on a cluster that keeps one copy, it ends: there is nothing to return to", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await m.dies(m.target);
    // As the cluster did when it moved it.
    await sql`delete from simulated.copies where machine_id = ${one.id}`.execute(stage.db);
    expect(await m.lose(m.target, false)).toEqual([one.id]);
    expect([await stage.state(one.id), await m.phase(one.id), await m.free(m.source)]).toEqual([
      "terminated",
      undefined,
      1,
    ]);
    expect(await stage.row(one.id)).toMatchObject({ failure_code: "host-lost" });
    await reviveHost(stage.db, m.target);
    await m.reconciler.sweepNow();
    await m.reconciler.sweepNow();
    expect((await readHost(stage.db, m.target)).mode).toBe("cordoned");
    await m.allIsWell();
  });

  describe("while it may run there, and was not ready yet", () => {
    /** It returns to where it was. */
    async function returned(order: Parameters<typeof m.stopped>[0] = {}): Promise<Launched> {
      const one = await m.stopped(order);
      await m.move(one.id);
      await injectFaults(stage.db, { kind: "never-boots", machine: one.id });
      await m.change(one, "restart");
      await m.dies(m.target);
      await stage.db.updateTable("hosts").set({ multi_attach: false }).execute();
      expect([await stage.state(one.id), await m.phase(one.id)]).toEqual(["booting", "moved"]);
      await forgive(stage.db);
      expect(await m.lose(m.target)).toEqual([]);
      return one;
    }
    const later = async () => {
      await travel(stage.db, "1 minute");
      await m.reconciler.idle();
    };
    const power = async ({ id }: Launched) => {
      const { rows } = await sql<{ power: string; host: string }>`
        select power, host from simulated.machines where id = ${id}`.execute(stage.db);
      return rows[0];
    };

    it("it starts where it was only when the host is verified to be off", async () => {
      const one = await returned();
      await later();
      expect([await m.place(one.id), await stage.state(one.id)]).toEqual([m.source, "booting"]);
      expect((await stage.row(one.id)).progress).toBe("waiting until the host that failed is surely off");
      expect(await power(one)).toEqual({ power: "off", host: m.source });
      expect(await moveOf(stage.db, one.id)).toMatchObject({ phase: "failed", failure: { code: "target-may-run" } });
      await stage.world.tx((tx) => recordOff(tx, m.target, new Date()));
      await later();
      expect([await m.place(one.id), await stage.state(one.id)]).toEqual([m.source, "active"]);
    });

    it("it starts when the host is deleted", async () => {
      const one = await returned();
      await stage.world.tx((tx) => removeHost(tx, m.target));
      await later();
      expect(await stage.state(one.id)).toBe("active");
    });

    it("it starts when the host has returned and is clean", async () => {
      const one = await returned();
      await reviveHost(stage.db, m.target);
      await m.reconciler.sweepNow();
      await m.reconciler.sweepNow();
      expect((await readHost(stage.db, m.target)).mode).toBe("cordoned");
      await later();
      expect(await stage.state(one.id)).toBe("active");
      await m.allIsWell();
    });

    it("it is not moved on, which would forget that it waits", async () => {
      const one = await returned();
      await m.change(one, "stop");
      await later();
      expect(await stage.state(one.id)).toBe("stopped");
      await stage.host({ gpus: 1 });
      const { message } = await refusal("conflict", m.begin(one.id));
      expect(message).toContain("may still run");
      await stage.world.tx((tx) => recordOff(tx, m.target, new Date()));
      await m.reconciler.sweepNow();
      await m.move(one.id);
      await m.change(one, "restart");
      expect(await stage.state(one.id)).toBe("active");
    });

    it("what it uses on shared storage is blocked if it ends", async () => {
      const principal = await stage.world.account();
      const { name } = await stage.world.fileSystem(principal);
      const one = await returned({ principal, fileSystemNames: [name] });
      await m.change(one, "terminate");
      expect(await stage.state(one.id)).toBe("terminated");
      const isBlocked = async () => (await listFileSystems(stage.db, principal))[0]?.isBlocked;
      expect(await listFileSystems(stage.db, principal)).toMatchObject([{ attachedTo: [], isBlocked: true }]);
      await stage.world.tx((tx) => recordOff(tx, m.target, new Date()));
      expect(await isBlocked()).toBe(false);
    });

    it("what it uses stays blocked by that host if the old one is lost too", async () => {
      const principal = await stage.world.account();
      const { name } = await stage.world.fileSystem(principal);
      const one = await returned({ principal, fileSystemNames: [name] });
      await m.dies(m.source);
      await stage.db.updateTable("hosts").set({ multi_attach: false }).execute();
      expect(await m.lose(m.source)).toEqual([one.id]);
      const isBlocked = async () => (await listFileSystems(stage.db, principal))[0]?.isBlocked;
      await stage.world.tx((tx) => recordOff(tx, m.source, new Date()));
      expect(await isBlocked()).toBe(true);
      await stage.world.tx((tx) => recordOff(tx, m.target, new Date()));
      expect(await isBlocked()).toBe(false);
    });
  });

  it("after it started there, it ends, and the old copy is removed", async () => {
    const one = await m.stopped();
    await m.move(one.id);
    await injectFaults(stage.db, { kind: "unavailable", operation: "remove-copy", machine: one.id });
    await m.change(one, "restart");
    await m.dies(m.target);
    expect(await m.lose(m.target)).toEqual([one.id]);
    await m.reconciler.sweepNow();
    expect([await m.phase(one.id), await m.copies(one.id), await m.free(m.source)]).toEqual([undefined, [m.target], 1]);
    await reviveHost(stage.db, m.target);
    await m.reconciler.sweepNow();
    await m.reconciler.sweepNow();
    await m.allIsWell();
  });
});
