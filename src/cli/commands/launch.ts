// `lessor launch`: rents machines. Shows what they cost before, waits until they are active, and never rents twice for one
// command, however often its answer is lost: the rest of it is in ../launching.ts.

import type { Command } from "commander";
import { addressOf, instanceColumns } from "../instances.ts";
import { type LaunchOptions, launch, orderFrom } from "../launching.ts";
import { printTable } from "../output/table.ts";
import { quoteFor, quoteSentence, refuseWithoutRoom } from "../quote.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";
import { waitUntil } from "../wait.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<type>", "what to rent, as lessor types shows it")
    .option("--name <name>", "what to call it")
    .option("--region <region>", "where; otherwise the best region with room")
    .option("--quantity <number>", "how many, all or none", "1")
    .option("--image <image>", "the operating system; otherwise the default one")
    .option("--key <ssh-key>", "who may log in; may be repeated (default: your only SSH key)", collect)
    .option("--no-key", "nobody may log in with a key")
    .option("--password", "without a key: log in with a password, which the direct interface shows", false)
    .option("--fs <file-system>", "attach a file system, also as name:/mount/point; may be repeated", collect)
    .option("--env <variable>", "NAME, with the value that it has here, or NAME=value; may be repeated", collect)
    .option("--env-file <file>", "variables for ~/.env, one NAME=value a line; may be repeated", collect)
    .option("--startup <command>", "run once at the first boot, as root")
    .option("--user-data <file>", "for cloud-init; - reads standard input")
    .option("--coupon <coupon>", "a coupon's code")
    .option("--max-price <amount>", "an hour of one of them, before a coupon: launch nothing that costs more")
    .option("--max-lifetime <span>", "terminate it after this, such as 8h or 2d; none: never")
    .option("--no-wait", "do not wait until they are active")
    .option("--dry-run", "show what it costs and where it fits, and launch nothing", false)
    .action((type: string, options: LaunchOptions & Shown) => run(shell, type, options))
    .addHelpText(
      "after",
      `
Secrets belong into --env-file, or --env NAME alone: what stands in a command line can be seen in the process list, and
stays in the shell's history. Nothing is launched at a higher price than the one that is shown.`,
    );
  examples(command, {
    "lessor launch gpu_1x_a6000": "one machine, with your SSH key, where there is room",
    "lessor launch gpu_1x_a6000 --name training --region us-east-1": "called training",
    "lessor launch gpu_1x_a10 --env-file .env --max-lifetime 8h": "with secrets, for a working day",
    "lessor launch gpu_8x_h100_sxm5 --coupon WELCOME10 --dry-run": "what would it cost?",
    "lessor launch gpu_1x_a10 --quantity 4 --no-wait --json": "for a program",
  });
}

interface Shown {
  readonly wait: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

async function run(shell: Shell, type: string, options: LaunchOptions & Shown): Promise<void> {
  const { wait, dryRun, json } = options;
  const order = await orderFrom(shell, type, options);
  const { instance_type, quantity = 1, region, coupon } = order;
  const quote = await quoteFor(shell.client(), { type: instance_type, quantity, region, coupon });
  if (dryRun && json) return printJson(shell, quote);
  (dryRun ? shell.out : shell.err).line(quoteSentence(quote));
  if (dryRun) return refuseWithoutRoom(quote);
  const launched = await launch(shell, order, quote);
  const ids = launched.map(({ id }) => id);
  const shown = wait ? await waitUntil(shell, ids, "active") : launched;
  if (json) return printJson(shell, shown);
  printTable(shell.out, shown, instanceColumns, "");
  const [first] = shown;
  if (first === undefined) return;
  if (wait && first.ssh_key_names.length > 0)
    shell.err.line(`Log in: lessor ssh ${first.name}   (${first.login_user}@${addressOf(first)})`);
  if (!wait) shell.err.line(`How far it is: lessor show ${first.name}`);
}
