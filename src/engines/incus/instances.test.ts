import { describe, expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, mark, type Stand } from "../../../test/support/fake-incus/stand.ts";
import { hostUnreachable, type MachineSpec } from "../engine.ts";
import { instanceName, marks } from "./labels.ts";

/** A machine that was told, halted. */
function put({ fake }: Stand, part: { status?: string; location?: string; told?: boolean } = {}): MachineSpec {
  const { told = true, location = "m1", status = "Stopped" } = part;
  const spec = machineSpec({ host: location });
  const config = { [marks.installation]: mark, [marks.instance]: spec.id, ...(told ? { [marks.told]: "true" } : {}) };
  fake.world.addInstance(instanceName(spec.id), { config, status, location });
  return spec;
}

const ids = async ({ engine }: Stand) => (await engine.list(signal())).machines.map(({ id }) => id);

describe("inspect", () => {
  it("is sure that there is none only when the cluster says that there is no such instance", async () => {
    const { fake, engine } = await beginStand();
    const spec = machineSpec();
    expect(await engine.inspect(spec, signal())).toBeUndefined();
    for (const fail of [
      { status: 404, error: "Project not found" },
      { status: 404, error: 'Project "default" not found' },
      { status: 404, error: "Cluster member not found" },
      { status: 404, error: "Storage pool not found" },
      { status: 403, error: "not authorized" },
      { status: 500, error: "database is locked" },
      { status: 503, error: "LXD daemon is shutting down" },
    ]) {
      fake.faults.add("GET", /instances/, { fail });
      expect(await failure(engine.inspect(spec, signal())), fail.error).toBeInstanceOf(Error);
    }
    fake.faults.add("GET", /instances/, { answer: '{"type":"sync","metadata":{}}' });
    expect(await failure(engine.inspect(spec, signal()))).toBeInstanceOf(Error);
  });

  it("asks once, for the instance and its state together", async () => {
    const stand = await beginStand();
    await stand.engine.inspect(put(stand), signal());
    const asked = stand.fake.requests.map(({ path, query }) => [path.split("/")[2], query.recursion]);
    expect(asked.filter(([what]) => what === "instances")).toEqual([["instances", "1"]]);
  });

  it("of a machine that halted while its member was evacuated does not say that it is halted", async () => {
    const stand = await beginStand();
    const spec = put(stand);
    stand.fake.world.addMember("m1", { status: "Evacuated" });
    expect(await failure(stand.engine.inspect(spec, signal()))).toMatchObject({ code: hostUnreachable });
  });

  it.each([
    ["is offline", { status: "Offline" }],
    ["does not answer", { answers: false }],
  ] as const)("of a machine on a member that %s says that the host does not respond", async (_why, part) => {
    const stand = await beginStand();
    const spec = put(stand, { status: "Running" });
    stand.fake.world.addMember("m1", part);
    const error = await failure(stand.engine.inspect(spec, signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: hostUnreachable, message: "The host does not respond." });
  });

  it("of a machine that the cluster shows as broken does not say that it is halted or gone", async () => {
    const stand = await beginStand();
    const spec = put(stand, { status: "Error" });
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "starting", progress: "error" });
    await stand.engine.remove(spec, signal());
    expect(await stand.engine.inspect(spec, signal())).toBeUndefined();
  });

  it("of a guest that has told that it is ready says that it runs", async () => {
    const stand = await beginStand();
    const spec = put(stand, { status: "Ready" });
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "running" });
  });

  it("of a machine between two states says which", async () => {
    const stand = await beginStand();
    const spec = put(stand, { status: "Freezing" });
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "starting", progress: "freezing" });
  });
});

describe("a machine that halted", () => {
  it("may come back when nobody stopped it", async () => {
    const stand = await beginStand();
    const spec = put(stand);
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "halted", mayComeBack: true });
  });

  it("may not when it was stopped by us, until it is started again", async () => {
    const stand = await beginStand();
    const spec = put(stand);
    await stand.engine.start(spec, signal());
    await stand.engine.stop(spec, signal());
    await eventually(async () => (await stand.engine.inspect(spec, signal()))?.power).toBe("halted");
    expect(await stand.engine.inspect(spec, signal())).not.toHaveProperty("mayComeBack");
    await stand.engine.start(spec, signal());
    stand.fake.world.stop(instanceName(spec.id), true);
    expect(await stand.engine.inspect(spec, signal())).toMatchObject({ power: "halted", mayComeBack: true });
  });

  it("may not when it never ran for a renter", async () => {
    const stand = await beginStand();
    const spec = put(stand, { told: false });
    expect(await stand.engine.inspect(spec, signal())).not.toHaveProperty("mayComeBack");
  });
});

