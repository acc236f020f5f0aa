// What virsh prints of a host, for tests of what is made of it; and how a host that is not at hand is written down in
// libvirt's format ("Node devices XML format" and "Driver capabilities XML format" of its documentation).

export interface HostSample {
  /** Of `capabilities`. */
  readonly capabilities: string;
  /** Of `pool-dumpxml`. */
  readonly pool: string;
  /** Of `nodedev-dumpxml`, by the names that `nodedev-list --cap pci` gives. */
  readonly devices: Readonly<Record<string, string>>;
  /** Of `freepages --all; freecell --all`. */
  readonly free: string;
}

export interface SampleDevice {
  readonly address: string;
  /** Class, subclass and interface, six hex digits. */
  readonly class: string;
  readonly vendor: readonly [id: string, name: string];
  readonly product: readonly [id: string, name: string];
  readonly driver?: string;
  readonly node?: number;
  readonly group?: number;
  /** Of a virtual function. */
  readonly physical?: string;
  /** Of a device that can be divided; most often []. */
  readonly virtual?: readonly string[];
}

/** As libvirt prints them, by name. Each group's addresses are those of all the devices with its number. */
export function nodedevs(devices: readonly SampleDevice[]): Record<string, string> {
  return Object.fromEntries(devices.map((device) => [nodedevName(device.address), nodedevXml(device, devices)]));
}

/** "0000:41:00.0" is pci_0000_41_00_0. */
export function nodedevName(address: string): string {
  return `pci_${address.replace(/[:.]/g, "_")}`;
}

function nodedevXml(device: SampleDevice, all: readonly SampleDevice[]): string {
  const [domain, bus, slot, pciFunction] = partsOf(device.address);
  const [{ physical, virtual, group, node, driver }, bridge] = [device, device.class.startsWith("0604")];
  const lines = [
    "<device>",
    `  <name>${nodedevName(device.address)}</name>`,
    `  <path>/sys/devices/pci${device.address.slice(0, 7)}/${device.address}</path>`,
    "  <parent>computer</parent>",
    ...(driver === undefined ? [] : ["  <driver>", `    <name>${driver}</name>`, "  </driver>"]),
    "  <capability type='pci'>",
    `    <class>0x${device.class}</class>`,
    `    <domain>${domain}</domain>`,
    `    <bus>${bus}</bus>`,
    `    <slot>${slot}</slot>`,
    `    <function>${pciFunction}</function>`,
    named("product", device.product),
    named("vendor", device.vendor),
    ...(physical === undefined ? [] : capability("phys_function", [physical])),
    ...(virtual === undefined ? [] : capability("virt_functions' maxCount='16", virtual)),
    ...(bridge ? ["    <capability type='pci-bridge'/>"] : []),
    ...(group === undefined ? [] : groupLines(group, all)),
    ...(node === undefined ? [] : [`    <numa node='${node}'/>`]),
    "    <pci-express>",
    "      <link validity='cap' port='0' speed='32' width='16'/>",
    "      <link validity='sta' speed='32' width='16'/>",
    "    </pci-express>",
    "  </capability>",
    "</device>",
  ];
  return `${lines.join("\n")}\n\n`;
}

function named(what: string, [id, name]: readonly [string, string]): string {
  return name === "" ? `    <${what} id='0x${id}'/>` : `    <${what} id='0x${id}'>${name}</${what}>`;
}

function capability(type: string, addresses: readonly string[]): string[] {
  if (addresses.length === 0) return [`    <capability type='${type}'/>`];
  return [`    <capability type='${type}'>`, ...addresses.map(addressLine), "    </capability>"];
}

function groupLines(group: number, all: readonly SampleDevice[]): string[] {
  const addresses = all.filter((one) => one.group === group).map(({ address }) => addressLine(address));
  return [`    <iommuGroup number='${group}'>`, ...addresses, "    </iommuGroup>"];
}

function addressLine(address: string): string {
  const [domain = "", bus = "", slot = "", pciFunction = ""] = address.split(/[:.]/);
  return `      <address domain='0x${domain}' bus='0x${bus}' slot='0x${slot}' function='0x${pciFunction}'/>`;
}

/** Decimal, as the elements have them. */
function partsOf(address: string): number[] {
  return address.split(/[:.]/).map((part) => Number.parseInt(part, 16));
}

export interface SampleCell {
  readonly memoryKib: number;
  readonly cpus: readonly number[];
  readonly pages2m?: number;
  readonly pages1g?: number;
}

export function capabilitiesXml(uuid: string, cells: readonly SampleCell[]): string {
  return `<capabilities>

  <host>
    <uuid>${uuid}</uuid>
    <cpu>
      <arch>x86_64</arch>
      <topology sockets='${cells.length}' dies='1' cores='1' threads='2'/>
      <pages unit='KiB' size='4'/>
    </cpu>
    <iommu support='yes'/>
    <topology>
      <cells num='${cells.length}'>
${cells.map(cellXml).join("\n")}
      </cells>
    </topology>
  </host>

  <guest>
    <os_type>hvm</os_type>
    <arch name='x86_64'>
      <wordsize>64</wordsize>
      <emulator>/usr/bin/qemu-system-x86_64</emulator>
      <domain type='qemu'/>
      <domain type='kvm'/>
    </arch>
  </guest>

</capabilities>

`;
}

function cellXml({ memoryKib, cpus, pages2m = 0, pages1g = 0 }: SampleCell, id: number): string {
  const ordinary = (memoryKib - pages2m * 2048 - pages1g * 1024 ** 2) / 4;
  const cpu = (one: number) => `            <cpu id='${one}' socket_id='${id}' die_id='0' core_id='${one}'/>`;
  return `        <cell id='${id}'>
          <memory unit='KiB'>${memoryKib}</memory>
          <pages unit='KiB' size='4'>${ordinary}</pages>
          <pages unit='KiB' size='2048'>${pages2m}</pages>
          <pages unit='KiB' size='1048576'>${pages1g}</pages>
          <cpus num='${cpus.length}'>
${cpus.map(cpu).join("\n")}
          </cpus>
        </cell>`;
}

export function poolXml(type: string, capacityBytes: number, path?: string): string {
  const target = path === undefined ? "" : `    <path>${path}</path>\n`;
  return `<pool type='${type}'>
  <name>default</name>
  <capacity unit='bytes'>${capacityBytes}</capacity>
  <target>
${target}  </target>
</pool>

`;
}

/** Free KiB and 1 GiB pages of each cell. */
export function freeText(cells: readonly { readonly kib: number; readonly pages1g: number }[]): string {
  const pages = cells.map(({ kib, pages1g }, id) => {
    return `Node ${id}:\n4KiB: ${kib / 4}\n2048KiB: 0\n1048576KiB: ${pages1g}\n\n`;
  });
  return `${pages.join("")}${cells.map(({ kib }, id) => `    ${id}: ${String(kib).padStart(10)} KiB\n`).join("")}`;
}
