import { describe, expect, it } from "vitest";
import type { LibvirtHostSettings } from "../settings/host.ts";
import type { Passable } from "./gpus.ts";
import type { Inventory } from "./inventory.ts";
import { hostReport, type ReportSettings } from "./report.ts";

const gpu = (address: string, part: Partial<Passable> = {}): Passable => ({
  address,
  kind: 0x0302,
  vendorId: "10de",
  productId: "2330",
  vendor: "NVIDIA Corporation",
  product: "GH100 [H100 SXM5 80GB]",
  numaNode: 0,
  driver: "vfio-pci",
  iommuGroup: { number: 1, others: [] },
  physicalFunction: undefined,
  virtualFunctions: 0,
  companions: [],
  obstacle: undefined,
  ...part,
});

const inventory: Inventory = {
  uuid: "4c4c4544-0042-4810-8057-b8c04f4a3333",
  arch: "x86_64",
  emulators: [],
  iommu: true,
  threads: 64,
  memoryGib: 503.9,
  storageGb: 3999.9,
  pool: { type: "dir", path: "/var/lib/libvirt/images", freeBytes: 3e12, allBytes: 4e12 },
  cells: [],
  gpus: [gpu("0000:41:00.0"), gpu("0000:81:00.0", { numaNode: 1 })],
  switches: [],
  others: ["0000:00:05.0"],
};

const nothingDeclared = { vcpus: undefined, memoryGib: undefined, storageGb: undefined, gpus: undefined };

const host = (declared: Partial<LibvirtHostSettings["declared"]> = {}): LibvirtHostSettings => ({
  name: "gpu-1",
  region: "north",
  uri: "qemu+ssh://root@gpu-1/system",
  accelerator: "kvm",
  declared: { ...nothingDeclared, ...declared },
});

const settings: ReportSettings = {
  reserved: { vcpus: 0, memoryGib: 0, storageGb: 0 },
  cpuRatio: 1,
  gpuModels: {},
  hugePages: undefined,
};
const reserving: ReportSettings = { ...settings, cpuRatio: 2, reserved: { vcpus: 8, memoryGib: 32, storageGb: 200 } };

describe("a host", () => {
  it("has what was found, in whole units", () => {
    expect(hostReport(host(), settings, inventory)).toEqual({
      name: "gpu-1",
      region: "north",
      vcpus: 64,
      memoryGib: 503,
      storageGb: 3999,
      available: true,
      sharedStorage: false,
      multiAttach: false,
      gpus: [
        { address: "0000:41:00.0", model: "h100_sxm5", memoryGib: 80, numaNode: 0, healthy: true },
        { address: "0000:81:00.0", model: "h100_sxm5", memoryGib: 80, numaNode: 1, healthy: true },
      ],
    });
  });

  it("keeps back what is reserved, after the ratio of vCPUs, and never has less than nothing", () => {
    expect(hostReport(host(), reserving, inventory)).toMatchObject({ vcpus: 120, memoryGib: 471, storageGb: 3799 });
    const tiny = { ...inventory, threads: 2, memoryGib: 1, storageGb: 1 };
    expect(hostReport(host(), reserving, tiny)).toMatchObject({ vcpus: 0, memoryGib: 0, storageGb: 0 });
  });

  it("is as it was declared, each part for itself, and reserved and ratio hold all the same", () => {
    expect(hostReport(host({ vcpus: 10 }), reserving, inventory)).toMatchObject({ vcpus: 12, memoryGib: 471 });
    expect(hostReport(host({ memoryGib: 100 }), reserving, inventory)).toMatchObject({ vcpus: 120, memoryGib: 68 });
    expect(hostReport(host({ storageGb: 300 }), reserving, inventory)).toMatchObject({ storageGb: 100, vcpus: 120 });
  });

  it("shares no storage, on a network file system neither", () => {
    const netfs = { ...inventory, pool: { type: "netfs", path: "/mnt/pool", freeBytes: 3e12, allBytes: 4e12 } };
    expect(hostReport(host(), settings, netfs)).toMatchObject({ sharedStorage: false });
  });
});

