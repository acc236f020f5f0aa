import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import { hostUnreachable } from "../engine.ts";
import { instanceName, marks } from "./labels.ts";

const anyInstance = /^\/1\.0\/instances\/[^/]+$/;
const state = /\/state$/;

async function begin() {
  const stand = await beginStand();
  const spec = machineSpec();
  await stand.engine.create(spec, signal());
  await stand.engine.start(spec, signal());
  const name = instanceName(spec.id);
  // The last that a launch does, by and by.
  await eventually(() => stand.fake.world.instances.get(name)?.config[marks.setUp]).toBe("true");
  stand.fake.requests.length = 0;
  return { ...stand, spec, name };
}

describe("remove", () => {
  it("of a running machine takes its power away without asking, and leaves nothing", async () => {
    const { fake, engine, spec } = await begin();
    fake.world.guestsListen = false;
    await engine.remove(spec, signal());
    expect(fake.world.instances.size).toBe(0);
    expect(fake.seen("PUT", state).map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { action: "stop", force: true, timeout: 0 },
    ]);
  });

  it("of a halted machine has nothing to halt", async () => {
    const { fake, engine, spec, name } = await begin();
    fake.world.stop(name, true);
    await engine.remove(spec, signal());
    expect(fake.world.instances.size).toBe(0);
    expect(fake.seen("PUT", state)).toEqual([]);
  });

  it("of a machine that is gone changes nothing", async () => {
    const { fake, engine } = await begin();
    await engine.remove(machineSpec(), signal());
    expect(new Set(fake.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("of one that is still being made, and has no instance yet, is to be tried again", async () => {
    const { fake, engine } = await begin();
    const spec = machineSpec();
    const path = `/1.0/instances/lessor-${spec.id}`;
    const running = { running: [{ id: "x", resources: { instances: [path] } }] };
    fake.faults.add("GET", /^\/1\.0\/operations$/, { answer: JSON.stringify({ type: "sync", metadata: running }) });
    expect(await failure(engine.remove(spec, signal()))).toMatchObject({ kind: "unavailable", code: "machine-busy" });
    await engine.remove(spec, signal());
  });

  it("goes on where the machine halted by itself just now, and believes that it is gone only when it looked", async () => {
    const { fake, engine, spec, name } = await begin();
    fake.world.stop(name, true);
    const instance = fake.world.instances.get(name);
    if (instance !== undefined) instance.status = "Running";
    fake.faults.add("PUT", state, { operationFails: "The instance is already stopped" });
    fake.faults.add("DELETE", anyInstance, { operationFails: "Instance not found" });
    const error = await failure(engine.remove(spec, signal()));
    // It was said that there is none, and there is.
    expect(error).toMatchObject({ kind: "unavailable", code: "machine-busy" });
    await engine.remove(spec, signal());
    expect(fake.world.instances.size).toBe(0);
  });

  it("twice at once is a success for both", async () => {
    const { fake, engine, spec, another } = await begin();
    fake.faults.add("DELETE", anyInstance, { hold: true }, 2);
    const both = Promise.all([engine.remove(spec, signal()), another().remove(spec, signal())]);
    await eventually(() => fake.operations.running().length).toBe(2);
    for (const { id } of fake.operations.running()) fake.operations.settle(id);
    await both;
    expect(fake.world.instances.size).toBe(0);
  });

  it.each(["before", "after"] as const)(
    "whose answer was lost %s it was carried out is unavailable, and repeated succeeds",
    async (drop) => {
      const { fake, engine, spec } = await begin();
      fake.faults.add("DELETE", anyInstance, { drop });
      expect(await failure(engine.remove(spec, signal()))).toMatchObject({ kind: "unavailable" });
      await engine.remove(spec, signal());
      expect(fake.world.instances.size).toBe(0);
    },
  );

  it("that the cluster refuses is an error, and the machine is still there", async () => {
    const { fake, engine, spec } = await begin();
    fake.faults.add("DELETE", anyInstance, { operationFails: "Failed to delete: dataset is busy" });
    expect(await failure(engine.remove(spec, signal()))).toMatchObject({ kind: "unavailable", code: "machine-busy" });
    expect(await engine.inspect(spec, signal())).toMatchObject({ power: "halted" });
  });

  it("on a member that does not answer is unavailable, never a success", async () => {
    const { fake, engine, spec } = await begin();
    fake.world.addMember("m1", { answers: false });
    expect(await failure(engine.remove(spec, signal()))).toMatchObject({ code: hostUnreachable });
    expect(fake.world.instances.size).toBe(1);
  });

  it.each([
    ["another installation", { [marks.installation]: "another" }],
    ["another engine of this installation", { [marks.installation]: "installation-1/other" }],
    ["nobody", {}],
  ])("of an instance of %s is refused, and it is not touched", async (_whose, config) => {
    const { fake, engine, spec, name } = await begin();
    const theirs = { [marks.instance]: spec.id, ...config };
    fake.world.addInstance(name, { status: "Running", config: theirs });
    fake.requests.length = 0;
    expect(await failure(engine.remove(spec, signal()))).toMatchObject({ kind: "unavailable", code: "not-ours" });
    expect(fake.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(fake.world.instances.get(name)).toMatchObject({ status: "Running", config: theirs });
  });
});
