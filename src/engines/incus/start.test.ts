import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, type Stand } from "../../../test/support/fake-incus/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import { type MachineSpec, noSuchMachine } from "../engine.ts";
import { secretsFor, secretsPath } from "../guest/secrets.ts";
import { instanceName, isTold, marks } from "./labels.ts";

const creates = /^\/1\.0\/instances$/;
const files = /\/files$/;
const guest = guestSpec({ envVars: { KEY: "a secret value" }, password: "123456789012345", jupyterToken: "token-1" });

const instanceOf = ({ fake }: Stand, { id }: MachineSpec) => {
  const instance = fake.world.instances.get(instanceName(id));
  if (instance === undefined) throw new Error("it is not there");
  return instance;
};

/** A machine that a create of another process left behind. */
async function leftBehind(stand: Stand): Promise<MachineSpec> {
  const spec = machineSpec({ guest });
  await stand.another().create(spec, signal());
  return spec;
}

describe("the first start of a machine", () => {
  it("tells the guest its secrets, once, in a file of root's, with the headers of both projects", async () => {
    const stand = await beginStand();
    const spec = machineSpec({ guest });
    await stand.engine.create(spec, signal());
    await stand.engine.start(spec, signal());
    await stand.engine.start(spec, signal());

    const told = stand.fake.seen("POST", files);
    expect(told.length).toBe(1);
    expect(told[0]?.query).toEqual({ project: "default", path: secretsPath });
    expect(told[0]?.body.toString()).toBe(secretsFor(guest));
    for (const prefix of ["x-lxd", "x-incus"]) {
      expect(told[0]?.headers).toMatchObject({
        [`${prefix}-uid`]: "0",
        [`${prefix}-gid`]: "0",
        [`${prefix}-mode`]: "0600",
        [`${prefix}-type`]: "file",
        [`${prefix}-write`]: "overwrite",
      });
    }
  });

  it("tells it while it runs, and marks it as told only then", async () => {
    const stand = await beginStand();
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    expect(isTold(instanceOf(stand, spec))).toBe(false);
    stand.fake.faults.add("POST", files, { fail: { status: 500, error: "disk on fire" } });
    expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({ kind: "unavailable" });
    expect(isTold(instanceOf(stand, spec))).toBe(false);
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "running", untold: true, usable: false });
    expect(await stand.engine.start(spec, signal())).toMatchObject({ power: "running" });
    expect(isTold(instanceOf(stand, spec))).toBe(true);
    expect(instanceOf(stand, spec).files.size).toBe(1);
  });

  it("keeps every mark that it had", async () => {
    const stand = await beginStand();
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    const before = instanceOf(stand, spec).config;
    await stand.engine.start(spec, signal());
    expect(instanceOf(stand, spec).config).toEqual({ ...before, [marks.told]: "true" });
  });

  it("of nothing says that there is nothing, and makes nothing", async () => {
    const { fake, engine } = await beginStand();
    const error = await failure(engine.start(machineSpec(), signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: noSuchMachine });
    expect(fake.world.instances.size).toBe(0);
  });

  it("goes on where another start was faster", async () => {
    const stand = await beginStand();
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    stand.fake.faults.add("PUT", /state$/, { operationFails: "The instance is already running" });
    stand.fake.world.start(instanceName(spec.id));
    expect(await stand.engine.start(spec, signal())).toMatchObject({ power: "running" });
  });

  it("that fails is not believed to be of a whole machine: the next one makes it anew", async () => {
    const stand = await beginStand();
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    stand.fake.faults.add("PUT", /state$/, { operationFails: "Failed to mount: no such file or directory" });
    await failure(stand.engine.start(spec, signal()));
    await stand.engine.start(spec, signal());
    expect(stand.fake.seen("POST", creates).length).toBe(2);
  });
});

