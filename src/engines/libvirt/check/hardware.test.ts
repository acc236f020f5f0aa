import { beforeEach, describe, expect, it } from "vitest";
import { faultsIn } from "../../../../test/support/check-stand.ts";
import { hostSettings } from "../../../../test/support/fake-libvirt/stand.ts";
import { beginLibvirtCheckStand, type LibvirtCheckStand } from "../../../../test/support/libvirt-check-stand.ts";
import { checkHardware } from "./hardware.ts";

let stand: LibvirtCheckStand;
beforeEach(async () => {
  stand = await beginLibvirtCheckStand();
});
const hardware = () => stand.host("h1").hardware;

describe("what a host has", () => {
  it("is told: what is to rent, and what it is made of", async () => {
    expect(await stand.run(checkHardware)).toEqual([
      "ok h1: 64 vCPUs, 512 GiB, 4000 GB, no GPU, in north",
      "ok hardware on h1: 64 threads, 512 GiB on 2 NUMA nodes",
    ]);
  });

  it("is a problem where nothing is left to rent", async () => {
    const reserved = { vcpus: 64, memoryGib: 0, storageGb: 0 };
    expect(faultsIn(await stand.run(checkHardware, { reserved }))).toEqual([
      expect.stringMatching(/^problem h1: .*: no vCPUs to rent -> lower reserved/),
    ]);
  });
});

describe("huge pages", () => {
  it("that the settings name are told by node, and are a problem where there are none", async () => {
    expect(faultsIn(await stand.run(checkHardware, { hugePages: "1GiB" }))).toContainEqual(
      expect.stringMatching(/^problem huge pages on h1: no 1GiB pages are reserved -> on the host: .*hugepagesz=1G/),
    );
    for (const cell of hardware().cells) cell.hugePages[1048576] = 100;
    expect(await stand.run(checkHardware, { hugePages: "1GiB" })).toContain(
      "ok huge pages on h1: 200 GiB of 1GiB (100 GiB + 100 GiB)",
    );
  });

  it("that no machine uses are a warning", async () => {
    for (const cell of hardware().cells) cell.hugePages[1048576] = 100;
    expect(faultsIn(await stand.run(checkHardware))).toEqual([
      "warning huge pages on h1: 200 GiB reserved as huge pages, which no machine uses -> release them, or set huge_pages to their size",
    ]);
  });
});

describe("a GPU", () => {
  it("for guests alone is fine", async () => {
    hardware().addGpu("0000:81:00.0", { driver: "vfio-pci" });
    const told = await stand.run(checkHardware);
    expect(faultsIn(told)).toEqual([]);
    expect(told).toContain("ok IOMMU on h1: enabled");
    expect(told).toContain("ok GPU on h1: 0000:81:00.0 (NVIDIA H100 PCIe), NUMA node 0, driver vfio-pci");
  });

  it("with a driver of the host's own works, and is better bound to vfio-pci", async () => {
    hardware().addGpu("0000:81:00.0", { driver: "nvidia" });
    expect(faultsIn(await stand.run(checkHardware))).toEqual([
      expect.stringMatching(/^warning GPU on h1: 0000:81:00\.0 is used by .* nvidia, .*ids=10de:2331/),
    ]);
  });

  it("that nobody knows is told how to name it", async () => {
    hardware().addGpu("0000:81:00.0", { product: { id: "ffff", name: "GX1" } });
    expect(faultsIn(await stand.run(checkHardware))).toEqual([
      `warning GPU on h1: GPU 10de:ffff "NVIDIA Corporation GX1" at 0000:81:00.0 is unknown and not offered -> ` +
        'to offer it, add it to gpu_models: "10de:ffff": { model: …, memory_gib: … }',
    ]);
  });

  it("that cannot be separated says what is in its way", async () => {
    hardware().addGpu("0000:81:00.0", { iommuGroup: 7 });
    hardware().addGpu("0000:82:00.0", { iommuGroup: 7 });
    expect(faultsIn(await stand.run(checkHardware))[0]).toMatch(
      /^warning GPU on h1: 0000:81:00\.0 .* cannot be assigned to a machine: its IOMMU group 7 has another GPU/,
    );
  });

  it("without an IOMMU is a problem of the host", async () => {
    hardware().addGpu("0000:81:00.0", { iommuGroup: undefined });
    hardware().vfio = false;
    expect(faultsIn(await stand.run(checkHardware))[0]).toMatch(
      /^problem IOMMU on h1: is disabled, .* -> .*intel_iommu=on/,
    );
  });

  it("that is declared and not there is told", async () => {
    const gpu = { address: "0000:41:00.0", model: "h100_pcie", memoryGib: 80, numaNode: 0 };
    const declared = { vcpus: undefined, memoryGib: undefined, storageGb: undefined, gpus: [gpu] };
    const hosts = [hostSettings({ name: "h1", uri: stand.host("h1").uri, declared })];
    hardware().addGpu("0000:81:00.0", { driver: "vfio-pci" });
    const told = await stand.run(checkHardware, { hosts });
    expect(faultsIn(told)).toEqual([
      expect.stringMatching(/^warning GPU on h1: 0000:41:00\.0 \(h100_pcie\) is declared, but is not a GPU/),
    ]);
    expect(told).toContain("ok GPU on h1: 0000:81:00.0 (10de:2331) is not declared and not offered");
  });
});
