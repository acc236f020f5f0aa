import { beforeEach, describe, expect, it } from "vitest";
import { beginLibvirtCheckStand, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { checkClock } from "./clock.ts";
import { checkFirmware } from "./firmware.ts";
import { checkAccelerator } from "./virtualization.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});
const nothing = "<domainCapabilities><os supported='yes'><enum name='firmware'/></os></domainCapabilities>";

describe("the firmware", () => {
  it("UEFI is fine where the host offers it for the accelerator, and is not asked for with BIOS", async () => {
    expect(await stand.run(checkFirmware, { firmware: "efi" })).toEqual(["ok firmware on h1: UEFI"]);
    expect(stand.stand.fake.seen(/^h1 domcapabilities --virttype kvm --arch x86_64 --machine q35$/)).toHaveLength(1);
    expect(await stand.run(checkFirmware, { firmware: "bios" })).toEqual([]);
  });

  it("UEFI is a problem where it is not there, unless every image has a kernel of its own", async () => {
    stand.answer("domcapabilities .*", nothing);
    expect(await stand.run(checkFirmware, { firmware: "efi" })).toEqual([
      expect.stringMatching(/^problem firmware on h1: there is no UEFI -> .*apt-get install ovmf/),
    ]);
    const boot = { kernel: "k", initrd: "i", cmdline: "c" };
    const images = { light: { volume: "light.qcow2", boot } };
    expect((await stand.run(checkFirmware, { firmware: "efi", images }))[0]).toMatch(/^warning/);
  });

  it("is nothing to speak of where the accelerator itself is missing", async () => {
    const refusal =
      "failed to get emulator capabilities; invalid argument: the accel 'kvm' is not supported by '/x' on this host";
    stand.refuse("domcapabilities .*", refusal);
    expect(await stand.run(checkFirmware, { firmware: "efi" })).toEqual([]);
  });
});

describe("the accelerator", () => {
  it("is proved by a guest, and the time is told", async () => {
    expect(await stand.run(checkAccelerator)).toEqual([
      expect.stringMatching(/^ok accelerator on h1: a guest ran with KVM, and ended after \d+\.\d s$/),
    ]);
  });

  it("that libvirt refuses is a problem in its words, with what to switch on", async () => {
    stand.host("h1").hardware.accelerators.kvm = "refuses";
    expect(await stand.run(checkAccelerator)).toEqual([
      expect.stringMatching(/^problem accelerator on h1: .*kvm.* -> enable virtualization in the firmware/),
    ]);
  });
});

describe("the clock", () => {
  it("of a host that goes with ours is fine, and nothing is left of how that was found out", async () => {
    expect(await stand.run(checkClock)).toEqual(["ok clock on h1: goes with this machine's"]);
    expect([...stand.host("h1").storage.files.keys()].filter((path) => path.includes("lessor-mark"))).toEqual([]);
  });

  it.each([
    [-300, "300 s behind"],
    [3600, "3600 s ahead of"],
  ])("that is %d s off is a warning", async (seconds, words) => {
    stand.host("h1").storage.clockAheadMs = seconds * 1000;
    expect((await stand.run(checkClock))[0]).toMatch(`warning clock on h1: is ${words} this machine's`);
  });
});
