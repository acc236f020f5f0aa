// The command line, and nothing else. `lessor serve` runs the service, `backup`, `restore`, `engine` and `image` work
// beside it, the other commands talk to a running one over HTTP. Begun by main.ts. What a command needs is loaded when it is
// the one that was asked for.

import { Command } from "commander";
import { CommandError } from "./cli/control-client.ts";
import type { ImageBuildOptions } from "./cli/image-build.ts";
import { ConfigError, loadConfig, secretVariables } from "./config.ts";
import type { BackupOrder, EngineCheckOrder, ImageImportOrder, RestoreOrder, Surroundings } from "./operator/index.ts";
import { ownVersion, type Print, serve } from "./server.ts";

// Who has to know whether something could be shown awaits it; to others a reader that is gone is no error.
process.stdout.on("error", () => {});
const show: Print = (text) => {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
  });
};
const print = (line: string) => void show(line).catch(() => {});
/** The commands that work beside the service, and where they do. */
async function beside() {
  const { statusLine, ...commands } = await import("./operator/index.ts");
  const surroundings: Surroundings = {
    env: process.env,
    cwd: process.cwd(),
    print,
    tell: (line) => void process.stderr.write(`${line}\n`),
    status: statusLine(process.stderr),
  };
  return { ...commands, surroundings };
}

const program = new Command("lessor")
  .description("Turns GPU servers into a GPU cloud: rents virtual machines by the hour.")
  .version(ownVersion())
  .showHelpAfterError();

program
  .command("serve")
  .description("run the service; settings come from the environment and lessor.yaml (docs/operating.md)")
  .action(() => {
    const config = loadConfig({ env: process.env, cwd: process.cwd() });
    for (const name of secretVariables) delete process.env[name];
    return serve(config, show);
  });

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
  .action(async ({ file }: { file: string }) => (await import("./cli/apply.ts")).apply(file, process.env, print));

program
  .command("backup")
  .description("write everything in the database to one file, while the service runs or not")
  .option("-o, --output <file>", "where to put it; - is standard output (default: lessor-<time>.backup here)")
  .addHelpText("after", "\nThe settings are those of serve. The encryption keys are not in the file: keep them apart.")
  .action(async (order: BackupOrder) => {
    const { backup, surroundings } = await beside();
    await backup(order, surroundings);
  });

program
  .command("restore")
  .description("bring a backup into an empty database")
  .argument("[file]", "what lessor backup wrote")
  .option("--accept-orphans", "after a restore: remove machines again that the backup does not know", false)
  .addHelpText("after", "\nThe settings are those of serve, with the encryption keys of then.")
  .action(async (file: string | undefined, { acceptOrphans }: Omit<RestoreOrder, "file">) => {
    const { restore, surroundings } = await beside();
    await restore({ file, acceptOrphans }, surroundings);
  });

const keys = program
  .command("keys")
  .description("look after the encryption keys of a running service (docs/operating/data.md, Changing the encryption key)")
  .addHelpText("after", "\nTalks to LESSOR_URL (http://127.0.0.1:8080) with LESSOR_TOKEN, an operator's token.");

keys
  .command("list")
  .description("which keys there are, by their ids, and how much is sealed with each")
  .action(async () => (await import("./cli/keys.ts")).listKeys(process.env, print));

keys
  .command("rotate")
  .description("re-encrypt everything with a new key, online")
  .action(async () => (await import("./cli/keys.ts")).rotateKeys(process.env, print));

keys
  .command("retire")
  .description("remove an old key, which nothing is sealed with any more, from the key file")
  .argument("<id>", "the key's id, as `list` shows it")
  .action(async (id: string) => (await import("./cli/keys.ts")).retireKey(id, process.env, print));

program
  .command("mcp")
  .description("serve the Model Context Protocol on standard input and output, so that an agent can rent machines")
  .addHelpText(
    "after",
    `
Talks to LESSOR_URL (http://127.0.0.1:8080) with LESSOR_TOKEN: give the agent a token of its own, with a spend limit.
A running service offers the same at POST /mcp, with the token as bearer.`,
  )
  .action(async () => (await import("./cli/mcp.ts")).serveMcp(process.env, ownVersion()));

const engine = program.command("engine").description("look after what runs the machines");

engine
  .command("check")
  .description("tell whether the clusters and hosts of lessor.yaml are fit to serve, and what to do where they are not")
  .argument("[name]", "one engine (a cluster, or a group of libvirt hosts); otherwise all")
  .option("--json", "one JSON object for each finding", false)
  .option("--no-probe", "make no instances to try")
  .option("--image <image>", "what the probe instances are made of; otherwise the first image of the settings")
  .option("--deadline <seconds>", "for each probe instance, until it answers on its SSH port", "300")
  .addHelpText("after", "\nExit code: 0 fit, 1 problems, 2 could not run.")
  .action(async (name: string | undefined, options: Omit<EngineCheckOrder, "name">) => {
    const { engineCheck, surroundings } = await beside();
    process.exitCode = await engineCheck({ name, ...options }, surroundings);
  });

const image = program.command("image").description("look after the images that machines are made of");

image
  .command("import")
  .description("bring an image file onto a cluster, or to the libvirt hosts, of lessor.yaml")
  .argument("<file>", "a unified tarball of Incus or LXD; for libvirt a disk, qcow2 or raw")
  .option("--cluster <name>", "the cluster, or the engine of the hosts; may be left out where there is only one")
  .requiredOption("--alias <alias>", "what the catalogue, or images in lessor.yaml, calls it")
  .option("--replace", "move the alias where it points to another image (clusters only)", false)
  .action(async (file: string, options: Omit<ImageImportOrder, "file">) => {
    const { imageImport, surroundings } = await beside();
    await imageImport({ file, ...options }, surroundings);
  });

image
  .command("build")
  .description("build an image with mmdebstrap, on this machine")
  .argument("<name>", "debian-12")
  .option("--kind <kind>", "container (of Incus and LXD) or virtual-machine", "container")
  .option("-o, --output <file>", "where to put it (default: <name>.tar.zst or <name>.qcow2 here)")
  .action(async (name: string, options: ImageBuildOptions) =>
    (await import("./cli/image-build.ts")).imageBuild(name, options, print),
  );

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
