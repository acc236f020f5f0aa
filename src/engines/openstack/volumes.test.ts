import { expect, it } from "vitest";
import { eventually, failure, signal } from "../../../test/support/engine-calls.ts";
import { beginEngines, booted, type EngineStand, serverOf } from "../../../test/support/fake-openstack/engines.ts";
import { guestSpec } from "../../../test/support/machine-spec.ts";

const volumesOf = ({ world }: EngineStand) => [...world.volumes.values()];

function withFileSystem(stand: EngineStand, sizeGb = 10, id: string = crypto.randomUUID()) {
  const fileSystem = { id, name: "data", sizeGb, mountPoint: "/data" };
  return { fileSystem: { id, host: undefined }, spec: stand.spec({ guest: guestSpec({ fileSystems: [fileSystem] }) }) };
}

it.each([
  [1, 1],
  [10, 10],
  [1000, 932],
])("a file system of %i GB is a volume of %i GiB, which holds as much", async (sizeGb, size) => {
  const stand = await beginEngines();
  await stand.engine.create(withFileSystem(stand, sizeGb).spec, signal());
  expect(volumesOf(stand)).toMatchObject([{ size }]);
});

it("a volume has the type of the settings", async () => {
  const stand = await beginEngines({}, (settings) => ({
    ...settings,
    regions: settings.regions.map((region) => ({ ...region, volumeType: "ssd" })),
  }));
  stand.world.volumeTypes.push("ssd");
  await stand.engine.create(withFileSystem(stand).spec, signal());
  expect(volumesOf(stand)).toMatchObject([{ type: "ssd" }]);
});

it.each(["before", "after"] as const)("is made once when the response is lost %s the order", async (drop) => {
  const stand = await beginEngines();
  stand.fake.faults.add("volume", "POST", /volumes$/, { drop });
  const { spec } = withFileSystem(stand);
  expect(await failure(stand.engine.create(spec, signal()))).toMatchObject({ kind: "unavailable" });
  await booted(stand.engine, spec);
  expect(volumesOf(stand)).toHaveLength(1);
  expect(serverOf(stand, spec).volumes).toEqual(volumesOf(stand).map(({ id }) => id));
});

it("a start waits for a volume that another machine has, and stays with it after a removal", async () => {
  const stand = await beginEngines();
  const { spec: first, fileSystem } = withFileSystem(stand);
  const { spec: second } = withFileSystem(stand, 10, fileSystem.id);
  await booted(stand.engine, first);
  await stand.engine.create(second, signal());
  const busy = { kind: "unavailable", code: "file-system-busy" };
  expect(await failure(stand.engine.start(second, signal()))).toMatchObject(busy);
  expect(await failure(stand.engine.removeFileSystem(fileSystem, signal()))).toMatchObject({ kind: "unavailable" });
  await stand.engine.remove(first, signal());
  await booted(stand.engine, second);
  expect(volumesOf(stand)).toHaveLength(1);
});

it("a copy from a backup, which has its name and metadata, is not taken for the volume", async () => {
  const stand = await beginEngines();
  const { spec } = withFileSystem(stand);
  await stand.engine.create(spec, signal());
  const [volume = expect.unreachable()] = volumesOf(stand);
  const copy = {
    ...volume,
    id: "00000000-0000-4000-8000-000000000000",
    created: new Date(volume.created.getTime() + 60_000),
  };
  stand.world.volumes.set(copy.id, copy);
  await eventually(() => volume.status).toBe("available");
  copy.status = "available";
  await booted(stand.engine, spec);
  expect(serverOf(stand, spec).volumes).toEqual([volume.id]);
});

it("a volume of others with its name is neither attached nor removed", async () => {
  const stand = await beginEngines();
  const { spec, fileSystem } = withFileSystem(stand);
  await stand.engine.create(spec, signal());
  const [volume = expect.unreachable()] = volumesOf(stand);
  await eventually(() => volume.status).toBe("available");
  const theirs = { ...volume, id: "00000000-0000-4000-8000-000000000000", metadata: {}, created: new Date(0) };
  stand.world.volumes.set(theirs.id, theirs);
  await booted(stand.engine, spec);
  expect(serverOf(stand, spec).volumes).toEqual([volume.id]);
  await stand.engine.remove(spec, signal());
  await stand.engine.removeFileSystem(fileSystem, signal());
  await eventually(() => volumesOf(stand)).toEqual([theirs]);
});

