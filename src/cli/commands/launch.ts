// `lessor launch`: shows the cost, launches instances and waits until they are active. Creates no duplicates for one
// command, even if its response is lost: see ../launch/launching.ts.

import { type Command, Option } from "commander";
import { instancesOf, waitingOf } from "../../client/launched.ts";
import { launchGoal } from "../../rules/goals.ts";
import { CommandError } from "../command-error.ts";
import { type Instance, instanceColumns } from "../instances.ts";
import { dryRun, quotedText } from "../launch/dry-run.ts";
import { launch } from "../launch/launching.ts";
import { loginCommand, noLoginReason } from "../launch/login-way.ts";
import { type LaunchOptions, type LaunchOrder, orderFrom, withOrderOptions } from "../launch/order-options.ts";
import { quoteFor } from "../launch/quote.ts";
import { waitUntil } from "../launch/wait.ts";
import { showWaiting, untilPlaced } from "../launch/waiting.ts";
import { printTable } from "../output/table.ts";
import { secondsIn } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";
import { shellWord } from "../shell-word.ts";
import { fileSystemsOf } from "./fs.ts";

export function define(command: Command, shell: Shell): void {
  withOrderOptions(
    withJson(command).argument("[type]", "an instance type, as lessor types lists it; not needed with --like"),
  )
    .option("-y, --yes", "skip the confirmation for names in use", false)
    .addOption(noWaitOption())
    .option("--dry-run", "show the price, and whether it would be placed now or wait, and launch nothing", false)
    .action((type: string | undefined, options: LaunchOptions & Shown) => run(shell, type, options))
    .addHelpText(
      "after",
      `
Put secrets into --env-file, or use --env NAME without a value: command lines are visible in the process list and stay
in the shell's history. The launch never costs more than the price shown.`,
    );
  examples(command, {
    "lessor launch gpu_1x_a6000": "one instance, with your SSH key, where there is capacity",
    "lessor launch gpu_1x_a6000 --name training --region us-east-1": "named training",
    "lessor launch gpu_1x_a10 --env-file .env --max-lifetime 8h": "with secrets, for a working day",
    "lessor launch gpu_1x_a10 --name worker --quantity 4": "worker-1 to worker-4",
    "lessor launch --like training --name training-2": "with the settings of another instance",
    "lessor launch gpu_8x_h100_sxm5 --wait 2d": "when there is room, within two days",
    "lessor launch gpu_8x_h100_sxm5 --wait 2d --dry-run": "whether it would wait",
    "lessor launch gpu_1x_a100 --spot": "for less, until others need its GPU",
    "lessor launch --reservation training-week --quantity 2": "with capacity that you reserved",
    "lessor launch gpu_8x_h100_sxm5 --coupon WELCOME10 --dry-run": "show the price",
    "lessor launch gpu_1x_a10 --quantity 4 --no-wait --json": "for a program",
    "lessor launch gpu_1x_a10 --host-selector rack=r12 --dry-run": "for an operator: whether it fits on a rack",
  });
}

/** Not the opposite of --wait, as the library would take it: a launch can wait for room, and the command not for it. */
function noWaitOption(): Option {
  const option = new Option("--no-wait", "do not wait until they are active");
  option.attributeName = () => "isAwaited";
  return option;
}

interface Shown {
  readonly yes: boolean;
  /** False: --no-wait. */
  readonly isAwaited?: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

async function run(shell: Shell, type: string | undefined, options: LaunchOptions & Shown): Promise<void> {
  const { isAwaited = true, dryRun: isDryRun, json, yes } = options;
  const waitSeconds = options.wait === undefined ? undefined : secondsIn(options.wait);
  const order = await orderFrom(shell, type, options);
  const { instance_type, quantity = 1, region, coupon, name, host_selector: hostSelector, spot } = order;
  const { max_lifetime_seconds: lifetimeSeconds } = order;
  if (isDryRun) await refuseLostFileSystems(shell, order);
  const asked = { type: instance_type, quantity, region, coupon, name, hostSelector, spot, lifetimeSeconds };
  const quote = await quoteFor(shell.client(), asked);
  if (isDryRun) return dryRun(shell, { order, quote, waitSeconds, json });
  shell.err.line(quotedText(order, quote));
  const answer = await launch(shell, order, { quote, yes, waitSeconds });
  const waiting = waitingOf(answer);
  if (waiting !== undefined && !isAwaited) return showWaiting(shell, waiting, json);
  const launched = waiting === undefined ? instancesOf(answer) : await untilPlaced(shell, waiting);
  const ids = launched.map(({ id }) => id);
  const shown = isAwaited ? await waitUntil(shell, ids, launchGoal) : launched;
  if (json) return printJson(shell, shown);
  printTable(shell.out, shown, instanceColumns, "");
  const [first] = shown;
  if (first !== undefined)
    shell.err.line(isAwaited ? loginHint(first) : `Check progress: lessor show ${shellWord(first.name)}`);
}

/** Throws CommandError for a launch that would be rejected for a file system that is lost: a quote does not know them. */
async function refuseLostFileSystems(shell: Shell, order: LaunchOrder): Promise<void> {
  const { file_system_names: names = [], file_system_mounts: mounts = [] } = order;
  if (names.length + mounts.length === 0) return;
  const ids = mounts.map(({ file_system_id: id }) => id);
  const lost = (await fileSystemsOf(shell)).find(
    ({ id, name, lost_at }) => lost_at !== null && (names.includes(name) || ids.includes(id)),
  );
  if (lost === undefined) return;
  const hint = "Launch without it. It can only be deleted: lessor fs delete.";
  throw new CommandError(`File system ${lost.name} was lost with its host.`, hint, { exit: "does-not-fit" });
}

/** How to log in to what was launched, or why that is not possible. */
function loginHint(one: Instance): string {
  const why = noLoginReason(one);
  if (why !== undefined) return `You can't log in to ${one.name}. ${why}`;
  const login = `Log in: ${loginCommand(one) ?? `lessor show ${shellWord(one.name)}`}`;
  return one.login === "password" ? `${login}\nPassword: lessor show ${shellWord(one.name)}` : login;
}
