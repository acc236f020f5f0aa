import { describe, expect, it } from "vitest";
import { eventually, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import { instanceName, marks } from "./labels.ts";

async function started() {
  const stand = await beginStand();
  const spec = machineSpec();
  await stand.engine.create(spec, signal());
  const instance = stand.fake.world.instances.get(instanceName(spec.id));
  if (instance === undefined) throw new Error("nothing was made");
  const restarts = () =>
    stand.fake.seen("PUT", /\/state$/).filter(({ body }) => JSON.parse(String(body)).action === "restart").length;
  const looks = () => stand.fake.seen("POST", /\/exec$/).length;
  return { ...stand, spec, instance, restarts, looks };
}

describe("a guest that booted while nobody could tell it anything", () => {
  it("is not usable although its SSH answers, boots once more, and is usable then", async () => {
    const { engine, spec, instance, restarts } = await started();
    instance.missedFirstBoot = true;
    expect(await engine.start(spec, signal())).toMatchObject({ usable: false });
    expect(restarts()).toBe(1);
    await eventually(async () => (await engine.inspect(spec, signal()))?.usable).toBe(true);
    expect(restarts()).toBe(1);
  });
});

describe("a guest that did what it was told", () => {
  it("is looked into once in its life, and a mark remembers it", async () => {
    const { engine, spec, instance, looks, restarts, another } = await started();
    await engine.start(spec, signal());
    await eventually(async () => (await engine.inspect(spec, signal()))?.usable).toBe(true);
    await eventually(() => instance.config[marks.setUp]).toBe("true");
    const before = looks();
    const other = another();
    expect(await other.inspect(spec, signal())).toMatchObject({ usable: true });
    expect([looks(), restarts()]).toEqual([before, 0]);
    await other.close();
  });

  it("is never restarted for what its renter removed from it", async () => {
    const { engine, spec, instance, restarts, another } = await started();
    await engine.start(spec, signal());
    await eventually(() => instance.config[marks.setUp]).toBe("true");
    instance.missedFirstBoot = true;
    const other = another();
    expect(await other.inspect(spec, signal())).toMatchObject({ usable: true });
    expect(restarts()).toBe(0);
    await other.close();
  });
});

it.each([
  ["nothing, as one without a shell or one that halts", ""],
  ["something else", "yes and no\n"],
  ["more than it was asked for", "yes\n".repeat(1000)],
])("a guest that says %s is not usable, is not restarted, and is looked into again", async (_what, output) => {
  const { fake, engine, spec, restarts } = await started();
  fake.onFirstBootLook = (session) => session.print(output);
  expect(await engine.start(spec, signal())).toMatchObject({ power: "running", usable: false });
  expect(await engine.inspect(spec, signal())).toMatchObject({ power: "running", usable: false });
  expect(restarts()).toBe(0);
  fake.onFirstBootLook = (session) => session.print("yes\n");
  await eventually(async () => (await engine.inspect(spec, signal()))?.usable).toBe(true);
});

it("a guest that is looked into can be stopped and removed meanwhile", async () => {
  const { fake, engine, spec } = await started();
  fake.onFirstBootLook = () => {};
  const starting = engine.start(spec, signal());
  await eventually(() => fake.operations.running()).toMatchObject([{ description: "Executing command" }]);
  await engine.stop(spec, signal());
  await engine.remove(spec, signal());
  expect(fake.world.instances.size).toBe(0);
  expect(await starting).toMatchObject({ usable: false });
});
