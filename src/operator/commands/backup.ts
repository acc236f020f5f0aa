// `lessor backup`: its options and help.

import type { Command } from "commander";
import type { BackupOrder } from "../backup.ts";
import { besideService } from "../surroundings-of-process.ts";

export function define(command: Command): void {
  command
    .option("-o, --output <file>", "where to put it; - is standard output (default: lessor-<time>.backup here)")
    .addHelpText(
      "after",
      `
The settings are those of serve. The encryption keys are not in the file: keep them apart.

Examples:
  lessor backup                        # to a file here, named by the time
  lessor backup -o - | ssh vault 'cat > lessor.backup'`,
    )
    .action(async (order: BackupOrder) => (await import("../backup.ts")).backup(order, besideService()));
}
