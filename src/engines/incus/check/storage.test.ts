import { beforeEach, describe, expect, it } from "vitest";
import { beginCheckStand, type CheckStand } from "../../../../test/support/check-stand.ts";
import { checkStorage } from "./storage.ts";

let stand: CheckStand;
beforeEach(async () => {
  stand = await beginCheckStand();
});

const both = ["m1", "m2"];

describe("the storage pool", () => {
  it("is told with the space on each member", async () => {
    expect(await stand.run(checkStorage)).toEqual([
      "ok pool local: zfs: m1 4000 GB free of 4000 and m2 4000 GB free of 4000",
    ]);
  });

  it("that does not exist tells how it is made", async () => {
    expect(await stand.run(checkStorage, { settings: { pool: "nope" } })).toEqual([
      expect.stringMatching(/^problem pool nope: does not exist -> .*--target <member>.*lxc storage create nope zfs/),
    ]);
  });

  it("that one member has not is a problem there", async () => {
    stand.answer("/1.0/storage-pools/local", { driver: "zfs", status: "Created", locations: ["m1"] });
    expect(await stand.run(checkStorage)).toEqual([
      "problem pool local: is not created on m2 -> lxc storage create local zfs --target m2",
      "ok pool local: zfs: m1 4000 GB free of 4000",
    ]);
  });

  it("that is not ready is a problem", async () => {
    stand.answer("/1.0/storage-pools/local", { driver: "zfs", status: "Errored", locations: both });
    expect((await stand.run(checkStorage))[0]).toMatch(/^problem pool local: is errored/);
  });

  it.each([
    ["warned of", "warning", 95e9, 5],
    ["a problem where not even an image has room", "problem", 99e9, 1],
  ])("that is nearly full is %s, by member", async (_, verdict, used, free) => {
    stand.answer("/1.0/storage-pools/local/resources", { space: { used, total: 100e9 } });
    expect((await stand.run(checkStorage)).slice(0, 2)).toEqual([
      `${verdict} pool local: has only ${free} GB free on m1 -> free space, or add a disk`,
      `${verdict} pool local: has only ${free} GB free on m2 -> free space, or add a disk`,
    ]);
  });

  it("of the driver dir is warned of, because it may hold nobody to his size", async () => {
    stand.answer("/1.0/storage-pools/local", { driver: "dir", status: "Created", locations: both });
    expect((await stand.run(checkStorage))[1]).toMatch(
      /^warning pool local: uses the driver dir.*project quotas -> use zfs/,
    );
  });
});
