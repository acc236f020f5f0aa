// `lessor maintenance`: list, show and defer maintenance of the hosts of your instances; for operators also schedule,
// change and cancel it.

import type { Command } from "commander";
import { type MaintenanceMode, maintenanceModes, openPhases, windowPhases } from "../../rules/maintenance.ts";
import { confirm } from "../ask.ts";
import { usageError } from "../command-error.ts";
import { timeIn, type Window, windowColumns, windowFacts, windowNamed, windowsOf } from "../maintenance-windows.ts";
import { printFacts, printTable } from "../output/table.ts";
import { ago, secondsIn } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

const which = "its id, its host, or an instance's name or id, or the beginning of one";
const when = "a time such as 2026-03-07T02:00:00Z, a span from now such as 36h, or now";

interface Times {
  readonly from?: string;
  readonly to?: string;
  readonly for?: string;
  readonly deferrableUntil?: string;
  readonly reason?: string;
  readonly mode?: string;
}

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list maintenance, by its begin"))
    .option("-a, --all", "also past and canceled maintenance", false)
    .option("--phase <phase>", `only maintenance that is ${windowPhases.join(", ")}`)
    .option("--host <host>", "for operators: only maintenance of a host")
    .action(async ({ all, phase, host, json }: { all: boolean; phase?: string; host?: string; json: boolean }) => {
      const named = phase === undefined ? undefined : wordOf(windowPhases, "phase", phase);
      const windows = await windowsOf(shell, { phase: named, host });
      const shown = windows.filter((one) => all || named !== undefined || isOpen(one));
      if (json) return printJson(shell, shown);
      printTable(shell.out, shown, windowColumns(shown), "No maintenance is scheduled.");
    });
  examples(list, {
    "lessor maintenance list": "what lies ahead",
    "lessor maintenance list --all --host us-east-1-a10-01": "for operators: the history of a host",
  });

  const show = withJson(command.command("show").description("show one maintenance window"))
    .argument("<maintenance>", which)
    .action(async (word: string, { json }: { json: boolean }) => print(shell, await windowNamed(shell, word), json));
  examples(show, { "lessor maintenance show 0198c5c1": "with the instances on the host" });

  const defer = withJson(command.command("defer").description("defer maintenance within your provider's limit"))
    .argument("<maintenance>", which)
    .option("--until <time>", `when it begins then: ${when} (default: as late as allowed)`)
    .action(async (word: string, { until, json }: { until?: string; json: boolean }) => {
      const { id } = await windowNamed(shell, word);
      const request = { params: { path: { id } }, body: until === undefined ? {} : { until: timeIn(until) } };
      const { data } = await shell.client().ask((api) => api.POST("/maintenance-windows/{id}/defer", request));
      print(shell, data, json);
    });
  examples(defer, { "lessor maintenance defer training --until 48h": "begins two days from now" });

  const schedule = withTimes(withJson(command.command("schedule").description("for operators: schedule maintenance")))
    .argument("[host]", "the name of the host")
    .option("--selector <labels>", "all hosts with these labels: key=value or key, separated by commas")
    .action(async (host: string | undefined, options: Times & { selector?: string; json: boolean }) => {
      const { selector, reason, mode, json } = options;
      if ((host === undefined) === (selector === undefined))
        throw usageError("Which hosts?", "Give the name of one, or --selector with labels.");
      if (reason === undefined || mode === undefined)
        throw usageError("Why, and what happens to the instances?", "Give --reason and --mode.");
      const { from, to, ...rest } = bodyOf(options);
      if (from === undefined || to === undefined) throw usageError("When?", "Give --from, and --to or --for.");
      const where = { ...(host !== undefined && { host }), ...(selector !== undefined && { selector }) };
      const body = { ...rest, ...where, from, to, reason, mode: modeNamed(mode) };
      const { data } = await shell.client().ask((api) => api.POST("/maintenance-windows", { body }));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, windowColumns(data), "");
    });
  examples(schedule, {
    "lessor maintenance schedule us-east-1-a10-01 --from 36h --for 4h --mode stop --reason 'New firmware'":
      "of one host",
    "lessor maintenance schedule --selector rack=r12 --from now --for 1h --mode nothing --reason 'New switch'":
      "of a rack, now",
  });

  const change = withTimes(withJson(command.command("change").description("for operators: change maintenance")))
    .argument("<maintenance>", which)
    .option("--not-deferrable", "customers can no longer defer it", false)
    .action(async (word: string, options: Times & { notDeferrable: boolean; json: boolean }) => {
      const window = await windowNamed(shell, word);
      const { reason, mode, notDeferrable } = options;
      const changes = {
        ...bodyOf(options, window),
        ...(notDeferrable && { deferrable_until: null }),
        ...(reason !== undefined && { reason }),
        ...(mode !== undefined && { mode: modeNamed(mode) }),
      };
      if (Object.keys(changes).length === 0)
        throw usageError("Nothing to change.", "Use --from, --to, --for, --deferrable-until, --reason or --mode.");
      const request = { params: { path: { id: window.id } }, body: { ...changes, ...revisionOf(window) } };
      const { data } = await shell.client().ask((api) => api.PATCH("/maintenance-windows/{id}", request));
      print(shell, data, options.json);
    });
  examples(change, { "lessor maintenance change us-east-1-a10-01 --for 6h": "lasts longer; also once it has begun" });

  const cancel = withJson(command.command("cancel").description("for operators: cancel maintenance, or end it now"))
    .argument("<maintenance>", which)
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes, json }: { yes: boolean; json: boolean }) => {
      const window = await windowNamed(shell, word);
      const what = `This ends the maintenance of ${window.host ?? "the host"} that begins ${ago(window.from)}.`;
      await confirm(shell, { what: window.started_at === null ? what.replace("ends", "cancels") : what, yes });
      const request = { params: { path: { id: window.id }, query: revisionOf(window) } };
      const { data } = await shell.client().ask((api) => api.DELETE("/maintenance-windows/{id}", request));
      print(shell, data, json);
    });
  examples(cancel, { "lessor maintenance cancel us-east-1-a10-01": "asks for confirmation" });
}

