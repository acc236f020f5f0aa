// `lessor apply`: its options and help; the work is in ../apply.ts, which a first start uses too.

import type { Command } from "commander";
import { examples, type Shell } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .requiredOption("-f, --file <file>", "a YAML file; - reads standard input")
    .addHelpText(
      "after",
      `
Regions, images, instance types, hosts and coupons, by name. What the file does not name is left alone, and applying it
again changes nothing. Takes an operator's token. Where the control interface was moved, LESSOR_URL has its whole prefix
(http://127.0.0.1:8080/admin); without a path, /control/v1 is added.`,
    )
    .action(async ({ file }: { file: string }) => (await import("../apply.ts")).apply(file, shell.env, shell.out.line));
  examples(command, {
    "lessor apply -f catalog.yaml": "a file that you keep with your other settings",
    "lessor apply -f - < catalog.yaml": "what another program makes",
  });
}
