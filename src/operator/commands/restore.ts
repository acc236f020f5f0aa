// `lessor restore`: its options and help.

import type { Command } from "commander";
import type { RestoreOrder } from "../restore.ts";
import { besideService } from "../surroundings-of-process.ts";

export function define(command: Command): void {
  command
    .argument("[file]", "a file of lessor backup")
    .option("--accept-orphans", "after a restore: delete machines that are not in the backup again", false)
    .option("--protect-orphans", "after another tool restored the database: keep machines that it does not know", false)
    .addHelpText(
      "after",
      `
Uses the settings of serve, with the encryption keys of the backup.

Examples:
  lessor restore lessor-2026-03-01T02-00-00.backup
  lessor restore --accept-orphans      # later, after you have checked the remaining machines`,
    )
    .action(async (file: string | undefined, orphans: Omit<RestoreOrder, "file">) =>
      (await import("../restore.ts")).restore({ ...orphans, file }, besideService()),
    );
}