function withTimes(command: Command): Command {
  return command
    .option("--from <time>", `when it begins: ${when}`)
    .option("--to <time>", "when it ends, likewise")
    .option("--for <span>", "how long it lasts, instead of --to")
    .option("--deferrable-until <time>", "the latest begin that customers can choose, likewise (default: none)")
    .option("--reason <reason>", "the reason, which customers read")
    .option("--mode <maintenance-mode>", `what happens to the instances: ${maintenanceModes.join(", ")}`);
}

/** The times of a request. `before`: those that a span without `--from` counts from. */
function bodyOf({ from, to, for: span, deferrableUntil }: Times, before?: Window) {
  if (to !== undefined && span !== undefined) throw usageError("Give --to or --for, not both.");
  const begin = from === undefined ? undefined : timeIn(from);
  const start = begin ?? before?.from;
  const end =
    span === undefined || start === undefined ? to : new Date(Date.parse(start) + secondsIn(span) * 1000).toISOString();
  return {
    ...(begin !== undefined && { from: begin }),
    ...(end !== undefined && { to: timeIn(end) }),
    ...(deferrableUntil !== undefined && { deferrable_until: timeIn(deferrableUntil) }),
  };
}

/** What the operator has seen: a window that has changed since is not changed. */
const revisionOf = ({ revision }: Window) => (revision === undefined ? {} : { revision });

const isOpen = ({ phase }: Window) => openPhases.some((open) => open === phase);

function modeNamed(word: string): MaintenanceMode {
  return wordOf(maintenanceModes, "mode", word);
}

function wordOf<T extends string>(words: readonly T[], what: string, word: string): T {
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`There is no ${what} "${word}".`, `Choose one of: ${words.join(", ")}.`);
}

function print(shell: Shell, window: Window, json: boolean): void {
  if (json) printJson(shell, window);
  else printFacts(shell.out, windowFacts(window));
}
