import { beforeEach, describe, expect, it } from "vitest";
import { faultsIn } from "../../../../test/support/check-stand.ts";
import { beginLibvirtCheckStand, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { checkImages } from "./images.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});
const storage = () => stand.host("h1").storage;

describe("the images of a host", () => {
  it("that are there are told with their disks, and so is what else the catalogue can name", async () => {
    storage().addVolume("default", "two words.qcow2", { format: "qcow2", capacity: 1000 });
    storage().addVolume("default", "lessor-fs-1.img");
    storage().addVolume("default", "lessor-x.qcow2", { format: "qcow2", capacity: 1000 });
    expect(await stand.run(checkImages)).toEqual([
      "ok image debian-12 on h1: debian-12.qcow2, qcow2, a disk of 2.1 GB",
      "ok images on h1: volumes that the catalog can use: debian-12 and two words",
    ]);
  });

  it("that are not there are told how to import", async () => {
    const images = { "debian-13": { volume: "d13.qcow2", boot: undefined } };
    expect(faultsIn(await stand.run(checkImages, { images }))).toEqual([
      "problem image debian-13 on h1: the volume d13.qcow2 does not exist -> " +
        "lessor image import <file> --cluster lab --alias debian-13; if the file is in the pool: " +
        "virsh -c qemu+tcp://127.66.1.2/system pool-refresh default",
    ]);
  });

  it("need the volumes that they are booted from", async () => {
    const boot = { kernel: "vmlinuz", initrd: "initrd", cmdline: "quiet" };
    const images = { light: { volume: "debian-12.qcow2", boot } };
    storage().addVolume("default", "vmlinuz");
    expect(faultsIn(await stand.run(checkImages, { images }))).toEqual([
      expect.stringMatching(/^problem image light on h1: its boot volume initrd does not exist -> /),
    ]);
    storage().addVolume("default", "initrd");
    expect((await stand.run(checkImages, { images }))[0]).toMatch(/with a kernel of its own$/);
  });

  it("are no images while an import of them was not finished", async () => {
    storage().addVolume("default", "lessor-importing.debian-12.qcow2");
    expect(faultsIn(await stand.run(checkImages))).toEqual([
      expect.stringMatching(/^problem image debian-12 on h1: .* is incomplete: .* -> lessor image import/),
    ]);
  });

  it("are a problem where there is none at all", async () => {
    storage().delete("default", "debian-12.qcow2");
    expect(await stand.run(checkImages, { images: {} })).toEqual([
      expect.stringMatching(/^problem images on h1: there is no image in the pool, .* --alias <alias>$/),
    ]);
  });
});