describe("a virtual machine whose agent does not answer yet", () => {
  it.each([
    "LXD VM agent isn't currently running",
    "VM agent isn't currently running",
    "dial vsock host(2)->vm(5):8443: connect: connection reset by peer",
  ])("(%s) is untold, and is told by a later start", async (words) => {
    const stand = await beginStand({ kind: "virtual-machine" });
    const spec = machineSpec({ guest });
    await stand.engine.create(spec, signal());
    stand.fake.faults.add("POST", files, { fail: { status: 500, error: words } });
    const report = await stand.engine.start(spec, signal());
    expect(report).toMatchObject({ power: "running", untold: true, usable: false, progress: "starting the guest" });
    await stand.engine.start(spec, signal());
    expect(instanceOf(stand, spec).files.get(secretsPath)?.bytes.toString()).toBe(secretsFor(guest));
    expect(stand.fake.seen("POST", files).length).toBe(2);
    expect(stand.fake.seen("PUT", /state$/).length).toBe(1);
  });

  it("is told of when the agent is up, without being asked about", async () => {
    const stand = await beginStand({ kind: "virtual-machine" });
    stand.fake.world.agentAnswers = false;
    const spec = machineSpec();
    await stand.engine.create(spec, signal());
    await stand.engine.start(spec, signal());
    const hints: string[] = [];
    stand.engine.watch((id) => hints.push(id));
    await eventually(() => stand.fake.seen("GET", /instances\/lessor/).length).toBeGreaterThan(3);
    expect(hints).toEqual([]);
    stand.fake.world.agentAnswers = true;
    await eventually(() => hints).toEqual([spec.id]);
  });
});

it("a container that cannot be told has failed, whatever the words", async () => {
  const stand = await beginStand();
  const spec = machineSpec();
  await stand.engine.create(spec, signal());
  stand.fake.faults.add("POST", files, { fail: { status: 500, error: "VM agent isn't currently running" } });
  expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({ kind: "unavailable" });
});

describe("a machine that another process made, perhaps not to the end", () => {
  it("is made anew before it starts, when it was not told yet", async () => {
    const stand = await beginStand();
    const spec = await leftBehind(stand);
    const first = instanceOf(stand, spec);
    await stand.engine.start(spec, signal());
    const second = instanceOf(stand, spec);
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ status: "Running", location: "m1" });
    expect(isTold(second)).toBe(true);
  });

  it("is left alone while it is still being made", async () => {
    const stand = await beginStand();
    const spec = machineSpec();
    stand.fake.faults.add("POST", creates, { hold: true });
    const making = stand.another().create(spec, signal());
    await eventually(() => stand.fake.operations.running().length).toBe(1);
    const error = await failure(stand.engine.start(spec, signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: "machine-busy" });
    expect(stand.fake.seen("DELETE", /./)).toEqual([]);
    for (const { id } of stand.fake.operations.running()) stand.fake.operations.settle(id);
    await making;
  });

  it("is never made anew when it was told: it holds a renter's data", async () => {
    const stand = await beginStand();
    const spec = await leftBehind(stand);
    instanceOf(stand, spec).config[marks.told] = "true";
    const before = instanceOf(stand, spec);
    await stand.engine.start(spec, signal());
    expect(instanceOf(stand, spec)).toBe(before);
    expect(stand.fake.seen("DELETE", /./)).toEqual([]);
    // It was told at its first boot, and keeps that.
    expect(stand.fake.seen("POST", files)).toEqual([]);
  });

  it("is not made anew when it runs already: it is told", async () => {
    const stand = await beginStand();
    const spec = await leftBehind(stand);
    stand.fake.world.start(instanceName(spec.id));
    await stand.engine.start(spec, signal());
    expect(stand.fake.seen("DELETE", /./)).toEqual([]);
    expect(isTold(instanceOf(stand, spec))).toBe(true);
  });

  it("and that is not ours is neither started nor removed", async () => {
    const stand = await beginStand();
    const spec = machineSpec();
    await stand.another("another installation").create(spec, signal());
    expect(await failure(stand.engine.start(spec, signal()))).toMatchObject({ code: "not-ours" });
    expect(instanceOf(stand, spec).status).toBe("Stopped");
  });
});

it("a machine that this process made is started as it is", async () => {
  const stand = await beginStand();
  const spec = machineSpec();
  await stand.engine.create(spec, signal());
  const made = instanceOf(stand, spec);
  await stand.engine.start(spec, signal());
  expect(instanceOf(stand, spec)).toBe(made);
  expect(stand.fake.seen("GET", /^\/1\.0\/operations$/)).toEqual([]);
});
