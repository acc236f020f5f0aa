import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, mark } from "../../../test/support/fake-incus/stand.ts";
import { instanceName, marks } from "./labels.ts";

const instances = /^\/1\.0\/instances$/;

describe("create", () => {
  it("makes the machine on its member, halted, and says so without asking once more", async () => {
    const { fake, engine } = await beginStand();
    const spec = machineSpec({ host: "m2" });
    expect(await engine.create(spec, signal())).toEqual({
      id: spec.id,
      host: "m2",
      power: "halted",
      usable: false,
      ip: undefined,
      progress: undefined,
    });
    expect(fake.seen("POST", instances)[0]?.query).toEqual({ project: "default", target: "m2" });
    expect(fake.world.instances.get(instanceName(spec.id))).toMatchObject({ location: "m2", status: "Stopped" });
    expect(fake.seen("GET", /^\/1\.0\/instances\//)).toEqual([]);
  });

  it("takes the member's name without the prefix that the settings put before it", async () => {
    const { fake, engine } = await beginStand({ hostPrefix: "east-" });
    const spec = machineSpec({ host: "east-m2" });
    expect(await engine.create(spec, signal())).toMatchObject({ host: "east-m2" });
    expect(fake.seen("POST", instances)[0]?.query.target).toBe("m2");
    expect(await engine.inspect(spec, signal())).toMatchObject({ host: "east-m2" });
  });

  it.each([
    ["without the prefix", "m1"],
    ["of another name", "east-m9"],
  ])("on a host %s is refused for good", async (_what, host) => {
    const { engine } = await beginStand({ hostPrefix: "east-" });
    const error = await failure(engine.create(machineSpec({ host }), signal()));
    expect(error).toMatchObject({ kind: "refused", code: "no-such-host" });
  });

  it("reads the network once for many machines", async () => {
    const { fake, engine } = await beginStand();
    await engine.create(machineSpec(), signal());
    await engine.create(machineSpec(), signal());
    expect(fake.seen("GET", /networks\/[^/]+$/).length).toBe(1);
  });

  it("where the network is missing fails before anything is made", async () => {
    const { fake, engine } = await beginStand({ nic: { kind: "network", network: "other" } });
    expect(await failure(engine.create(machineSpec(), signal()))).toMatchObject({ kind: "unavailable" });
    expect(fake.world.instances.size).toBe(0);
  });

  it("that fails in the background leaves nothing, and can be repeated", async () => {
    const { fake, engine } = await beginStand();
    const spec = machineSpec();
    fake.faults.add("POST", instances, { operationFails: "Failed creating: no space left on device" });
    expect(await failure(engine.create(spec, signal()))).toMatchObject({ kind: "unavailable", code: "host-full" });
    expect(await engine.create(spec, signal())).toMatchObject({ power: "halted" });
  });
});

describe("a create that is repeated", () => {
  it("after its answer was lost finds its own", async () => {
    const { fake, engine } = await beginStand();
    const spec = machineSpec();
    fake.faults.add("POST", instances, { drop: "after" });
    expect(await failure(engine.create(spec, signal()))).toMatchObject({
      kind: "unavailable",
      code: "engine-unreachable",
    });
    expect(await engine.create(spec, signal())).toMatchObject({ id: spec.id, power: "halted" });
    expect(fake.world.instances.size).toBe(1);
  });

  it("after its request was lost makes it", async () => {
    const { fake, engine } = await beginStand();
    const spec = machineSpec();
    fake.faults.add("POST", instances, { drop: "before" });
    await failure(engine.create(spec, signal()));
    expect(fake.world.instances.size).toBe(0);
    expect(await engine.create(spec, signal())).toMatchObject({ power: "halted" });
  });

  it("finds a machine that runs, and says where it is", async () => {
    const { engine } = await beginStand();
    const spec = machineSpec();
    await engine.create(spec, signal());
    await engine.start(spec, signal());
    expect(await engine.create(spec, signal())).toMatchObject({ power: "running", usable: true, ip: "127.0.0.1" });
  });

  it("never takes an instance of somebody else for its own", async () => {
    const { fake, engine } = await beginStand();
    const spec = machineSpec();
    for (const config of [{}, { [marks.installation]: "another", [marks.instance]: spec.id }]) {
      fake.world.addInstance(instanceName(spec.id), { config });
      expect(await failure(engine.create(spec, signal()))).toMatchObject({ kind: "unavailable", code: "not-ours" });
    }
    expect(fake.world.instances.get(instanceName(spec.id))?.config[marks.installation]).toBe("another");
  });
});

it("a machine carries the marks of its installation and engine, instance, account and generation", async () => {
  const { fake, engine } = await beginStand();
  const spec = machineSpec({ generation: 7 });
  await engine.create(spec, signal());
  expect(fake.world.instances.get(instanceName(spec.id))?.config).toMatchObject({
    "user.lessor.installation": mark,
    "user.lessor.instance": spec.id,
    "user.lessor.account": spec.accountId,
    "user.lessor.generation": "7",
  });
});
