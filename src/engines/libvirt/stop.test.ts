import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginBench } from "../../../test/support/fake-libvirt/bench.ts";
import { createMachine } from "./create.ts";
import { readDomain } from "./domains.ts";
import { removeMachine } from "./remove.ts";
import { startMachine } from "./start.ts";
import { Stops } from "./stop.ts";

const asked = /^h1 shutdown /;
const forced = /^h1 destroy /;

/** A machine that runs; who is asked to halt does so only when the test says so. */
async function begin({ graceSeconds = 60, askEveryMs = 5 } = {}) {
  const bench = await beginBench({ stopGraceSeconds: graceSeconds });
  const { fake, place, inventory, spec, name, host } = bench;
  fake.world.manners.haltMs = undefined;
  await createMachine(place, inventory, spec, signal());
  const start = () => startMachine(place, inventory, spec, signal());
  await start();
  const ends: string[] = [];
  const stops = new Stops((id) => ends.push(id), askEveryMs);
  onTestFinished(() => stops.close());
  const stop = async () => {
    const domain = await readDomain(place, spec.id, signal());
    if (domain === undefined) throw new Error("BUG: no machine to stop");
    await stops.begin(place, domain, signal());
  };
  fake.calls.length = 0;
  return { ...bench, start, stops, ends, stop, state: () => host.domains.state(name) };
}

describe("a stop", () => {
  it("asks the guest before it resolves, and tells when the guest has halted", async () => {
    const { stop, fake, name, spec, ends, state } = await begin();
    await stop();
    expect(fake.seen(asked).map(({ args }) => args)).toEqual([["shutdown", name, "--mode", "acpi"]]);
    expect([state(), ends]).toEqual(["running (booted)", []]);
    fake.world.powerOff(name);
    await eventually(() => ends).toEqual([spec.id]);
    expect(fake.seen(forced)).toEqual([]);
  });

  it("asks again and again, because a guest that boots does not listen yet", async () => {
    const { stop, fake, name, ends } = await begin();
    await stop();
    await eventually(() => fake.seen(asked).length).toBeGreaterThan(3);
    fake.world.manners.haltMs = 1;
    await eventually(() => ends.length).toBe(1);
    expect(fake.world.domain(name).domain.offReason).toBe("shutdown");
  });

  it("takes the power away after the grace period, and tells", async () => {
    const { stop, fake, spec, ends, state } = await begin({ graceSeconds: 0.05 });
    await stop();
    await eventually(() => ends).toEqual([spec.id]);
    expect(state()).toBe("shut off (destroyed)");
    expect(fake.seen(asked).length).toBeGreaterThan(1);
  });

  it("without a grace period asks once, and takes the power away", async () => {
    const { stop, fake, ends, state } = await begin({ graceSeconds: 0 });
    await stop();
    await eventually(() => ends.length).toBe(1);
    expect([state(), fake.seen(asked).length]).toEqual(["shut off (destroyed)", 1]);
  });

  it("repeated while it is under way asks nothing more by itself", async () => {
    const { stop, fake } = await begin({ askEveryMs: 60_000 });
    await stop();
    await stop();
    await stop();
    expect(fake.seen(asked)).toHaveLength(1);
  });

  it("of a machine that halted by itself just now has nothing to do, and tells", async () => {
    const { stops, place, fake, name, spec, ends } = await begin();
    const domain = await readDomain(place, spec.id, signal());
    fake.world.powerOff(name);
    if (domain === undefined) throw new Error("BUG: no machine to stop");
    await stops.begin(place, domain, signal());
    await eventually(() => ends).toEqual([spec.id]);
  });

  it("that the host does not take is an error, and none is under way", async () => {
    const { stop, fake, ends } = await begin();
    fake.faults.add(asked, { fail: "internal error: unable to execute QEMU command" });
    expect(await failure(stop())).toMatchObject({ name: "VirshError" });
    await stop();
    expect(fake.seen(asked).length).toBeGreaterThanOrEqual(2);
    expect(ends).toEqual([]);
  });

  it("of which sight was lost takes no power away, and tells, so that somebody looks again", async () => {
    const { stop, host, fake, ends, spec, state } = await begin({ graceSeconds: 0.05 });
    await stop();
    host.stopDaemon();
    await eventually(() => ends).toEqual([spec.id]);
    host.startDaemon();
    expect([state(), fake.seen(forced)]).toEqual(["running (booted)", []]);
  });
});

describe("a machine that was started again soon after it halted", () => {
  it("is not asked to halt by the stop before, and keeps its power", async () => {
    const { stop, host, fake, name, ends, state } = await begin({ graceSeconds: 0.1, askEveryMs: 50 });
    await stop();
    // In one breath, so that the stop cannot have seen it off in between.
    fake.world.powerOff(name);
    host.domains.start(name);
    await eventually(() => ends.length).toBe(1);
    expect([state(), fake.seen(asked).length, fake.seen(forced)]).toEqual(["running (booted)", 1, []]);
  });

  it("is asked to halt by the next stop, however long the one before goes on looking", async () => {
    const { stop, start, fake, name } = await begin({ askEveryMs: 60_000 });
    await stop();
    fake.world.powerOff(name);
    await start();
    await stop();
    expect(fake.seen(asked)).toHaveLength(2);
  });
});

it("a machine that is removed meanwhile is gone, and the task ends", async () => {
  const { stop, place, spec, ends, host } = await begin();
  await stop();
  await removeMachine(place, spec.id, signal());
  await eventually(() => ends).toEqual([spec.id]);
  expect(host.domains.all()).toEqual([]);
});

it("what is under way is given up when it is closed, and nobody is told", async () => {
  const { stop, stops, ends, state, fake } = await begin({ graceSeconds: 0.05 });
  await stop();
  await stops.close();
  const before = fake.calls.length;
  expect([state(), ends]).toEqual(["running (booted)", []]);
  expect(fake.calls.length).toBe(before);
});