describe("list", () => {
  it("has every machine of ours, and nothing of anybody else's", async () => {
    const stand = await beginStand();
    const ours = [put(stand), put(stand, { location: "m2", status: "Running" }), put(stand, { told: false })];
    const { world } = stand.fake;
    world.addInstance("operators-own");
    world.addInstance("lessor-without-a-mark");
    const theirs = { [marks.installation]: "installation-2/lab", [marks.instance]: crypto.randomUUID() };
    world.addInstance("lessor-theirs", { config: theirs });
    world.addInstance("lessor-other-engine", { config: { ...theirs, [marks.installation]: "installation-1/other" } });
    expect((await ids(stand)).sort()).toEqual(ours.map(({ id }) => id).sort());
  });

  it("leaves out a copy of a machine, which has our marks under another name", async () => {
    const stand = await beginStand();
    const spec = put(stand, { status: "Running" });
    const { world } = stand.fake;
    const original = world.instances.get(instanceName(spec.id));
    if (original === undefined) throw new Error("BUG: it was just put there");
    // Listed after the machine, and also the copy of one that is gone.
    world.addInstance("operators-copy", { config: original.config });
    world.addInstance(`${instanceName(spec.id)}-copy`, { config: original.config });
    world.addInstance("copy-of-gone", { config: { ...original.config, [marks.instance]: crypto.randomUUID() } });
    const { machines } = await stand.engine.list(signal());
    expect(machines).toEqual([expect.objectContaining({ id: spec.id, power: "running" })]);
  });

  it("takes one request for all machines, however many", async () => {
    const stand = await beginStand();
    for (let count = 0; count < 20; count++) put(stand);
    await stand.engine.list(signal());
    expect(stand.fake.seen("GET", /instances/).length).toBe(1);
    expect(stand.fake.requests.length).toBe(3);
  });

  it("knows of a machine that was found usable that it still is, and knocks at no door", async () => {
    const stand = await beginStand();
    const spec = put(stand);
    await stand.engine.start(spec, signal());
    const { knocks } = stand.door;
    const { machines } = await stand.engine.list(signal());
    expect(machines).toEqual([await stand.engine.inspect(spec, signal())]);
    expect(machines[0]).toMatchObject({ usable: true, ip: "127.0.0.1" });
    expect(stand.door.knocks).toBe(knocks);
  });

  it.each([
    ["is offline", { status: "Offline" }],
    ["is evacuated and does not answer", { status: "Evacuated", answers: false }],
    ["does not answer, which the cluster has not seen yet", { answers: false }],
  ] as const)("says nothing of the machines on a member that %s, but that it does not respond", async (_why, part) => {
    const stand = await beginStand({ hostPrefix: "east-" });
    put(stand);
    const other = put(stand, { location: "m2" });
    stand.fake.world.addMember("m1", part);
    const listing = await stand.engine.list(signal());
    expect(listing).toMatchObject({ unreachableHosts: ["east-m1"], evacuatedHosts: [] });
    expect(listing.machines.map(({ id }) => id)).toEqual([other.id]);
  });

  it("shows the machines on a member that is evacuated and answers, and that it is", async () => {
    const stand = await beginStand({ hostPrefix: "east-" });
    const spec = put(stand);
    stand.fake.world.addMember("m1", { status: "Evacuated" });
    expect(await stand.engine.list(signal())).toMatchObject({
      machines: [{ id: spec.id, power: "halted" }],
      unreachableHosts: [],
      evacuatedHosts: ["east-m1"],
    });
  });

  it("names a member without machines too that is offline", async () => {
    const stand = await beginStand();
    stand.fake.world.addMember("m2", { status: "Offline" });
    expect(await stand.engine.list(signal())).toEqual({
      machines: [],
      unreachableHosts: ["m2"],
      evacuatedHosts: [],
    });
  });

  it("shows a machine that broke down on a member that answers", async () => {
    const stand = await beginStand();
    const spec = put(stand, { status: "Error" });
    const other = put(stand);
    expect((await ids(stand)).sort()).toEqual([spec.id, other.id].sort());
    expect((await stand.engine.list(signal())).unreachableHosts).toEqual([]);
  });

  it("is unavailable where the cluster is, never empty", async () => {
    const stand = await beginStand();
    put(stand);
    stand.fake.faults.add("GET", /instances$/, { drop: "before" });
    expect(await failure(stand.engine.list(signal()))).toMatchObject({
      kind: "unavailable",
      code: "engine-unreachable",
    });
    stand.fake.faults.add("GET", /members$/, { fail: { status: 500, error: "database is locked" } });
    expect(await failure(stand.engine.list(signal()))).toMatchObject({ kind: "unavailable", code: "engine-error" });
  });
});
