// What a fake host is made of, and how libvirt describes it: processors and memory by NUMA node, and PCI devices.

import type { SampleDevice } from "../libvirt-samples/host-sample.ts";
import { complaint } from "./complain.ts";

export interface FakeCell {
  readonly id: number;
  readonly cpus: readonly number[];
  memoryKib: number;
  freeKib: number;
  /** How many pages are set aside, by their size in KiB. */
  readonly hugePages: Record<number, number>;
}

export interface FakeDevice {
  /** As 0000:81:00.0. */
  readonly address: string;
  /** Six hex digits: 030000 and 030200 are graphics, 060400 is a bridge. */
  readonly class: string;
  /** Four hex digits, and what the host calls it. */
  readonly vendor: { readonly id: string; readonly name: string };
  readonly product: { readonly id: string; readonly name: string };
  readonly numaNode: number | undefined;
  readonly iommuGroup: number | undefined;
  driver: string | undefined;
}

export class FakeHardware {
  /** As libvirt knows the host; two with the same would be the same host. */
  uuid: string = crypto.randomUUID();
  cells: FakeCell[] = [cell(0, 0), cell(1, 32)];
  readonly devices: FakeDevice[] = [];
  /** Whether devices can be passed through: an IOMMU that is on, and VFIO. */
  vfio = true;
  /** By what a domain's `type` says. `hangs`: it starts, and its guest never runs. */
  accelerators: Record<"kvm" | "qemu", "works" | "refuses" | "hangs"> = { kvm: "works", qemu: "works" };

  /** A graphics card, alone in its IOMMU group unless told. */
  addGpu(address: string, part: Partial<FakeDevice> = {}): FakeDevice {
    const device: FakeDevice = {
      address,
      class: "030200",
      vendor: { id: "10de", name: "NVIDIA Corporation" },
      product: { id: "2331", name: "GH100 [H100 PCIe]" },
      numaNode: 0,
      iommuGroup: this.devices.length + 40,
      driver: "nvidia",
      ...part,
    };
    this.devices.push(device);
    return device;
  }

  /** Devices of a host that is described for other tests; what tells them to be divided is left out. */
  addSamples(samples: readonly SampleDevice[]): void {
    for (const { vendor, product, node, group, driver, ...rest } of samples) {
      this.devices.push({
        ...rest,
        vendor: { id: vendor[0], name: vendor[1] },
        product: { id: product[0], name: product[1] },
        numaNode: node,
        iommuGroup: group,
        driver,
      });
    }
  }

  capabilities(): string {
    return [
      "<capabilities>\n\n  <host>",
      `    <uuid>${this.uuid}</uuid>`,
      "    <cpu>\n      <arch>x86_64</arch>\n    </cpu>",
      `    <iommu support='${this.vfio ? "yes" : "no"}'/>`,
      `    <topology>\n      <cells num='${this.cells.length}'>`,
      ...this.cells.map(cellXml),
      "      </cells>\n    </topology>\n  </host>\n\n  <guest>",
      "    <os_type>hvm</os_type>\n    <arch name='x86_64'>",
      "      <wordsize>64</wordsize>\n      <emulator>/usr/bin/qemu-system-x86_64</emulator>",
      "      <domain type='qemu'/>",
      ...(this.accelerators.kvm === "refuses" ? [] : ["      <domain type='kvm'/>"]),
      "    </arch>\n  </guest>\n\n</capabilities>\n",
    ].join("\n");
  }

  freeMemory(): string {
    return this.cells.map(({ id, freeKib }) => `${`${id}`.padStart(5)}: ${`${freeKib}`.padStart(10)} KiB\n`).join("");
  }

  freePages(): string {
    return this.cells
      .map(({ id, freeKib, hugePages }) => {
        const sizes = Object.entries({ 4: Math.floor(freeKib / 4), ...hugePages });
        return [`Node ${id}:`, ...sizes.map(([size, count]) => `${size}KiB: ${count}`), "", ""].join("\n");
      })
      .join("");
  }

  deviceNames(): string {
    return this.devices.map((device) => `${nameOf(device)}\n`).join("");
  }

  deviceXml(name: string): string {
    const device = this.devices.find((one) => nameOf(one) === name);
    if (device === undefined) {
      throw complaint(
        `Could not find matching device '${name}'`,
        `Node device not found: no node device with matching name '${name}'`,
      );
    }
    const [domain, bus, slot, fn] = numbersOf(device.address);
    const { vendor, product, numaNode, iommuGroup, driver } = device;
    return [
      "<device>",
      `  <name>${name}</name>`,
      `  <path>/sys/devices/pci${device.address.slice(0, 7)}/${device.address}</path>`,
      "  <parent>computer</parent>",
      ...(driver === undefined ? [] : [`  <driver>\n    <name>${driver}</name>\n  </driver>`]),
      "  <capability type='pci'>",
      `    <class>0x${device.class}</class>`,
      `    <domain>${domain}</domain>\n    <bus>${bus}</bus>\n    <slot>${slot}</slot>\n    <function>${fn}</function>`,
      `    <product id='0x${product.id}'>${product.name}</product>`,
      `    <vendor id='0x${vendor.id}'>${vendor.name}</vendor>`,
      ...(iommuGroup === undefined ? [] : [this.#groupXml(iommuGroup)]),
      ...(numaNode === undefined ? [] : [`    <numa node='${numaNode}'/>`]),
      "  </capability>\n</device>\n",
    ].join("\n");
  }

  #groupXml(group: number): string {
    const members = this.devices
      .filter((one) => one.iommuGroup === group)
      .map(({ address }) => {
        const [domain = 0, bus = 0, slot = 0, fn = 0] = numbersOf(address);
        const hex = (value: number, digits: number) => `0x${value.toString(16).padStart(digits, "0")}`;
        const parts = `domain='${hex(domain, 4)}' bus='${hex(bus, 2)}' slot='${hex(slot, 2)}' function='${hex(fn, 1)}'`;
        return `      <address ${parts}/>`;
      });
    return [`    <iommuGroup number='${group}'>`, ...members, "    </iommuGroup>"].join("\n");
  }
}

/** 32 processors and 256 GiB. */
function cell(id: number, firstCpu: number): FakeCell {
  const cpus = Array.from({ length: 32 }, (_, index) => firstCpu + index);
  const memoryKib = 256 * 1024 ** 2;
  return { id, cpus, memoryKib, freeKib: memoryKib - 4 * 1024 ** 2, hugePages: { 2048: 0, 1048576: 0 } };
}

function cellXml({ id, cpus, memoryKib, hugePages }: FakeCell): string {
  return [
    `        <cell id='${id}'>`,
    `          <memory unit='KiB'>${memoryKib}</memory>`,
    `          <pages unit='KiB' size='4'>${memoryKib / 4}</pages>`,
    ...Object.entries(hugePages).map(([size, count]) => `          <pages unit='KiB' size='${size}'>${count}</pages>`),
    `          <cpus num='${cpus.length}'>`,
    ...cpus.map((cpu) => {
      const place = `socket_id='${id}' die_id='0' core_id='${cpu}'`;
      return `            <cpu id='${cpu}' ${place} siblings='${cpu}'/>`;
    }),
    "          </cpus>\n        </cell>",
  ].join("\n");
}

/** As libvirt calls it: pci_0000_81_00_0. */
export function nameOf({ address }: FakeDevice): string {
  return `pci_${address.replace(/[:.]/g, "_")}`;
}

function numbersOf(address: string): number[] {
  return address.split(/[:.]/).map((part) => Number.parseInt(part, 16));
}
