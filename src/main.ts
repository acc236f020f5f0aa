#!/usr/bin/env node
// The program's door: reads the command line, nothing else. `lessor serve` runs the service, the other commands talk to
// a running one over HTTP.

import { readFileSync } from "node:fs";
import { Command } from "commander";
import { apply } from "./cli/apply.ts";
import { CommandError } from "./cli/control-client.ts";
import { ConfigError, loadConfig } from "./config.ts";
import { serve } from "./server.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);

const program = new Command("lessor")
  .description("Turns GPU servers into a GPU cloud: rents virtual machines by the hour.")
  .version(version())
  .showHelpAfterError();

program
  .command("serve")
  .description("run the service; settings come from the environment and lessor.yaml (docs/operating.md)")
  .action(() => serve(loadConfig({ env: process.env, cwd: process.cwd() }), print));

program
  .command("apply")
  .description("bring the catalogue (regions, images, instance types, hosts, coupons) to what a file says")
  .requiredOption("-f, --file <file>", "a YAML file; - reads standard input")
  .addHelpText(
    "after",
    `
Talks to LESSOR_URL (http://127.0.0.1:8080) with LESSOR_TOKEN, an operator's token. Where the control interface was
moved, LESSOR_URL has its whole prefix (http://127.0.0.1:8080/admin); without a path, /control/v1 is added.`,
  )
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

function version(): string {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return version;
}
