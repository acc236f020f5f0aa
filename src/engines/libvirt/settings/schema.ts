// The schema of `libvirt:` in lessor.yaml. Combinations of values are checked in settings.ts, URIs in uri.ts. Used by
// ../kind.ts.

import { type Static, Type } from "typebox";
import { freeMap, group, integer, textLike } from "../../../settings/schema-parts.ts";
import { catalogueName, commonSettings, engineName, gpuModel, optional } from "../../settings/common-schema.ts";

/**
 * Names of libvirt objects: stricter than libvirt, which allows nearly everything without a slash. A name that begins
 * with "-" would be an option of virsh; a space at an end is a typing error.
 */
const libvirtName = (what: string) => ({
  pattern: "^(?!\\.{1,2}$)(?![-\\s])[^/\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]{1,200}(?<!\\s)$",
  description:
    `the name of ${what}: 1 to 200 characters, without "/" and control characters, ` +
    'not beginning with "-", without space at the ends',
});

const accelerator = () =>
  optional(Type.Union([Type.Literal("kvm"), Type.Literal("emulated")], { description: "kvm or emulated" }));

const RegisteredGpu = group({
  address: textLike({
    pattern: "^([0-9A-Fa-f]{4}:)?[0-9A-Fa-f]{2}:[01][0-9A-Fa-f]\\.[0-7]$",
    description: 'a PCI address such as "0000:41:00.0"',
  }),
  ...gpuModel,
  numa_node: integer(0, 1023),
});

const Host = group({
  name: textLike(catalogueName),
  region: textLike(catalogueName),
  uri: Type.String({ description: "a URI such as qemu+ssh://root@gpu-1/system" }),
  accelerator: accelerator(),
  declared: optional(
    group({
      vcpus: integer(1, 1_000_000),
      memory_gib: integer(1, 10_000_000),
      storage_gb: integer(1, 1_000_000_000),
      gpus: optional(
        Type.Array(RegisteredGpu, { maxItems: 64, description: "a list of at most 64 GPUs, each a map (or [])" }),
      ),
    }),
  ),
});

const volume = () => textLike(libvirtName("a volume of the pool"));

const BootedImage = group({
  volume: volume(),
  kernel: optional(volume()),
  initrd: optional(volume()),
  cmdline: optional(
    textLike({
      // The limit of Linux on x86.
      pattern: "^[\\x20-\\x7e]{1,2047}$",
      description: "a kernel command line: one line of at most 2047 printable ASCII characters",
    }),
  ),
});

export const LibvirtEngineSchema = group({
  name: engineName,
  hosts: Type.Array(Host, { minItems: 1, maxItems: 10_000, description: "a list of 1 to 10000 hosts, each a map" }),
  accelerator: accelerator(),
  pool: optional(textLike(libvirtName("a storage pool"))),
  network: optional(textLike(libvirtName("a network of libvirt"))),
  firmware: optional(Type.Union([Type.Literal("efi"), Type.Literal("bios")], { description: "efi or bios" })),
  images: optional(
    freeMap(
      catalogueName,
      Type.Union([volume(), BootedImage], {
        description: `${libvirtName("a volume of the pool").description}; or a map of volume, kernel, initrd, cmdline`,
      }),
      "a map from an image's name in the catalog to a volume of the pool",
    ),
  ),
  pin_from_vcpus: integer(1, 1_000_000),
  huge_pages: optional(Type.Union([Type.Literal("2MiB"), Type.Literal("1GiB")], { description: "2MiB or 1GiB" })),
  ...commonSettings,
});

/** `libvirt:` as a whole. */
export const LibvirtSchema = Type.Array(LibvirtEngineSchema, { description: "a list of engines, each a map" });

/** An item of it that passed the schema. */
export type LibvirtFileSettings = Static<typeof LibvirtEngineSchema>;
