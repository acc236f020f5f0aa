#!/usr/bin/env node
// The program's door: reads the command line, nothing else. `lessor serve` runs the service, the other commands talk to
// a running one over HTTP.

import { Command } from "commander";
import { apply } from "./cli/apply.ts";
import { CommandError } from "./cli/control-client.ts";
import { ConfigError, loadConfig } from "./config.ts";
import { serve } from "./server.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

const program = new Command("lessor")
  .description("Turns GPU servers into a GPU cloud: rents virtual machines by the hour.")
  .showHelpAfterError();

program
  .command("serve")
  .description("run the service; settings come from the environment and lessor.yaml (docs/operating.md)")
  .action(() => serve(loadConfig({ env: process.env, cwd: process.cwd() }), print));

program
  .command("apply")
  .description("bring the catalogue (regions, images, instance types, hosts, coupons) to what a file says")
  .requiredOption("-f, --file <file>", "a YAML file; - reads standard input")
  .addHelpText("after", "\nTalks to LESSOR_URL (http://127.0.0.1:8080) with LESSOR_TOKEN, an operator's token.")
  .action((options: { file: string }) => apply(options.file, process.env, print));

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${sentence(error)}\n`);
  process.exitCode = 1;
}

/** What a person is told: a sentence for what they can mend, a stack for what we must. */
function sentence(error: unknown): string {
  if (error instanceof CommandError) return [error.message, error.suggestion].filter(Boolean).join("\n");
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error && !error.message.startsWith("BUG")) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
