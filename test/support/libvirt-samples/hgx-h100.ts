// A server for AI as they are bought: two sockets, eight H100 on an HGX baseboard with four NVSwitches, all bound to
// vfio-pci; a network adapter for each GPU, of which one is divided (SR-IOV); disks; and the graphics chip of its
// management controller. Written after such machines and the PCI ID database. Each device has an IOMMU group, as on
// hardware with ACS.

import {
  capabilitiesXml,
  freeText,
  type HostSample,
  nodedevs,
  poolXml,
  type SampleCell,
  type SampleDevice,
} from "./host-sample.ts";

const nvidia = ["10de", "NVIDIA Corporation"] as const;
const mellanox = ["15b3", "Mellanox Technologies"] as const;
const intel = ["8086", "Intel Corporation"] as const;

/** The first four on node 0. */
export const hgxGpus = ["1b", "43", "52", "61", "9d", "c3", "d1", "df"].map((bus) => `0000:${bus}:00.0`);
export const hgxSwitches = ["05", "06", "07", "08"].map((bus) => `0000:${bus}:00.0`);

const adapters = ["1a", "42", "51", "60", "9c", "c2", "d0", "de"];

export const hgxDevices: readonly SampleDevice[] = [
  { address: "0000:00:00.0", class: "060000", vendor: intel, product: ["09a2", "Ice Lake Memory Map/VT-d"], group: 1 },
  ...hgxGpus.flatMap((address, index): SampleDevice[] => [
    {
      address: address.replace(":00.0", ":01.0"),
      class: "060400",
      vendor: ["1000", "Broadcom / LSI"],
      product: ["c030", "PEX890xx PCIe Gen 5 Switch"],
      driver: "pcieport",
      node: index < 4 ? 0 : 1,
      group: 20 + index,
    },
    {
      address,
      class: "030200",
      vendor: nvidia,
      product: ["2330", "GH100 [H100 SXM5 80GB]"],
      driver: "vfio-pci",
      node: index < 4 ? 0 : 1,
      group: 40 + index,
      virtual: [],
    },
  ]),
  ...hgxSwitches.map(
    (address, index): SampleDevice => ({
      address,
      class: "068000",
      vendor: nvidia,
      product: ["22a3", "GH100 [H100 NVSwitch]"],
      driver: "vfio-pci",
      node: 0,
      group: 60 + index,
    }),
  ),
  ...adapters.map(
    (bus, index): SampleDevice => ({
      address: `0000:${bus}:00.0`,
      class: "020700",
      vendor: mellanox,
      product: ["1021", "MT2910 Family [ConnectX-7]"],
      driver: "mlx5_core",
      node: index < 4 ? 0 : 1,
      group: 80 + index,
      virtual: index === 0 ? ["0000:1a:00.1"] : [],
    }),
  ),
  {
    address: "0000:1a:00.1",
    class: "020700",
    vendor: mellanox,
    product: ["101e", "ConnectX Family mlx5Gen Virtual Function"],
    node: 0,
    group: 90,
    physical: "0000:1a:00.0",
  },
  {
    address: "0000:02:00.0",
    class: "060400",
    vendor: ["1a03", "ASPEED Technology, Inc."],
    product: ["1150", "AST1150 PCI-to-PCI Bridge"],
    node: 0,
    group: 95,
  },
  {
    address: "0000:03:00.0",
    class: "030000",
    vendor: ["1a03", "ASPEED Technology, Inc."],
    product: ["2000", "ASPEED Graphics Family"],
    driver: "ast",
    node: 0,
    group: 95,
  },
  {
    address: "0000:a1:00.0",
    class: "010802",
    vendor: ["144d", "Samsung Electronics Co Ltd"],
    product: ["a824", "NVMe SSD Controller PM173X"],
    driver: "nvme",
    node: 1,
    group: 96,
  },
];

/** 112 threads and 1 TiB each, of which 960 GiB are huge pages of 1 GiB. */
const cells: SampleCell[] = [0, 1].map((id) => ({
  memoryKib: 1024 ** 3,
  // As firmware counts them: the first threads of all cores, then the second ones.
  cpus: [...range(id * 56, 56), ...range(112 + id * 56, 56)],
  pages1g: 960,
}));

export const hgxH100: HostSample = {
  capabilities: capabilitiesXml("4c4c4544-0042-4810-8057-b8c04f4a3333", cells),
  pool: poolXml("dir", 28_000_000_000_000, "/var/lib/libvirt/images"),
  devices: nodedevs(hgxDevices),
  free: freeText(cells.map(() => ({ kib: 40 * 1024 ** 2, pages1g: 960 }))),
};

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}
