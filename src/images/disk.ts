// The image for virtual machines: one bootable qcow2 disk for UEFI. GPT, an EFI system partition with systemd-boot and
// the kernels, and ext4 to the end, so that the root can grow. Used by build.ts.
//
// It needs no mounts and no devices: each tool writes into the one file at the partition's offset.
//
// Measured (740 MB, two cores): zstd packs it in 4 s, zlib in 21 s; 236 MB instead of 244; reading all of it takes 0.8
// s of CPU instead of 2.0, at every boot of a machine on the image. QEMU reads zstd from 5.1 on (2020).

import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { VirtualMachineRecipe } from "./recipe.ts";
import type { Shape, Site } from "./site.ts";

/** Creates a disk with its own UUIDs. */
export function diskOf({ disk }: VirtualMachineRecipe): Shape {
  const rootId = randomUUID();
  const espId = randomBytes(4).toString("hex").toUpperCase();
  return {
    // FAT's id as in fstab.
    scriptWords: [rootId, `${espId.slice(0, 4)}-${espId.slice(4)}`],
    pack: async ({ directory, root, run, inside }, to) => {
      const raw = join(directory, "disk.raw");
      // The user who made the root makes the disk too; with any umask, we must be able to read it.
      await inside("install", ["-m", "644", "/dev/null", raw]);
      await inside("truncate", [`--size=${disk.sizeMib}M`, raw]);
      await inside("sh", ["-c", 'printf "%s\\n" "$2" | sfdisk --quiet "$1"', "sfdisk", raw, partitions(disk)]);
      await fillEsp(disk, espId, join(directory, "esp"), raw, inside);
      await fillRoot(disk, rootId, root, raw, inside);
      const options = ["-f", "raw", "-O", "qcow2", "-o", "compression_type=zstd"];
      await run("qemu-img", ["convert", "-c", ...options, raw, to]);
    },
  };
}

type Disk = VirtualMachineRecipe["disk"];

/** Before the first partition, and after the last for GPT's second table. */
const marginMib = 1;

const rootStartMib = ({ espMib }: Disk) => marginMib + espMib;
const rootMib = (disk: Disk) => disk.sizeMib - rootStartMib(disk) - marginMib;

function partitions(disk: Disk): string {
  // The types of the Discoverable Partitions Specification.
  const rootType =
    process.arch === "arm64" ? "B921B045-1DF0-41C3-AF44-4C6F280D3FAE" : "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709";
  return [
    "label: gpt",
    `start=${marginMib}MiB, size=${disk.espMib}MiB, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, name=esp`,
    `start=${rootStartMib(disk)}MiB, size=${rootMib(disk)}MiB, type=${rootType}, name=root`,
  ].join("\n");
}

async function fillEsp(disk: Disk, id: string, from: string, raw: string, inside: Site["inside"]): Promise<void> {
  const image = `${raw}@@${marginMib}M`;
  const sectors = disk.espMib * 2048;
  const place = ["-T", `${sectors}`, "-h", "64", "-s", "32", "-H", `${marginMib * 2048}`];
  await inside("mformat", ["-i", image, "-F", ...place, "-N", id, "-v", "ESP", "::"]);
  await inside("sh", ["-c", 'mcopy -s -i "$1" "$2"/* ::', "mcopy", image, from]);
}

async function fillRoot(disk: Disk, id: string, from: string, raw: string, inside: Site["inside"]): Promise<void> {
  const extended = [
    `offset=${rootStartMib(disk) * 1024 * 1024}`,
    // A new file is all zeros, so nothing is left to be written at the first boot.
    "assume_storage_prezeroed=1",
    "nodiscard",
  ];
  const size = `${rootMib(disk) * 1024}k`;
  // One percent reserved for root instead of five, which would be 50 GB of 1 TB.
  const options = ["-m", "1", "-J", `size=${disk.journalMib}`, "-E", extended.join(",")];
  await inside("mke2fs", ["-q", "-F", "-t", "ext4", "-U", id, "-L", "root", ...options, "-d", from, raw, size]);
}
