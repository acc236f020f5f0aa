// `lessor image import`: its options and help.

import type { Command } from "commander";
import type { ImageImportOrder } from "../image-import.ts";
import { besideService } from "../surroundings-of-process.ts";

export function define(command: Command): void {
  command
    .command("import")
    .description("bring an image file onto a cluster, or to the libvirt hosts, of lessor.yaml")
    .argument("<file>", "a unified tarball of Incus or LXD; for libvirt a disk, qcow2 or raw")
    .option("--cluster <name>", "the cluster, or the engine of the hosts; may be left out where there is only one")
    .requiredOption("--alias <alias>", "what the catalogue, or images in lessor.yaml, calls it")
    .option("--replace", "move the alias where it points to another image (clusters only)", false)
    .addHelpText(
      "after",
      `
Examples:
  lessor image import debian-12.tar.zst --alias debian-12
  lessor image import debian-12.qcow2 --cluster metal --alias debian-12`,
    )
    .action(async (file: string, options: Omit<ImageImportOrder, "file">) =>
      (await import("../image-import.ts")).imageImport({ file, ...options }, besideService()),
    );
}
