// `lessor apply`: its options and help; the work is in ../apply.ts, which a first start uses too.

import type { Command } from "commander";
import { examples, type Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .requiredOption("-f, --file <file>", "a YAML file; - reads standard input")
    .addHelpText(
      "after",
      `
The file has regions, images, instance types, hosts and coupons, by name. Objects that are not in it stay unchanged, and
applying it again has no effect. Requires an operator's token. If the control interface has another prefix, include it
in LESSOR_URL (http://127.0.0.1:8080/admin); without a path, /control/v1 is added.`,
    )
    .action(async ({ file }: { file: string }) => (await import("../apply.ts")).apply(file, shell.env, shell.out.line));
  examples(command, {
    "lessor apply -f catalog.yaml": "a catalog in a file",
    "lessor apply -f - < catalog.yaml": "the output of another program",
  });
}
