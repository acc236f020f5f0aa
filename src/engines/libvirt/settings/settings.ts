// The engines in `libvirt:` of lessor.yaml, each with one or more plain Linux hosts. The schema (schema.ts) has
// validated single values; this file checks combinations and sets defaults. Invariant: no error repeats a value. Used
// by ../kind.ts.

import { ConfigError } from "../../../settings/error.ts";
import { type Called, settingIn } from "../../../settings/setting-path.ts";
import { byName, type CommonSettings, resolveCommon } from "../../settings/common.ts";
import { type LibvirtHostSettings, refuseSharedHosts, resolveHost } from "./host.ts";
import type { LibvirtFileSettings } from "./schema.ts";

export interface LibvirtSettings extends CommonSettings {
  /** The engine's name; unique among all engines. */
  readonly name: string;
  /** At least one. */
  readonly hosts: readonly LibvirtHostSettings[];
  /** The storage pool on every host, for images and disks. */
  readonly pool: string;
  /** The libvirt network on every host. */
  readonly network: string;
  readonly firmware: "efi" | "bios";
  /** By the image's name in the catalog. Has no prototype, so any name is a safe key. */
  readonly images: Readonly<Record<string, LibvirtImage>>;
  /** Machines with at least this many vCPUs, and all with GPUs, are pinned to one NUMA node. */
  readonly pinFromVcpus: number;
  /** Undefined: ordinary pages. */
  readonly hugePages: "2MiB" | "1GiB" | undefined;
}

/** Where an image of the catalog is in the pool. */
export interface LibvirtImage {
  readonly volume: string;
  /** Volumes of the pool to boot it from, and the kernel's command line; undefined: its own boot loader. */
  readonly boot: { readonly kernel: string; readonly initrd: string; readonly cmdline: string } | undefined;
}

type ImageSetting = NonNullable<LibvirtFileSettings["images"]>[string];

/** The engines, with defaults. `fileName` is for the messages. Throws ConfigError. */
export function resolveLibvirt(
  settings: readonly LibvirtFileSettings[] | undefined,
  fileName: string,
): LibvirtSettings[] {
  const engines = settings ?? [];
  refuseSharedHosts(engines, fileName);
  return engines.map((engine, index) =>
    resolveEngine(engine, (...path) => settingIn(["libvirt", index, ...path], fileName)),
  );
}

function resolveEngine(settings: LibvirtFileSettings, called: Called): LibvirtSettings {
  return {
    name: settings.name,
    hosts: settings.hosts.map((host, index) =>
      resolveHost(host, settings.accelerator ?? "kvm", (...path) => called("hosts", index, ...path)),
    ),
    pool: settings.pool ?? "default",
    network: settings.network ?? "default",
    firmware: settings.firmware ?? "efi",
    images: byName(settings.images, (image, name) => [name, resolveImage(image, called("images", name))]),
    pinFromVcpus: settings.pin_from_vcpus ?? 16,
    hugePages: settings.huge_pages,
    ...resolveCommon(settings, called),
  };
}

function resolveImage(setting: ImageSetting, name: string): LibvirtImage {
  if (typeof setting === "string") return { volume: setting, boot: undefined };
  const { volume, kernel, initrd, cmdline } = setting;
  if (kernel === undefined && initrd === undefined && cmdline === undefined) return { volume, boot: undefined };
  if (kernel !== undefined && initrd !== undefined && cmdline !== undefined) {
    return { volume, boot: { kernel, initrd, cmdline } };
  }
  throw new ConfigError(`${name} must have all of kernel, initrd and cmdline, or none of them.`);
}
