// `lessor image import`: its options and help.

import type { Command } from "commander";
import type { ImageImportOrder } from "../image-import.ts";
import { besideService } from "../surroundings-of-process.ts";

export function define(command: Command): void {
  command
    .command("import")
    .description("import an image file to a cluster or the libvirt hosts of lessor.yaml")
    .argument("<file>", "a unified tarball of Incus or LXD; for libvirt a disk, qcow2 or raw")
    .option("--cluster <name>", "the cluster, or the engine of the hosts (default: the only one)")
    .requiredOption("--alias <alias>", "its name in the catalog, or under images in lessor.yaml")
    .option("--replace", "move an alias that points to another image (clusters only)", false)
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
