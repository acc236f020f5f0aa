// `lessor engine check`: its options and help.

import type { Command } from "commander";
import type { EngineCheckOrder } from "../engine-check.ts";
import { besideService } from "../surroundings-of-process.ts";

/** `shell`: the exit code goes there. */
export function define(command: Command, shell: { exitCode: number | undefined }): void {
  command
    .command("check")
    .description(
      "tell whether the clusters and hosts of lessor.yaml are fit to serve, and what to do where they are not",
    )
    .argument("[name]", "one engine (a cluster, or a group of libvirt hosts); otherwise all")
    .option("--json", "one JSON object for each finding", false)
    .option("--no-probe", "make no instances to try")
    .option("--image <image>", "what the probe instances are made of; otherwise the first image of the settings")
    .option("--deadline <seconds>", "for each probe instance, until it answers on its SSH port", "300")
    .addHelpText(
      "after",
      `
Exit code: 0 fit, 1 problems, 2 could not run.

Examples:
  lessor engine check                  # all of them, with a machine each to try
  lessor engine check north --no-probe`,
    )
    .action(async (name: string | undefined, options: Omit<EngineCheckOrder, "name">) => {
      const { engineCheck } = await import("../engine-check.ts");
      shell.exitCode = await engineCheck({ name, ...options }, besideService());
    });
}
