import { describe, expect, it } from "vitest";
import { hgxH100 } from "../../../../test/support/libvirt-samples/hgx-h100.ts";
import { capabilitiesXml } from "../../../../test/support/libvirt-samples/host-sample.ts";
import { small } from "../../../../test/support/libvirt-samples/recorded.ts";
import { readOne } from "../xml/read.ts";
import { hugeOnly, readCapabilities } from "./capabilities.ts";

const read = (xml: string) => readCapabilities(readOne(xml));

describe("what a host says of itself", () => {
  it("is read as libvirt really prints it", () => {
    expect(read(small.capabilities)).toEqual({
      uuid: "32b0b997-4460-4e87-9764-d3ff0ca7801a",
      arch: "x86_64",
      emulators: [
        { arch: "i686", path: "/usr/bin/qemu-system-i386", domainTypes: ["qemu", "kvm"] },
        { arch: "x86_64", path: "/usr/bin/qemu-system-x86_64", domainTypes: ["qemu", "kvm"] },
      ],
      iommu: false,
      cells: [
        {
          id: 0,
          cpus: [0, 1],
          memoryKib: 19_097_816,
          hugePages: [
            { sizeKib: 2048, count: 0 },
            { sizeKib: 1_048_576, count: 0 },
          ],
        },
      ],
    });
  });

  it("has each NUMA node with its threads, wherever those are counted", () => {
    const { cells, iommu } = read(hgxH100.capabilities);
    expect(iommu).toBe(true);
    expect(cells.map(({ id, cpus }) => [id, cpus.length, cpus[0], cpus[56]])).toEqual([
      [0, 112, 0, 112],
      [1, 112, 56, 168],
    ]);
    expect(cells[1]?.hugePages).toContainEqual({ sizeKib: 1_048_576, count: 960 });
  });

  it("may have a node that is memory alone", () => {
    const xml = capabilitiesXml("4c4c4544-0042-4810-8057-b8c04f4a3333", [
      { memoryKib: 1024 ** 2, cpus: [1, 0] },
      { memoryKib: 1024 ** 3, cpus: [] },
    ]);
    expect(read(xml).cells.map(({ cpus, memoryKib }) => [cpus, memoryKib])).toEqual([
      [[0, 1], 1024 ** 2],
      [[], 1024 ** 3],
    ]);
  });

  it("leaves out what only runs kernels that are made for it", () => {
    const xml = small.capabilities.replace("<os_type>hvm</os_type>", "<os_type>xen</os_type>");
    expect(read(xml).emulators.map(({ arch }) => arch)).toEqual(["x86_64"]);
  });

  it.each([
    ["a UUID", /<uuid>.*<\/uuid>/],
    ["an architecture", /<arch>x86_64<\/arch>/],
    ["nodes", /<cells[\s\S]*<\/cells>/],
  ])("is not believed without %s", (_what, part) => {
    expect(() => read(small.capabilities.replace(part, ""))).toThrow("libvirt does not say what the host is");
  });

  it("is not believed with a node that has no number", () => {
    expect(() => read(small.capabilities.replace("<cell id='0'>", "<cell>"))).toThrow("which NUMA node");
  });
});

describe("huge pages", () => {
  it("are all but those of the smallest size, which on ARM is not always 4 KiB", () => {
    const [small, middle, large] = [
      { sizeKib: 64, count: 9 },
      { sizeKib: 2048, count: 1 },
      { sizeKib: 524_288, count: 2 },
    ];
    expect(hugeOnly([large, small, middle])).toEqual([middle, large]);
    expect(hugeOnly([small])).toEqual([]);
    expect(hugeOnly([])).toEqual([]);
  });
});
