// `lessor simulate`, for operators: faults of the simulated engine, to see what customers, alerts and people make of them.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { type FaultKind, type FaultOperation, faultKindNames, faultOperations } from "../../rules/simulator-faults.ts";
import { usageError } from "../command-error.ts";
import { type Column, printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Fault = Shape<"Fault">;

interface FaultOptions {
  readonly host?: string;
  readonly instance?: string;
  readonly operation?: string;
  readonly times?: string;
  readonly seconds?: string;
  readonly copies?: string;
  readonly code?: string;
  readonly xid?: string;
  readonly gpu?: string;
  readonly severity?: string;
  readonly message?: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const fault = withJson(command.command("fault").description("inject a fault"))
    .argument("<kind>", `one of ${faultKindNames.join(", ")}`)
    .option("--host <host>", "only on this host")
    .option("--instance <id>", "only for the machine of this instance")
    .option("--operation <call>", `only in this call of the engine: ${faultOperations.join(", ")}`)
    .option("--times <n>", "how many calls it affects; all unless told")
    .option("--seconds <n>", "how long, for kinds that take a time")
    .option("--copies <n>", "how often reports come, for repeats-reports")
    .option("--xid <number>", "the number of the GPU's error, for guest-reports-xid")
    .option("--gpu <number>", "which GPU, counted from 0, for guest-reports-xid")
    .option("--code <code>", "the code of the error or finding, for refuses, unavailable and reports-finding")
    .option("--severity <severity>", "the severity of the finding, for reports-finding: warning or critical")
    .option("--message <text>", "the message of the error or finding, for the same kinds as --code")
    .action((kind: string, options: FaultOptions) => inject(shell, kind, options));
  examples(fault, {
    "lessor simulate fault hangs --host us-east-1-a10-01 --operation create --times 3":
      "three launches get no response",
    "lessor simulate fault boots-slowly --seconds 300": "every boot takes five minutes",
    "lessor simulate fault reports-finding --host us-east-1-a10-01 --code disk-space-low --severity critical":
      "a host with a full disk",
  });

  const list = withJson(command.command("list").alias("ls").description("list the faults in effect")).action(
    async ({ json }: { json: boolean }) => {
      const { data } = await shell.client().ask((api) => api.GET("/simulator/faults"));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, columns, "No faults.");
    },
  );
  examples(list, { "lessor simulate list": "with the number of each" });

  const end = command
    .command("end")
    .description("end faults")
    .argument("[fault]", "the number of one fault; without it, all end")
    .action(async (word: string | undefined) => {
      const client = shell.client();
      const id = word === undefined ? undefined : wholeOf(word, "fault");
      if (id === undefined) await client.ask((api) => api.DELETE("/simulator/faults"));
      else await client.ask((api) => api.DELETE("/simulator/faults/{id}", { params: { path: { id: String(id) } } }));
      shell.out.line(id === undefined ? "All faults ended." : `Fault ${id} ended.`);
    });
  examples(end, { "lessor simulate end": "end all faults", "lessor simulate end 7": "end one" });

  const fail = command
    .command("fail")
    .description("let a simulated host fail: it responds no more")
    .argument("<host>", "its name")
    .action(async (name: string) => {
      await shell.client().ask((api) => api.POST("/simulator/hosts/{name}/fail", { params: { path: { name } } }));
      shell.out.line(`Host ${name} has failed. To undo: lessor simulate revive ${name}`);
    });
  examples(fail, { "lessor simulate fail us-east-1-a10-01": "its instances become unreachable" });

  const revive = command
    .command("revive")
    .description("let a failed simulated host respond again")
    .argument("<host>", "its name")
    .action(async (name: string) => {
      await shell.client().ask((api) => api.POST("/simulator/hosts/{name}/revive", { params: { path: { name } } }));
      shell.out.line(`Host ${name} responds again.`);
    });
  examples(revive, { "lessor simulate revive us-east-1-a10-01": "its instances are reachable again" });
}

async function inject(shell: Shell, kind: string, options: FaultOptions): Promise<void> {
  const { host, instance, operation, times, seconds, copies, xid, gpu, code, severity, message, json } = options;
  if (host !== undefined && instance !== undefined) throw usageError("Give --host or --instance, not both.");
  const parameters = {
    ...(seconds !== undefined && { seconds: numberOf(seconds, "--seconds") }),
    ...(copies !== undefined && { copies: wholeOf(copies, "--copies") }),
    ...(xid !== undefined && { xid: wholeOf(xid, "--xid") }),
    ...(gpu !== undefined && { gpu: wholeOf(gpu, "--gpu") }),
    ...(code !== undefined && { code }),
    ...(severity !== undefined && { severity }),
    ...(message !== undefined && { message }),
  };
  const { data } = await shell.client().ask((api) =>
    api.POST("/simulator/faults", {
      body: {
        scope: host !== undefined ? "host" : instance !== undefined ? "machine" : "everything",
        target: host ?? instance ?? null,
        operation: operation === undefined ? null : known(operation, faultOperations, "operation"),
        kind: known(kind, faultKindNames, "kind"),
        remaining: times === undefined ? null : wholeOf(times, "--times"),
        parameters,
      },
    }),
  );
  if (json) return printJson(shell, data);
  printTable(shell.out, [data], columns, "");
}

function known<Word extends FaultKind | FaultOperation>(word: string, words: readonly Word[], what: string): Word {
  const found = words.find((one) => one === word);
  if (found === undefined) throw usageError(`There is no ${what} "${word}".`, `Use one of ${words.join(", ")}.`);
  return found;
}

function numberOf(word: string, what: string): number {
  const value = Number(word);
  if (word.trim() === "" || !(value >= 0)) throw usageError(`${what} must be a number from 0, not "${word}".`);
  return value;
}

function wholeOf(word: string, what: string): number {
  const value = numberOf(word, what);
  if (!Number.isSafeInteger(value)) throw usageError(`${what} must be a whole number, not "${word}".`);
  return value;
}

const columns: readonly Column<Fault>[] = [
  { title: "FAULT", of: ({ id }) => id, colour: () => "bold" },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "FOR", of: ({ scope, target }) => (target === null ? scope : `${scope} ${target}`) },
  { title: "CALL", of: ({ operation }) => operation ?? "all" },
  { title: "TIMES LEFT", of: ({ remaining }) => remaining ?? "all", align: "right" },
  {
    title: "PARAMETERS",
    of: ({ parameters }) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
    spare: 2,
  },
];
