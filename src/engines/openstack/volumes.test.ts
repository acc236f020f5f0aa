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

it("what the quota of volumes does not allow is refused", async () => {
  const stand = await beginEngines();
  stand.world.quotas.gigabytes = 5;
  const refused = { kind: "refused", code: "no-capacity" };
  expect(await failure(stand.engine.create(withFileSystem(stand).spec, signal()))).toMatchObject(refused);
  expect(stand.world.networks.ports.size).toBe(0);
});
