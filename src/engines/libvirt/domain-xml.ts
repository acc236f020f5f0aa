// The domain's XML, from a machine's spec and the location of its parts. Pure.
//
// Invariant: it contains no secret, only paths of volumes: libvirt stores it on the host's disk, and logs QEMU's whole
// command line. The guest finds disks by serial number, so their order does not matter.

import type { MachineSpec } from "../engine.ts";
import { fileSystemSerial, secretsSerial } from "../guest/disks.ts";
import { filesPort } from "../guest/files.ts";
import { filterName } from "./isolation/filter-xml.ts";
import { domainName, fileSystemVolume, labelOf, volumes } from "./labels.ts";
import type { LibvirtImage } from "./settings/settings.ts";
import { type Element, element, xmlText } from "./xml/element.ts";

/** The location of one machine's parts. */
export interface DomainPlan {
  readonly installation: string;
  readonly engine: string;
  readonly accelerator: "kvm" | "emulated";
  readonly firmware: "efi" | "bios";
  /** The host's, in libvirt's terms: "x86_64", "aarch64". */
  readonly architecture: string;
  /** The directory of the pool with the disks, and of the pool in memory. */
  readonly poolPath: string;
  readonly memoryPath: string;
  readonly network: string;
  readonly mac: string;
  readonly address: string;
  /** As in the ownership label (labels.ts). */
  readonly copied?: string | undefined;
  readonly boot: LibvirtImage["boot"];
  /** Pinned to these CPUs of the host, with memory on that node; undefined: anywhere. */
  readonly pinned: { readonly node: number; readonly cpus: readonly number[] } | undefined;
  readonly hugePages: "2MiB" | "1GiB" | undefined;
  /** PCI addresses to assign: GPUs, and what cannot be separated from them. */
  readonly devices: readonly string[];
}

/** The alias of the console on which the guest offers a root shell. */
export const shellAlias = "ua-lessor-shell";

/** The channel to which the guest's agent writes metrics: a port of that name in the guest (src/images/agent.py). */
export const metricsChannel = "org.lessor.metrics.0";

/** More vCPUs need an interrupt controller that older machine types do not have. */
const PLAIN_VCPUS = 255;

/** Throws "BUG: …" for addresses that were not validated. */
export function domainXml(spec: MachineSpec, plan: DomainPlan): string {
  const { vcpus, memoryGib } = spec;
  const { pinned, accelerator } = plan;
  return xmlText(
    element(
      "domain",
      { type: accelerator === "kvm" ? "kvm" : "qemu" },
      element("name", {}, domainName(spec.id)),
      element("uuid", {}, spec.id),
      element("metadata", {}, labelOf(spec, plan)),
      element("memory", { unit: "GiB" }, `${memoryGib}`),
      hugePages(plan.hugePages),
      element("vcpu", { placement: "static", cpuset: pinned?.cpus.join(",") }, `${vcpus}`),
      pinned === undefined
        ? undefined
        : element("numatune", {}, element("memory", { mode: "strict", nodeset: pinned.node })),
      operatingSystem(plan),
      features(plan, vcpus),
      processor(plan, vcpus),
      element("clock", { offset: "utc" }),
      element("on_poweroff", {}, "destroy"),
      element("on_reboot", {}, "restart"),
      // A crashed guest is shown as stopped, not as running and silent.
      element("on_crash", {}, "destroy"),
      element(
        "devices",
        {},
        disks(spec, plan),
        nic(spec, plan),
        consoles(),
        spec.hasMetrics === true ? channel(metricsChannel) : undefined,
        spec.takesFiles === true ? channel(filesPort) : undefined,
        others(plan, vcpus),
        gpus(plan),
      ),
    ),
  );
}

function hugePages(size: DomainPlan["hugePages"]): Element | undefined {
  if (size === undefined) return undefined;
  const page = size === "1GiB" ? { size: 1, unit: "GiB" } : { size: 2, unit: "MiB" };
  return element("memoryBacking", {}, element("hugepages", {}, element("page", page)));
}

function operatingSystem({ architecture, firmware, boot }: DomainPlan): Element {
  const machine = architecture === "aarch64" ? "virt" : "q35";
  const type = element("type", { arch: architecture, machine }, "hvm");
  if (boot !== undefined) {
    // No firmware needed: QEMU's built-in loader starts the kernel.
    const { kernel, initrd, cmdline } = boot;
    return element("os", {}, type, element("kernel", {}, kernel), element("initrd", {}, initrd), [
      element("cmdline", {}, cmdline),
    ]);
  }
  if (firmware === "bios") return element("os", {}, type, element("boot", { dev: "hd" }));
  // Otherwise libvirt uses the host's first firmware, which on Debian rejects boot loaders that are not signed by
  // Microsoft; and GPU drivers are unsigned modules.
  const unsigned = element("feature", { enabled: "no", name: "secure-boot" });
  return element("os", { firmware }, type, element("firmware", {}, unsigned), element("boot", { dev: "hd" }));
}

