// `lessor backup`: its options and help.

import type { Command } from "commander";
import type { BackupOrder } from "../backup.ts";
import { besideService } from "../surroundings-of-process.ts";

export function define(command: Command): void {
  command
    .option(
      "-o, --output <file>",
      "the output file; - is standard output (default: lessor-<time>.backup in the current directory)",
    )
    .addHelpText(
      "after",
      `
Uses the settings of serve. The file does not contain the encryption keys: store them separately.

Examples:
  lessor backup                        # to a file named after the time
  lessor backup -o - | ssh vault 'cat > lessor.backup'`,
    )
    .action(async (order: BackupOrder) => (await import("../backup.ts")).backup(order, besideService()));
}
