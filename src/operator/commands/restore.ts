// `lessor restore`: its options and help.

import type { Command } from "commander";
import type { RestoreOrder } from "../restore.ts";
import { besideService } from "../surroundings-of-process.ts";

export function define(command: Command): void {
  command
    .argument("[file]", "what lessor backup wrote")
    .option("--accept-orphans", "after a restore: remove machines again that the backup does not know", false)
    .addHelpText(
      "after",
      `
The settings are those of serve, with the encryption keys of then.

Examples:
  lessor restore lessor-2026-03-01T02-00-00.backup
  lessor restore --accept-orphans      # later, when you have looked at the machines it left alone`,
    )
    .action(async (file: string | undefined, { acceptOrphans }: Omit<RestoreOrder, "file">) =>
      (await import("../restore.ts")).restore({ file, acceptOrphans }, besideService()),
    );
}
