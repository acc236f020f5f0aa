// What a fake host reads of a domain's description. The description itself is kept as it was given: of what the real one
// adds (addresses, aliases, defaults) nothing is here but the id of a running domain.

import { readOne, type XmlNode } from "../../../src/engines/libvirt/xml/read.ts";
import { complaint } from "./complain.ts";

export interface DiskSource {
  /** Undefined where `path` is given instead. */
  readonly volume: { readonly pool: string; readonly name: string } | undefined;
  readonly path: string | undefined;
  readonly isReadOnly: boolean;
  readonly isShareable: boolean;
}

export interface Description {
  readonly name: string;
  readonly uuid: string;
  readonly accelerator: "kvm" | "qemu";
  /** As it was given, with its uuid. */
  readonly xml: string;
  readonly disks: readonly DiskSource[];
  readonly cards: readonly { readonly mac: string; readonly network: string; readonly filter: string | undefined }[];
  /** Of PCI devices of the host, as 0000:81:00.0. */
  readonly hostDevices: readonly string[];
  /** Whether devices are to be passed through by VFIO in so many words. */
  readonly namesVfio: boolean;
  /** Kernel and initrd. */
  readonly bootFiles: readonly string[];
  readonly logs: readonly { readonly path: string; readonly appends: boolean }[];
  /** Names of the character devices that a console can be opened on. */
  readonly consoles: readonly string[];
  /** Whether the domain ends where its guest reboots. */
  readonly endsOnReboot: boolean;
}

/** Throws as define and create do. */
export function describe(xml: string): Description {
  const root = readOne(xml);
  const name = root.one("name")?.text ?? "";
  if (root.one("os", "type") === undefined) throw complaint("XML error: an os <type> must be specified");
  if (name.includes("/")) throw complaint(`XML error: name ${name} cannot contain '/'`);
  const accelerator = root.attribute("type");
  if (accelerator !== "kvm" && accelerator !== "qemu") {
    throw complaint(`unsupported configuration: invalid domain type ${accelerator}`);
  }
  const given = root.one("uuid")?.text;
  const uuid = given ?? crypto.randomUUID();
  const hostdevs = root.all("devices", "hostdev").filter((one) => one.attribute("type") === "pci");
  const hostDevices = hostdevs.flatMap((one) => one.all("source", "address")).map(addressOf);
  if (new Set(hostDevices).size < hostDevices.length) {
    throw complaint("XML error: Hostdev already exists in the domain configuration");
  }
  return {
    name,
    uuid,
    accelerator,
    xml: given === undefined ? xml.replace("</name>", `</name><uuid>${uuid}</uuid>`) : xml,
    disks: root.all("devices", "disk").map(diskOf),
    cards: root.all("devices", "interface").map((card) => ({
      mac: card.one("mac")?.attribute("address")?.toLowerCase() ?? "",
      network: card.one("source")?.attribute("network") ?? "",
      filter: card.one("filterref")?.attribute("filter"),
    })),
    hostDevices,
    namesVfio: hostdevs.some((one) => one.one("driver")?.attribute("name") === "vfio"),
    bootFiles: ["kernel", "initrd"].flatMap((part) => root.all("os", part)).map((one) => one.text),
    logs: ["serial", "console"]
      .flatMap((kind) => root.all("devices", kind, "log"))
      .map((log) => ({
        path: log.attribute("file") ?? "",
        appends: log.attribute("append") === "on",
      })),
    consoles: ["serial", "console", "channel", "parallel"]
      .flatMap((kind) => root.all("devices", kind))
      .flatMap((one) => one.one("alias")?.attribute("name") ?? [])
      .concat(root.all("devices", "serial").map((_, index) => `serial${index}`)),
    endsOnReboot: root.one("on_reboot")?.text === "destroy",
  };
}

/** As dumpxml prints it; `id` of a running one. */
export function dumped({ xml }: Description, id: number | undefined): string {
  const root = xml.slice(xml.indexOf("<domain")).trim();
  return `${id === undefined ? root : root.replace("<domain", `<domain id='${id}'`)}\n`;
}

function diskOf(disk: XmlNode): DiskSource {
  const source = disk.one("source");
  const pool = source?.attribute("pool");
  const volume = source?.attribute("volume");
  return {
    volume: pool === undefined || volume === undefined ? undefined : { pool, name: volume },
    path: source?.attribute("file"),
    isReadOnly: disk.one("readonly") !== undefined || disk.attribute("device") === "cdrom",
    isShareable: disk.one("shareable") !== undefined,
  };
}

function addressOf(address: XmlNode): string {
  const [domain, bus, slot, fn] = [
    ["domain", 4] as const,
    ["bus", 2] as const,
    ["slot", 2] as const,
    ["function", 1] as const,
  ].map(([key, digits]) =>
    Number(address.attribute(key) ?? 0)
      .toString(16)
      .padStart(digits, "0"),
  );
  return `${domain}:${bus}:${slot}.${fn}`;
}
