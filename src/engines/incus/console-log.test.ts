import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec } from "../../../test/support/fake-incus/stand.ts";
import { noSuchMachine } from "../engine.ts";
import { instanceName, marks } from "./labels.ts";

async function begin(kind: "container" | "virtual-machine" = "container") {
  const stand = await beginStand({ kind });
  const spec = machineSpec();
  await stand.engine.create(spec, signal());
  return { ...stand, spec };
}

describe("the console log", () => {
  it("is what the machine wrote, as it is", async () => {
    const { fake, engine, spec } = await begin();
    await engine.start(spec, signal());
    const instance = fake.world.instances.get(instanceName(spec.id));
    if (instance !== undefined) instance.console = "[  OK  ] Reached target ü\r\n\0";
    expect(await engine.consoleLog(spec, signal())).toBe("[  OK  ] Reached target ü\r\n\0");
  });

  it("is empty of a machine that was never started", async () => {
    const { engine, spec } = await begin();
    expect(await engine.consoleLog(spec, signal())).toBe("");
  });

  it("is empty where the cluster keeps none of virtual machines", async () => {
    const { fake, engine, spec } = await begin("virtual-machine");
    fake.world.keepsVirtualMachineLogs = false;
    await engine.start(spec, signal());
    expect(await engine.consoleLog(spec, signal())).toBe("");
  });

  it("of nothing says that there is no such machine", async () => {
    const { engine } = await begin();
    const error = await failure(engine.consoleLog(machineSpec(), signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: noSuchMachine });
  });

  it("of somebody else's instance is not read", async () => {
    const { fake, engine, spec } = await begin();
    const theirs = { [marks.installation]: "another", [marks.instance]: spec.id };
    fake.world.addInstance(instanceName(spec.id), { config: theirs, console: "a secret of theirs" });
    expect(await failure(engine.consoleLog(spec, signal()))).toMatchObject({ code: "not-ours" });
    expect(fake.seen("GET", /console/)).toEqual([]);
  });

  it("that cannot be read is an error, not empty", async () => {
    const { fake, engine, spec } = await begin();
    fake.faults.add("GET", /console/, { fail: { status: 500, error: "liblxc is on fire" } });
    expect(await failure(engine.consoleLog(spec, signal()))).toMatchObject({ kind: "unavailable" });
  });
});
