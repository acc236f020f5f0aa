// A desktop computer that somebody rents out: one socket, no word of NUMA in its firmware, and three display devices.
// The 4090 has the processor's own slot, where it shares its group with a bridge and the slot's root alone; the 3090
// hangs on the chipset, which puts everything there into one group; the third is in the processor. Written after such
// machines.

import { capabilitiesXml, freeText, type HostSample, nodedevs, poolXml, type SampleDevice } from "./host-sample.ts";

const amd = ["1022", "Advanced Micro Devices, Inc. [AMD]"] as const;
const nvidia = ["10de", "NVIDIA Corporation"] as const;

export const desktop4090 = "0000:01:00.0";
export const desktop3090 = "0000:07:00.0";
export const desktopOwn = "0000:0b:00.0";

export const desktopDevices: readonly SampleDevice[] = [
  { address: "0000:00:01.0", class: "060000", vendor: amd, product: ["14da", "Raphael Dummy Host Bridge"], group: 0 },
  {
    address: "0000:00:01.1",
    class: "060400",
    vendor: amd,
    product: ["14db", "Raphael GPP Bridge"],
    driver: "pcieport",
    group: 0,
  },
  {
    address: desktop4090,
    class: "030000",
    vendor: nvidia,
    product: ["2684", "AD102 [GeForce RTX 4090]"],
    driver: "nvidia",
    group: 0,
  },
  {
    address: "0000:01:00.1",
    class: "040300",
    vendor: nvidia,
    product: ["22ba", "AD102 High Definition Audio Controller"],
    driver: "snd_hda_intel",
    group: 0,
  },
  {
    address: "0000:03:00.0",
    class: "060400",
    vendor: amd,
    product: ["43f4", "600 Series Chipset PCIe Switch Upstream Port"],
    driver: "pcieport",
    group: 15,
  },
  {
    address: "0000:05:00.0",
    class: "020000",
    vendor: ["10ec", "Realtek Semiconductor Co., Ltd."],
    product: ["8125", "RTL8125 2.5GbE Controller"],
    driver: "r8169",
    group: 15,
  },
  {
    address: desktop3090,
    class: "030000",
    vendor: nvidia,
    product: ["2204", "GA102 [GeForce RTX 3090]"],
    driver: "nouveau",
    group: 15,
  },
  {
    address: "0000:07:00.1",
    class: "040300",
    vendor: nvidia,
    product: ["1aef", "GA102 High Definition Audio Controller"],
    driver: "snd_hda_intel",
    group: 15,
  },
  {
    address: desktopOwn,
    class: "030000",
    vendor: ["1002", "Advanced Micro Devices, Inc. [AMD/ATI]"],
    product: ["164e", "Raphael"],
    driver: "amdgpu",
    group: 18,
  },
];

export const desktop: HostSample = {
  capabilities: capabilitiesXml("03c00218-044d-05d4-b706-9d0700080009", [
    { memoryKib: 64 * 1024 ** 2, cpus: Array.from({ length: 32 }, (_, id) => id) },
  ]),
  pool: poolXml("logical", 2_000_000_000_000, "/dev/vg0"),
  devices: nodedevs(desktopDevices),
  free: freeText([{ kib: 60 * 1024 ** 2, pages1g: 0 }]),
};