it("all volumes of a file system go with it, and a second removal does nothing", async () => {
  const stand = await beginEngines();
  const { spec, fileSystem } = withFileSystem(stand);
  await Promise.allSettled([stand.engine, stand.another()].map((engine) => engine.create(spec, signal())));
  await eventually(() => volumesOf(stand).every(({ status }) => status === "available")).toBe(true);
  await stand.engine.removeFileSystem(fileSystem, signal());
  await stand.engine.removeFileSystem(fileSystem, signal());
  await eventually(() => volumesOf(stand)).toEqual([]);
  expect(await stand.engine.measureFileSystem()).toBeUndefined();
});

it("one that the storage fails to make is made anew, and the failed one deleted", async () => {
  const stand = await beginEngines();
  const { spec } = withFileSystem(stand);
  stand.fake.faults.add("volume", "POST", /volumes$/, { spawn: "exhausted" }, 2);
  await booted(stand.engine, spec);
  await eventually(() => volumesOf(stand)).toMatchObject([{ status: "in-use" }]);
  expect(stand.fake.seen("volume", "POST", /volumes$/)).toHaveLength(3);
});

it("one that the storage fails to make is made three times for a machine, and again for another", async () => {
  const stand = await beginEngines();
  const { spec, fileSystem } = withFileSystem(stand);
  stand.fake.faults.add("volume", "POST", /volumes$/, { spawn: "exhausted" }, 3);
  const started = () =>
    failure(
      (async () => {
        await stand.engine.create(spec, signal());
        await stand.engine.start(spec, signal());
      })(),
    );
  await eventually(started).toMatchObject({ kind: "unavailable", code: "file-system-failed" });
  expect(await started()).toMatchObject({ code: "file-system-failed" });
  expect(stand.fake.seen("volume", "POST", /volumes$/)).toHaveLength(3);
  const { spec: other } = withFileSystem(stand, 10, fileSystem.id);
  await booted(stand.engine, other);
  await eventually(() => volumesOf(stand)).toMatchObject([{ status: "in-use" }]);
});

it.each(["had a server", "is of before there was a mark"])(
  "one that %s is never deleted, though it fails",
  async (what) => {
    const stand = await beginEngines();
    const { spec, fileSystem } = withFileSystem(stand);
    const { spec: other } = withFileSystem(stand, 10, fileSystem.id);
    if (what === "had a server") {
      await booted(stand.engine, spec);
      await stand.engine.remove(spec, signal());
    } else {
      await stand.engine.create(spec, signal());
      for (const volume of volumesOf(stand)) delete volume.metadata["lessor-empty"];
    }
    const [volume = expect.unreachable()] = volumesOf(stand);
    await eventually(() => volume.status).toBe("available");
    volume.status = "error";
    expect(await failure(stand.engine.create(other, signal()))).toMatchObject({ code: "file-system-failed" });
    expect(stand.fake.seen("volume", "DELETE", /./)).toEqual([]);
    expect(volumesOf(stand)).toEqual([volume]);
  },
);

it("of one with data and one whose order came late, machines get the one with data, and the other is deleted", async () => {
  const stand = await beginEngines();
  const { spec, fileSystem } = withFileSystem(stand);
  await booted(stand.engine, spec);
  const [volume = expect.unreachable()] = volumesOf(stand);
  const late = { ...volume, id: "00000000-0000-4000-8000-000000000000", attachments: [] };
  const metadata = { ...volume.metadata, "lessor-empty": `1 ${spec.id}` };
  stand.world.volumes.set(late.id, { ...late, status: "available", metadata });
  await stand.engine.remove(spec, signal());
  const { spec: other } = withFileSystem(stand, 10, fileSystem.id);
  await booted(stand.engine, other);
  expect(serverOf(stand, other).volumes).toEqual([volume.id]);
  await eventually(() => volumesOf(stand)).toEqual([volume]);
});

it("what the quota of volumes does not allow is refused", async () => {
  const stand = await beginEngines();
  stand.world.quotas.gigabytes = 5;
  const refused = { kind: "refused", code: "no-capacity" };
  expect(await failure(stand.engine.create(withFileSystem(stand).spec, signal()))).toMatchObject(refused);
  expect(stand.world.networks.ports.size).toBe(0);
});
