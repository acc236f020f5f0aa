// `lessor image build`: its options and help; the work is in ../image-build.ts.

import type { Command } from "commander";
import type { ImageBuildOptions } from "../image-build.ts";
import { examples, type Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  const build = command
    .command("build")
    .description("build an image with mmdebstrap, on this machine")
    .argument("<name>", "debian-12")
    .option("--kind <kind>", "container (of Incus and LXD) or virtual-machine", "container")
    .option("--metrics", "with the agent that reports metrics from inside the guest")
    .option("-o, --output <file>", "the output file (default: <name>.tar.zst or <name>.qcow2 in the current directory)")
    .action(async (name: string, options: ImageBuildOptions) =>
      (await import("../image-build.ts")).imageBuild(name, options, shell.out.line),
    );
  examples(build, {
    "lessor image build debian-12": "for a cluster",
    "lessor image build debian-12 --kind virtual-machine": "for libvirt hosts",
    "lessor image build debian-12 --kind virtual-machine --metrics": "for charts of the use of GPUs",
  });
}