function features({ architecture }: DomainPlan, vcpus: number): Element {
  const many = vcpus > PLAIN_VCPUS && architecture === "x86_64";
  return element(
    "features",
    {},
    element("acpi"),
    architecture === "aarch64" ? element("gic") : element("apic"),
    many ? element("ioapic", { driver: "qemu" }) : undefined,
  );
}

function processor({ accelerator, architecture }: DomainPlan, vcpus: number): Element | undefined {
  const topology = element("topology", { sockets: 1, dies: 1, cores: vcpus, threads: 1 });
  if (accelerator !== "kvm") return architecture === "x86_64" ? element("cpu", {}, topology) : undefined;
  return element(
    "cpu",
    { mode: "host-passthrough", migratable: "off" },
    topology,
    // The host's number of address bits, for the memory windows of large GPUs.
    architecture === "x86_64" ? element("maxphysaddr", { mode: "passthrough" }) : undefined,
  );
}

function disks(spec: MachineSpec, { poolPath, memoryPath }: DomainPlan): Element[] {
  const { id } = spec;
  const all: readonly Disk[] = [
    { path: `${poolPath}/${volumes.disk(id)}`, format: "qcow2", serial: "lessor-root" },
    { path: `${memoryPath}/${volumes.seed(id)}`, format: "raw", serial: "lessor-seed", isReadOnly: true },
    { path: `${memoryPath}/${volumes.secrets(id)}`, format: "raw", serial: secretsSerial, isReadOnly: true },
    ...spec.guest.fileSystems.map((one) => {
      return { path: `${poolPath}/${fileSystemVolume(one.id)}`, format: "qcow2", serial: fileSystemSerial(one.id) };
    }),
  ];
  return all.map(disk);
}

interface Disk {
  readonly path: string;
  readonly format: string;
  readonly serial: string;
  readonly isReadOnly?: boolean;
}

function disk({ path, format, serial, isReadOnly = false }: Disk, index: number): Element {
  return element(
    "disk",
    { type: "file", device: "disk" },
    // Returns discarded blocks to the host.
    element("driver", { name: "qemu", type: format, discard: isReadOnly ? undefined : "unmap" }),
    element("source", { file: path }),
    element("target", { dev: deviceName(index), bus: "virtio" }),
    isReadOnly ? element("readonly") : undefined,
    element("serial", {}, serial),
  );
}

/** vda, vdb, … vdz, vdaa, … */
function deviceName(index: number): string {
  const letter = (at: number) => String.fromCharCode("a".charCodeAt(0) + at);
  const first = Math.floor(index / 26);
  return `vd${first === 0 ? "" : letter(first - 1)}${letter(index % 26)}`;
}

/** Isolated from other machines on the bridge; its filter controls the rest. */
function nic({ id }: MachineSpec, { network, mac, address }: DomainPlan): Element {
  return element(
    "interface",
    { type: "network" },
    element("mac", { address: mac }),
    element("source", { network }),
    element("port", { isolated: "yes" }),
    element("model", { type: "virtio" }),
    element("filterref", { filter: filterName(id) }, element("parameter", { name: "IP", value: address })),
  );
}

function consoles(): Element[] {
  return [
    element("serial", { type: "pty" }, element("target", { port: 0 })),
    element("console", { type: "pty" }, element("target", { type: "serial", port: 0 })),
    element(
      "console",
      { type: "pty" },
      element("target", { type: "virtio", port: 1 }),
      element("alias", { name: shellAlias }),
    ),
  ];
}

/** A port of that name in the guest, at a socket whose path libvirt chooses. */
function channel(name: string): Element {
  const target = element("target", { type: "virtio", name });
  return element("channel", { type: "unix" }, element("source", { mode: "bind" }), target);
}

function others({ architecture }: DomainPlan, vcpus: number): Element[] {
  const isX86 = architecture === "x86_64";
  return [
    element("controller", { type: "usb", model: "none" }),
    element("memballoon", { model: "none" }),
    element("rng", { model: "virtio" }, element("backend", { model: "random" }, "/dev/urandom")),
    // Reports kernel panics to the host.
    ...(isX86 ? [element("panic", { model: "isa" })] : []),
    ...(isX86 && vcpus > PLAIN_VCPUS
      ? [element("iommu", { model: "intel" }, element("driver", { intremap: "on", eim: "on" }))]
      : []),
  ];
}

/** Managed: libvirt detaches them from the host's driver before the start, and reattaches them after the end. */
function gpus({ devices }: DomainPlan): Element[] {
  return devices.map((pci) =>
    element("hostdev", { mode: "subsystem", type: "pci", managed: "yes" }, element("source", {}, pciAddress(pci))),
  );
}

function pciAddress(text: string): Element {
  const [, domain, bus, slot, pciFunction] = /^([0-9a-f]{4,8}):([0-9a-f]{2}):([01][0-9a-f])\.([0-7])$/.exec(text) ?? [];
  if (domain === undefined || bus === undefined || slot === undefined || pciFunction === undefined) {
    throw new Error("BUG: a PCI address that was never checked");
  }
  const [d, b, s, f] = [domain, bus, slot, pciFunction].map((digits) => `0x${digits}`);
  return element("address", { domain: d, bus: b, slot: s, function: f });
}
