// The contract of engines that move machines, as tests: part of conformance.ts.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, type TestContext } from "vitest";
import type { Engine, MachineRef, MachineSpec, MoveProgress, Mover } from "../../src/engines/engine.ts";
import { Actor, type EngineUnderTest, failure, kindOf, signal } from "./actor.ts";

/** Declares the tests. `begin`: a machine that is not there yet, for one test. An engine without a mover skips them. */
export function moveConformance(begin: (context: TestContext) => Promise<Actor>): void {
  describe("a move", () => {
    it("brings the machine halted to its new host, and it starts there", async (context) => {
      const moving = await beginMove(await begin(context));
      if (moving === undefined) return context.skip();
      const { actor, mover, from, moved, test } = moving;
      test.disk?.write(actor.spec);
      const content = test.disk?.read(actor.spec);
      await copyAll(mover, moved, from);
      expect(await actor.engine.inspect(moved, signal())).toMatchObject({ host: moved.host, power: "halted" });
      expect(test.disk?.read(moved)).toEqual(content);
      const there = new Actor(test, moved);
      await there.engine.start(moved, signal());
      await there.untilUsable();
      await mover.removeCopy(actor.spec, moved.host, signal());
      await mover.removeCopy(actor.spec, moved.host, signal());
      expect(await copiesOf(actor.engine, moved)).toEqual([`${moved.host} running`]);
      expect(await actor.engine.inspect(moved, signal())).toMatchObject({ usable: true });
    });

    it("goes on where another engine has left it, and each call can be repeated, also after the last", async (context) => {
      const moving = await beginMove(await begin(context));
      if (moving === undefined) return context.skip();
      const { actor, from, moved, test } = moving;
      test.disk?.write(actor.spec);
      const content = test.disk?.read(actor.spec);
      let progress: MoveProgress = { isComplete: false, copiedBytes: 0, totalBytes: 0 };
      for (let call = 0; !progress.isComplete; call++) {
        const by = await test.another();
        const before = progress.copiedBytes;
        progress = await answered(() => moverOf(by).copy(moved, from, before, signal()));
        if (call < 2) progress = await answered(() => moverOf(by).copy(moved, from, before, signal()));
        await by.close();
      }
      for (const copied of [0, progress.copiedBytes]) {
        const again = answered(() => moving.mover.copy(moved, from, copied, signal()));
        expect(await again).toMatchObject({ isComplete: true });
      }
      expect(test.disk?.read(moved)).toEqual(content);
    });

    it("that is cut off at any moment goes on, and the machine is where it was or where it goes", async (context) => {
      const moving = await beginMove(await begin(context));
      if (moving === undefined) return context.skip();
      const { actor, mover, from, moved, test } = moving;
      test.disk?.write(actor.spec);
      const content = test.disk?.read(actor.spec);
      let copied = 0;
      for (const ms of [0, 1, 3, 10, 30]) {
        const cut = mover.copy(moved, from, copied, AbortSignal.timeout(ms));
        copied = (await cut.catch(() => undefined))?.copiedBytes ?? copied;
        expect((await copiesOf(actor.engine, moved)).length).toBeGreaterThan(0);
      }
      // What was cut off might still be at work.
      const done = () => copyAll(mover, moved, from, copied).catch((error: unknown) => kindOf(error));
      await context.expect.poll(done, { timeout: test.patienceMs }).toBeUndefined();
      expect(await actor.engine.inspect(moved, signal())).toMatchObject({ host: moved.host, power: "halted" });
      expect(test.disk?.read(moved)).toEqual(content);
    });

    it("of a machine that runs is unavailable, and it runs on; of one that is not there it makes nothing", async (context) => {
      const moving = await beginMove(await begin(context), "running");
      if (moving === undefined) return context.skip();
      const { actor, mover, from, moved } = moving;
      expect(kindOf(await failure(mover.copy(moved, from, 0, signal())))).toBe("unavailable");
      expect(await copiesOf(actor.engine, moved)).toEqual([`${from} running`]);
      const nothing = { ...moved, id: crypto.randomUUID() };
      await failure(mover.copy(nothing, from, 0, signal()));
      expect(await copiesOf(actor.engine, nothing)).toEqual([]);
    });

    it("to a host that does not exist is refused for good", async (context) => {
      const moving = await beginMove(await begin(context));
      if (moving === undefined) return context.skip();
      const { actor, mover, from, moved } = moving;
      expect(kindOf(await failure(mover.copy({ ...moved, host: "no-such-host" }, from, 0, signal())))).toBe("refused");
      expect(await copiesOf(actor.engine, moved)).toEqual([`${from} halted`]);
    });

    it("that is given up leaves one copy, which starts", async (context) => {
      const moving = await beginMove(await begin(context));
      if (moving === undefined) return context.skip();
      const { actor, mover, from, moved, test } = moving;
      // A cluster first ends what it is at.
      const given = () => mover.removeCopy(moved, from, signal()).catch((error: unknown) => kindOf(error));
      const giveUp = () => context.expect.poll(given, { timeout: test.patienceMs }).toBeUndefined();
      await giveUp();
      await mover.copy(moved, from, 0, signal());
      await giveUp();
      await giveUp();
      const [copy = "", ...more] = await copiesOf(actor.engine, moved);
      expect(more).toEqual([]);
      const there = new Actor(test, { ...moved, host: copy.split(" ")[0] ?? "" });
      await there.engine.start(there.spec, signal());
      await there.untilUsable();
    });
  });
}

