import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import { noSuchMachine } from "../engine.ts";
import { instanceName } from "./labels.ts";

const state = /\/state$/;

async function begin(told = true) {
  const stand = await beginStand();
  const { fake, engine } = stand;
  const spec = machineSpec();
  const name = instanceName(spec.id);
  await engine.create(spec, signal());
  if (told) await engine.start(spec, signal());
  else fake.world.start(name);
  fake.requests.length = 0;
  const orders = () => fake.seen("PUT", state).map(({ body }) => JSON.parse(body.toString()));
  const status = () => fake.world.instances.get(name)?.status;
  const settle = (words?: string) => {
    for (const { id } of fake.operations.running()) fake.operations.settle(id, words);
  };
  return { ...stand, spec, name, orders, status, settle };
}

const asked = { action: "stop", force: false, timeout: 30 };
const forced = { action: "stop", force: true, timeout: 0 };

describe("stop", () => {
  it("asks the guest, answers at once, and hints when it is halted", async () => {
    const { fake, engine, spec, orders, status, settle } = await begin();
    fake.faults.add("PUT", state, { hold: true });
    const hints: string[] = [];
    engine.watch((id) => hints.push(id));
    const report = await engine.stop(spec, signal());
    expect(report).toMatchObject({ power: "running", usable: false, progress: "halting" });
    expect(status()).toBe("Running");
    settle();
    await eventually(() => hints).toContain(spec.id);
    expect(status()).toBe("Stopped");
    expect(orders()).toEqual([asked]);
  });

  it("takes the power away in the background when the guest does not listen, and hints then", async () => {
    const { fake, engine, spec, orders, status } = await begin();
    fake.world.guestsListen = false;
    const hints: string[] = [];
    engine.watch((id) => hints.push(id));
    await engine.stop(spec, signal());
    await eventually(() => hints).toContain(spec.id);
    expect(status()).toBe("Stopped");
    expect(orders()).toEqual([asked, forced]);
  });

  it("repeated while it halts asks nothing more", async () => {
    const { fake, engine, spec, orders, settle, status } = await begin();
    fake.faults.add("PUT", state, { hold: true });
    await engine.stop(spec, signal());
    await engine.stop(spec, signal());
    expect(orders()).toEqual([asked]);
    settle();
    await eventually(status).toBe("Stopped");
    expect(await engine.stop(spec, signal())).toMatchObject({ power: "halted" });
    expect(orders()).toEqual([asked]);
  });

  it("does not take the power away when it only lost sight of the guest: the next stop asks again", async () => {
    const { fake, engine, spec, orders, status } = await begin();
    fake.faults.add("PUT", state, { hold: true });
    const hints: string[] = [];
    await engine.stop(spec, signal());
    await eventually(() => fake.seen("GET", /\/wait$/).length).toBe(1);
    engine.watch((id) => hints.push(id));
    fake.operations.forgetAll();
    await eventually(() => hints).toEqual([spec.id]);
    expect([status(), orders()]).toEqual(["Running", [asked]]);
    await engine.stop(spec, signal());
    expect(orders()).toEqual([asked, asked]);
  });

  it("is content where the guest was halted by itself meanwhile", async () => {
    const { fake, engine, spec, orders } = await begin();
    fake.faults.add("PUT", state, { operationFails: "The instance is already stopped" });
    const hints: string[] = [];
    engine.watch((id) => hints.push(id));
    await engine.stop(spec, signal());
    await eventually(() => hints).toEqual([spec.id]);
    expect(orders()).toEqual([asked]);
  });

  it("asks the guest again, and takes no power away, when something else was just being done with it", async () => {
    const { fake, engine, spec, orders, status } = await begin();
    fake.faults.add("PUT", state, { operationFails: 'Instance is busy running a "update" operation' });
    await engine.stop(spec, signal());
    await eventually(status).toBe("Stopped");
    expect(orders()).toEqual([asked, asked]);
  });

  it("hints also when neither could be done, so that somebody looks again", async () => {
    const { fake, engine, spec, status } = await begin();
    fake.faults.add("PUT", state, { operationFails: "something else" }, 2);
    const hints: string[] = [];
    engine.watch((id) => hints.push(id));
    await engine.stop(spec, signal());
    await eventually(() => hints).toEqual([spec.id]);
    expect(status()).toBe("Running");
    await engine.stop(spec, signal());
    await eventually(status).toBe("Stopped");
  });

  it("of a guest that was not told yet takes the power away at once", async () => {
    const { engine, spec, orders, status } = await begin(false);
    await engine.stop(spec, signal());
    await eventually(status).toBe("Stopped");
    expect(orders()).toEqual([forced]);
  });

  it("of one that is halted has nothing to do", async () => {
    const { fake, engine, spec, name, orders } = await begin();
    fake.world.stop(name, true);
    expect(await engine.stop(spec, signal())).toMatchObject({ power: "halted", usable: false });
    expect(orders()).toEqual([]);
  });

  it("of nothing says that there is nothing", async () => {
    const { engine } = await begin();
    const error = await failure(engine.stop(machineSpec(), signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: noSuchMachine });
  });

  it("that the cluster does not take is an error, and is no stop under way", async () => {
    const { fake, engine, spec, status } = await begin();
    fake.faults.add("PUT", state, { fail: { status: 500, error: "Instance is busy running a start operation" } });
    expect(await failure(engine.stop(spec, signal()))).toMatchObject({ code: "machine-busy" });
    await engine.stop(spec, signal());
    await eventually(status).toBe("Stopped");
  });
});

it("a machine that is removed while it is asked to halt is gone, and the task that asked ends", async () => {
  const { fake, engine, spec, settle } = await begin();
  fake.faults.add("PUT", state, { hold: true });
  await engine.stop(spec, signal());
  await engine.remove(spec, signal());
  const hints: string[] = [];
  engine.watch((id) => hints.push(id));
  settle("Instance not found");
  await eventually(() => hints).toEqual([spec.id]);
  expect(fake.world.instances.size).toBe(0);
});

it("an engine that is closed gives up what it waits for, and tells nobody", async () => {
  const { fake, engine, spec, orders, status } = await begin();
  fake.faults.add("PUT", state, { hold: true });
  const hints: string[] = [];
  engine.watch((id) => hints.push(id));
  await engine.stop(spec, signal());
  await engine.close();
  expect([status(), orders(), hints]).toEqual(["Running", [asked], []]);
});