describe("the memory of a host with huge pages", () => {
  const cell = (id: number) => ({
    id,
    cpus: [],
    memoryKib: 256 * 1024 ** 2,
    hugePages: [
      { sizeKib: 2048, count: 1024 },
      { sizeKib: 1_048_576, count: 200 },
    ],
  });
  const paged: Inventory = { ...inventory, memoryGib: 512, cells: [cell(0), cell(1)] };

  it("is what is in pages of the size that machines have", () => {
    expect(hostReport(host(), { ...settings, hugePages: "1GiB" }, paged)).toMatchObject({ memoryGib: 400 });
    expect(hostReport(host(), { ...settings, hugePages: "2MiB" }, paged)).toMatchObject({ memoryGib: 4 });
  });

  it("is not lessened by what is kept back, as long as that is there beside the pages", () => {
    expect(hostReport(host(), { ...reserving, hugePages: "1GiB" }, paged)).toMatchObject({ memoryGib: 400 });
    const greedy = { ...reserving, reserved: { vcpus: 0, memoryGib: 212, storageGb: 0 }, hugePages: "1GiB" } as const;
    expect(hostReport(host(), greedy, paged)).toMatchObject({ memoryGib: 300 });
  });

  it("is what is left beside the pages where machines have ordinary memory", () => {
    expect(hostReport(host(), settings, paged)).toMatchObject({ memoryGib: 512 - 404 });
    expect(hostReport(host(), reserving, paged)).toMatchObject({ memoryGib: 512 - 404 - 32 });
  });

  it("is nothing where there are no pages of that size", () => {
    expect(hostReport(host(), { ...settings, hugePages: "1GiB" }, inventory)).toMatchObject({ memoryGib: 0 });
  });

  it("is as declared before all that", () => {
    const declared = hostReport(host({ memoryGib: 300 }), { ...reserving, hugePages: "1GiB" }, paged);
    expect(declared).toMatchObject({ memoryGib: 268 });
  });
});

describe("the GPUs of a host", () => {
  it("that cannot be given to a guest are there, and not healthy", () => {
    const blocked = { ...inventory, gpus: [gpu("0000:41:00.0", { obstacle: "it has no IOMMU group" })] };
    expect(hostReport(host(), settings, blocked)?.gpus).toEqual([
      { address: "0000:41:00.0", model: "h100_sxm5", memoryGib: 80, numaNode: 0, healthy: false },
    ]);
  });

  it("are called as the settings say, and those that nobody knows are left out", () => {
    const odd = { ...inventory, gpus: [gpu("0000:41:00.0"), gpu("0000:42:00.0", { productId: "ffff" })] };
    expect(hostReport(host(), settings, odd)?.gpus.map(({ address }) => address)).toEqual(["0000:41:00.0"]);
    const gpuModels = { "10de:ffff": { model: "new", memoryGib: 1 }, "10de:2330": { model: "mine", memoryGib: 79 } };
    const named = hostReport(host(), { ...settings, gpuModels }, odd);
    expect(named?.gpus.map(({ model, memoryGib }) => [model, memoryGib])).toEqual([
      ["mine", 79],
      ["new", 1],
    ]);
  });

  it("are those that are declared and no others, also where the host knows nothing of them", () => {
    const gpus = [{ address: "0000:99:00.0", model: "toy", memoryGib: 8, numaNode: 1 }];
    expect(hostReport(host({ gpus }), settings, inventory)?.gpus).toEqual([{ ...gpus[0], healthy: true }]);
    expect(hostReport(host({ gpus: [] }), settings, inventory)?.gpus).toEqual([]);
  });

  it("are not made fit for a guest by declaring them", () => {
    const gpus = [{ address: "0000:41:00.0", model: "toy", memoryGib: 8, numaNode: 1 }];
    const blocked = { ...inventory, gpus: [gpu("0000:41:00.0", { obstacle: "it has no IOMMU group" })] };
    expect(hostReport(host({ gpus }), settings, blocked)?.gpus).toEqual([{ ...gpus[0], healthy: false }]);
    const disk = [{ address: "0000:00:05.0", model: "toy", memoryGib: 8, numaNode: 1 }];
    expect(hostReport(host({ gpus: disk }), settings, inventory)?.gpus).toEqual([{ ...disk[0], healthy: false }]);
  });
});

describe("a host that does not answer", () => {
  const everything = { vcpus: 8, memoryGib: 16, storageGb: 100, gpus: [] };

  it("keeps what was said of it last, and is unavailable", () => {
    const known = hostReport(host(), reserving, inventory);
    expect(known).toMatchObject({ available: true, vcpus: 120 });
    expect(hostReport(host(), reserving, undefined, known)).toEqual({ ...known, available: false });
    expect(hostReport(host(everything), settings, undefined, known)).toEqual({ ...known, available: false });
  });

  it("and was never seen has what is declared, where that is everything", () => {
    expect(hostReport(host(everything), reserving, undefined)).toEqual({
      name: "gpu-1",
      region: "north",
      vcpus: 8,
      memoryGib: 0,
      storageGb: 0,
      available: false,
      sharedStorage: false,
      multiAttach: false,
      gpus: [],
    });
  });

  it.each(["vcpus", "memoryGib", "storageGb", "gpus"] as const)(
    "and was never seen is left out where %s is not declared, so that what is stored of it stays",
    (part) => {
      expect(hostReport(host({ ...everything, [part]: undefined }), settings, undefined)).toBeUndefined();
    },
  );
});
