// Mount points of a launch's own: which file systems an instance has, and where.

import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing, refusal } from "../../../test/support/refusals.ts";
import { launchFields, worldOfFile } from "../../../test/support/world.ts";
import type { Mount } from "../../rules/mount-points.ts";
import { deleteFileSystem, type FileSystem, listFileSystems } from "../file-systems/file-systems.ts";
import type { InstanceType } from "../instances/instance.ts";
import { list } from "../instances/instance-store.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal } from "../service.ts";
import type { LaunchOrder } from "./order.ts";

const world = worldOfFile();
let principal: Principal;
let product: InstanceType;
let data: FileSystem;
let more: FileSystem;
beforeEach(async () => {
  principal = await world.account();
  await world.image();
  await world.host({ region: "north", gpus: 8 });
  await world.host({ region: "south", gpus: 8 });
  product = await world.product();
  data = await world.fileSystem(principal, { name: "data" });
  more = await world.fileSystem(principal, { name: "more" });
});

const at = (mountPoint: string, one = data): Mount => ({ fileSystemId: one.id, mountPoint });
const fields = { ...launchFields, fileSystemMounts: "field_mounts" };
const order = (fileSystemMounts: readonly Mount[], part: Partial<LaunchOrder> = {}) => ({
  instanceType: product.name,
  fileSystemMounts,
  fields,
  ...part,
});
const launched = (...args: Parameters<typeof order>) => world.launchOne(principal, order(...args));
const refused = async (...args: Parameters<typeof order>) => {
  const { fields: told } = await changingNothing(world.db, () => refusal("invalid-parameters", launched(...args)));
  return Object.keys(told);
};

describe("a file system with a mount point of its own", () => {
  it("is attached like one that is named, and the instance knows its name and where it is", async () => {
    const instance = await launched([at("/srv/models")]);
    expect(instance.fileSystemNames).toEqual(["data"]);
    expect(instance.fileSystemMounts).toEqual([{ fileSystemId: data.id, mountPoint: "/srv/models" }]);
    const [found] = await listFileSystems(world.db, principal);
    expect(found?.attachedTo).toEqual([instance.id]);
  });

  it("takes the instance to its region", async () => {
    const far = await world.fileSystem(principal, { name: "far", region: "south" });
    expect((await launched([at("/far", far)])).region.name).toBe("south");
  });

  it("may be with others that are only named: those are at /mnt/<name>, and come first", async () => {
    const instance = await launched([at("/srv/models")], { fileSystemNames: ["more"] });
    expect(instance.fileSystemNames).toEqual(["more", "data"]);
    expect(instance.fileSystemMounts.map(({ mountPoint }) => mountPoint)).toEqual(["/mnt/more", "/srv/models"]);
  });

  it("may be named too, and is one file system then, at its own mount point", async () => {
    const instance = await launched([at("/srv/models")], { fileSystemNames: ["data", "more"] });
    expect(instance.fileSystemNames).toEqual(["data", "more"]);
    expect(instance.fileSystemMounts).toEqual([
      { fileSystemId: data.id, mountPoint: "/srv/models" },
      { fileSystemId: more.id, mountPoint: "/mnt/more" },
    ]);
  });

  it("is known by its id however that is written", async () => {
    const mounts = [{ fileSystemId: data.id.replaceAll("-", "").toUpperCase(), mountPoint: "/x" }];
    expect((await launched(mounts)).fileSystemMounts).toEqual([{ fileSystemId: data.id, mountPoint: "/x" }]);
  });

  it("is told of the instance after it is gone itself", async () => {
    const { id } = await launched([at("/srv/models")]);
    await world.change(principal, "terminate", [id]);
    await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
    await world.tx((tx) => deleteFileSystem(tx, principal, data.id));
    const [shown] = await list(world.db, world.service, principal, { live: false });
    expect(shown?.fileSystemMounts).toEqual([{ fileSystemId: data.id, mountPoint: "/srv/models" }]);
  });
});

describe("a launch with mount points is refused, names the field, and holds nothing", () => {
  it("where a path is none that can be mounted at", async () => {
    expect(await refused([at("/ok"), at("/etc", more)])).toEqual(["field_mounts.1.mount_point"]);
  });

  it("where one file system is mounted twice, however its id is written", async () => {
    const again = { fileSystemId: data.id.toUpperCase(), mountPoint: "/b" };
    expect(await refused([at("/a"), again])).toEqual(["field_mounts.1.file_system_id"]);
  });

  it("where two would be at one place, or one inside the other", async () => {
    expect(await refused([at("/a"), at("/a", more)])).toEqual(["field_mounts.1.mount_point"]);
    expect(await refused([at("/a/b"), at("/a", more)])).toEqual(["field_mounts.0.mount_point"]);
    expect(await refused([at("/mnt/more/data")], { fileSystemNames: ["more"] })).toEqual([
      "field_mounts.0.mount_point",
    ]);
  });

  it("where there is no such file system, or it is another account's", async () => {
    const other = await world.fileSystem(await world.account(), { name: "other" });
    for (const fileSystemId of [other.id, "nonsense", ""]) {
      const mounts = [at("/a"), { fileSystemId, mountPoint: "/b" }];
      const { fields: told } = await changingNothing(world.db, () => refusal("unknown-name", launched(mounts)));
      expect(Object.keys(told)).toEqual(["field_mounts.1.file_system_id"]);
    }
  });

  it("where it is in another region than the one asked for", async () => {
    const told = await changingNothing(world.db, () =>
      refusal("file-system-in-wrong-region", launched([at("/a")], { region: "south" })),
    );
    expect(told).toEqual({ field: "field_mounts.0", name: "data", region: "north" });
  });

  it("where several instances are asked for, or another has it", async () => {
    expect(await refused([at("/a")], { quantity: 2 })).toEqual(["field_quantity"]);
    await launched([at("/a")]);
    await changingNothing(world.db, () => refusal("conflict", launched([at("/b")])));
  });
});