interface Moving {
  readonly actor: Actor;
  readonly test: EngineUnderTest;
  readonly mover: Mover;
  readonly from: string;
  /** The machine as it is on its new host. */
  readonly moved: MachineSpec;
}

/** A machine that has run once, and another host for it. Undefined: the engine or its world cannot move machines. */
async function beginMove(actor: Actor, power: "halted" | "running" = "halted"): Promise<Moving | undefined> {
  const { engine, test, spec } = actor;
  const { mover } = engine;
  const hosts = await engine.hosts(signal());
  const region = hosts.find(({ name }) => name === spec.host)?.region;
  const other = hosts.find((host) => host.name !== spec.host && host.region === region);
  if (mover === undefined || engine.mover === undefined || other === undefined) return undefined;
  await actor.boot();
  if (power === "halted") await actor.halt();
  return { actor, test, mover, from: spec.host, moved: { ...spec, host: other.name, generation: spec.generation + 1 } };
}

function moverOf({ mover }: Engine): Mover {
  if (mover === undefined) throw new Error("an engine that moves machines has stopped to");
  return mover;
}

async function copyAll(mover: Mover, spec: MachineSpec, from: string, copiedBytes = 0): Promise<void> {
  const copy = (copied: number) => answered(() => mover.copy(spec, from, copied, signal()));
  for (let progress = await copy(copiedBytes); !progress.isComplete; ) {
    expect(progress.totalBytes === 0 || progress.copiedBytes <= progress.totalBytes).toBe(true);
    progress = await copy(progress.copiedBytes);
  }
}

/**
 * Calls until it is not unavailable, as the reconciler does: a cluster can be so for a moment, such as while it records
 * where a machine is now, and libvirt while it cleans up after a machine that has halted.
 */
async function answered(copy: () => Promise<MoveProgress>, triesLeft = 100): Promise<MoveProgress> {
  try {
    return await copy();
  } catch (error) {
    if (kindOf(error) !== "unavailable" || triesLeft === 0) throw error;
    await sleep(100);
    return answered(copy, triesLeft - 1);
  }
}

/** "host power" of each copy that there is. */
async function copiesOf(engine: Engine, { id }: MachineRef): Promise<string[]> {
  const { machines } = await engine.list(signal());
  return machines
    .filter((machine) => machine.id === id)
    .map(({ host, power }) => `${host} ${power}`)
    .sort();
}
