import { describe, expect, it } from "vitest";
import { failure, signal } from "../../../test/support/engine-calls.ts";
import { beginStand, machineSpec, mark } from "../../../test/support/fake-incus/stand.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";
import type { IncusEngine } from "./engine.ts";
import { instanceName, marks, volumeName } from "./labels.ts";

const volumes = /\/volumes\/custom$/;
const data = { id: "6f3c1f9e-1111-4222-8333-444455556666", name: "data", sizeGb: 50, mountPoint: "/mnt/data" };
const more = { id: "6f3c1f9e-1111-4222-8333-444455557777", name: "more", sizeGb: 7, mountPoint: "/srv/own/place" };

const specWith = (...fileSystems: (typeof data)[]) => machineSpec({ guest: guestSpec({ fileSystems }) });

async function made(engine: IncusEngine) {
  const spec = specWith(data);
  await engine.create(spec, signal());
  return spec;
}

describe("a file system of a machine", () => {
  it("is made as a volume on the machine's member, with its size and marks, and attached", async () => {
    const { fake, engine } = await beginStand();
    const spec = specWith(data, more);
    await engine.create(spec, signal());
    expect(fake.seen("POST", volumes).map(({ path, query }) => [path, query.target])).toEqual([
      ["/1.0/storage-pools/local/volumes/custom", "m1"],
      ["/1.0/storage-pools/local/volumes/custom", "m1"],
    ]);
    expect(fake.world.volumes.get(`m1/${volumeName(data.id)}`)?.body).toEqual({
      name: volumeName(data.id),
      content_type: "filesystem",
      config: {
        size: "50GB",
        [marks.installation]: mark,
        [marks.fileSystem]: data.id,
        [marks.account]: spec.accountId,
      },
    });
    expect(fake.world.instances.get(instanceName(spec.id))?.devices).toMatchObject({
      [`fs-${data.id}`]: { type: "disk", pool: "local", source: volumeName(data.id), path: "/mnt/data" },
      [`fs-${more.id}`]: { type: "disk", pool: "local", source: volumeName(more.id), path: "/srv/own/place" },
    });
  });

  it("that exists already is attached as it is, with its data", async () => {
    const { fake, engine } = await beginStand();
    await made(engine);
    const before = fake.world.volumes.get(`m1/${volumeName(data.id)}`);
    await made(engine);
    expect(fake.world.volumes.get(`m1/${volumeName(data.id)}`)).toBe(before);
    expect(fake.world.instances.size).toBe(2);
  });

  it("whose volume is somebody else's is not attached", async () => {
    const { fake, engine, another } = await beginStand();
    await made(another("another installation"));
    const spec = specWith(data);
    expect(await failure(engine.create(spec, signal()))).toMatchObject({ kind: "unavailable", code: "not-ours" });
    expect(fake.world.instances.has(instanceName(spec.id))).toBe(false);
  });

  it("stays when its machine goes", async () => {
    const { fake, engine } = await beginStand();
    await engine.remove(await made(engine), signal());
    expect(fake.world.volumes.size).toBe(1);
  });

  it("that cannot be made keeps the machine from being made", async () => {
    const { fake, engine } = await beginStand();
    fake.faults.add("POST", volumes, { fail: { status: 500, error: "No space left on device" } });
    expect(await failure(engine.create(specWith(data), signal()))).toMatchObject({ code: "host-full" });
    expect(fake.world.instances.size).toBe(0);
  });
});

describe("a file system that is removed", () => {
  it("is gone from the member that it was on, and removed again is gone", async () => {
    const { fake, engine } = await beginStand({ hostPrefix: "east-" });
    await engine.create({ ...specWith(data), host: "east-m2" }, signal());
    await engine.removeFileSystem({ id: data.id, host: "east-m2" }, signal());
    expect(fake.world.volumes.size).toBe(0);
    expect(fake.seen("DELETE", /volumes/)[0]?.query.target).toBe("m2");
    await engine.removeFileSystem({ id: data.id, host: "east-m2" }, signal());
  });

  it("is not asked for on a member where the storage is shared", async () => {
    const { fake, engine } = await beginStand();
    await made(engine);
    await engine.removeFileSystem({ id: data.id, host: undefined }, signal());
    expect(fake.seen("DELETE", /volumes/)[0]?.query).toEqual({ project: "default" });
    expect(fake.world.volumes.size).toBe(0);
  });

  it("and is somebody else's stays", async () => {
    const { fake, engine, another } = await beginStand();
    await made(another("another installation"));
    const error = await failure(engine.removeFileSystem({ id: data.id, host: "m1" }, signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: "not-ours" });
    expect(fake.world.volumes.size).toBe(1);
  });

  it("is not believed to be gone where it is the pool, the project or the member that is not found", async () => {
    const { fake, engine } = await beginStand();
    await made(engine);
    for (const error of ["Storage pool not found", "Project not found", "Cluster member not found"]) {
      fake.faults.add("GET", /volumes/, { fail: { status: 404, error } });
      await failure(engine.removeFileSystem({ id: data.id, host: "m1" }, signal()));
    }
    expect(fake.world.volumes.size).toBe(1);
  });

  it("on a member that does not answer is unavailable, never a success", async () => {
    const { fake, engine } = await beginStand();
    await made(engine);
    fake.world.addMember("m1", { answers: false });
    const error = await failure(engine.removeFileSystem({ id: data.id, host: "m1" }, signal()));
    expect(error).toMatchObject({ kind: "unavailable", code: "host-unreachable" });
  });
});

describe("the use of a file system", () => {
  it("is what the state of its volume tells, asked of its member", async () => {
    const { fake, engine } = await beginStand();
    await made(engine);
    const volume = fake.world.volumes.get(`m1/${volumeName(data.id)}`);
    if (volume === undefined) throw new Error("BUG: it was just made");
    volume.usedBytes = 52_428_800;
    expect(await engine.measureFileSystem({ id: data.id, host: "m1" }, signal())).toBe(52_428_800);
  });

  it("is not known where the driver cannot say, and where there is no such volume", async () => {
    const { engine } = await beginStand();
    await made(engine);
    expect(await engine.measureFileSystem({ id: data.id, host: "m1" }, signal())).toBeUndefined();
    expect(await engine.measureFileSystem({ id: more.id, host: "m1" }, signal())).toBeUndefined();
  });

  it("is not known where LXD 5.0 cannot say, and any other error stays one", async () => {
    const { fake, engine } = await beginStand();
    await made(engine);
    const measured = () => engine.measureFileSystem({ id: data.id, host: "m1" }, signal());
    const elsewhere = `Storage volume "x" of type "custom" does not exist on pool "local": Storage volume not found`;
    for (const fail of [
      { status: 500, error: "Not supported" },
      { status: 404, error: elsewhere },
    ]) {
      fake.faults.add("GET", /state$/, { fail });
      expect(await measured()).toBeUndefined();
    }
    fake.faults.add("GET", /state$/, { fail: { status: 500, error: "I/O error" } });
    expect(await failure(measured())).toMatchObject({ kind: "unavailable" });
  });

  it("is told of nobody else's volume", async () => {
    const { engine, another } = await beginStand();
    await made(another("another installation"));
    const error = await failure(engine.measureFileSystem({ id: data.id, host: "m1" }, signal()));
    expect(error).toMatchObject({ code: "not-ours" });
  });
});
