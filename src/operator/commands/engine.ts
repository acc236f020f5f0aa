// `lessor engine check`: its options and help.

import type { Command } from "commander";
import type { EngineCheckOrder } from "../engine-check.ts";
import { besideService } from "../surroundings-of-process.ts";

/** `shell` gets the exit code. */
export function define(command: Command, shell: { exitCode: number | undefined }): void {
  command
    .command("check")
    .description("check whether the clusters and hosts of lessor.yaml are ready")
    .argument("[name]", "one engine (a cluster, or a group of libvirt hosts; default: all)")
    .option("--json", "one JSON object per finding", false)
    .option("--no-probe", "create no test instances")
    .option("--image <image>", "the image of the test instances (default: the first image of the settings)")
    .option("--deadline <seconds>", "timeout for the SSH port of each test instance", "300")
    .addHelpText(
      "after",
      `
Exit code: 0 ready, 1 problems, 2 could not run.

Examples:
  lessor engine check                  # all of them, with a test instance each
  lessor engine check north --no-probe`,
    )
    .action(async (name: string | undefined, options: Omit<EngineCheckOrder, "name">) => {
      const { engineCheck } = await import("../engine-check.ts");
      shell.exitCode = await engineCheck({ name, ...options }, besideService());
    });
}
