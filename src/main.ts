#!/usr/bin/env node
// The program's door: reads the command line, nothing else. `lessor serve` runs the service, `engine` and `image` work
// beside it, the other commands talk to a running one over HTTP.

import { readFileSync } from "node:fs";
import { Command } from "commander";
import { apply } from "./cli/apply.ts";
import { CommandError } from "./cli/control-client.ts";
import { imageBuild } from "./cli/image-build.ts";
import { ConfigError, loadConfig } from "./config.ts";
import {
  type EngineCheckOrder,
  engineCheck,
  type ImageImportOrder,
  imageImport,
  type Surroundings,
  statusLine,
} from "./operator/index.ts";
import { serve } from "./server.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);
const surroundings: Surroundings = {
  env: process.env,
  cwd: process.cwd(),
  print,
  tell: (line) => void process.stderr.write(`${line}\n`),
  status: statusLine(process.stderr),
};

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

const engine = program.command("engine").description("look after what runs the machines");

engine
  .command("check")
  .description("tell whether the clusters of lessor.yaml are fit to serve, and what to do where they are not")
  .argument("[name]", "one cluster; otherwise all")
  .option("--json", "one JSON object for each finding", false)
  .option("--no-probe", "make no instances to try")
  .option("--image <image>", "what the probe instances are made of; otherwise the first image of the settings")
  .option("--deadline <seconds>", "for each probe instance, until it answers on its SSH port", "300")
  .addHelpText("after", "\nExit code: 0 fit, 1 problems, 2 could not run.")
  .action(async (name: string | undefined, options: Omit<EngineCheckOrder, "name">) => {
    process.exitCode = await engineCheck({ name, ...options }, surroundings);
    // A cluster may hold a connection of the check open; nothing is to wait for that.
    setTimeout(() => process.exit(), 2000).unref();
  });

const image = program.command("image").description("look after the images that machines are made of");

image
  .command("import")
  .description("bring an image file (a unified tarball of Incus or LXD) onto a cluster of lessor.yaml")
  .argument("<file>", "the tarball")
  .option("--cluster <name>", "may be left out where there is only one")
  .requiredOption("--alias <alias>", "what the catalogue, or images in lessor.yaml, calls it")
  .option("--replace", "move the alias where it points to another image", false)
  .action((file: string, options: Omit<ImageImportOrder, "file">) => imageImport({ file, ...options }, surroundings));

image
  .command("build")
  .description("build an image for containers of Incus and LXD with mmdebstrap, on this machine")
  .argument("<name>", "debian-12")
  .option("-o, --output <file>", "where to put it (default: <name>.tar.zst here)")
  .action((name: string, options: { output?: string }) => imageBuild(name, options.output, print));

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
