// `lessor move`, for operators: moves stopped instances to other hosts.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { instancesOf } from "../instances.ts";
import { movePercent } from "../move-text.ts";
import { oneByOne } from "../one-by-one.ts";
import { type Column, printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Instance = Shape<"Instance">;

interface Options {
  readonly host?: string;
  readonly reason?: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance...>", "names, ids, or the beginnings of either; all are stopped")
    .option("--host <host>", "the new host, of the same region; default: the best one with capacity")
    .option("--reason <reason>", "the reason, for other operators")
    .action((words: string[], options: Options) => moveAll(shell, words, options))
    .addHelpText("after", "\nThe old copy stays until the instance has started once on its new host.");
  examples(command, {
    "lessor move training": "to the best host of its region",
    "lessor move 0198c5a2 --host us-east-1-a10-02 --reason 'Fans are exchanged'": "to this host",
  });
}

/** Throws CommandError if one was rejected. */
async function moveAll(shell: Shell, words: readonly string[], { host, reason, json }: Options): Promise<void> {
  const client = shell.client();
  const instances = await instancesOf(client, words);
  const body = { ...(host !== undefined && { host }), ...(reason !== undefined && { reason }) };
  const { accepted, throwRejected } = await oneByOne("instances", instances, async ({ id }) => {
    const request = { params: { path: { id } }, body };
    return (await client.ask((api) => api.POST("/instances/{id}/move", request))).data;
  });
  if (json) printJson(shell, accepted);
  else print(shell, accepted);
  throwRejected();
}

function print(shell: Shell, accepted: readonly Instance[]): void {
  for (const { name, host, move } of accepted)
    if (move === null || move === undefined) shell.out.line(`${name} is on ${host} already.`);
  const moving = accepted.filter(({ move }) => move !== null && move !== undefined);
  const [first] = moving;
  if (first === undefined) return;
  printTable(shell.out, moving, columns, "");
  shell.out.line(`Check progress: lessor show ${first.name}`);
}

const columns: readonly Column<Instance>[] = [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "FROM", of: ({ move }) => move?.from },
  { title: "TO", of: ({ move }) => move?.to },
  { title: "PHASE", of: ({ move }) => move?.phase },
  { title: "COPIED", of: ({ move }) => (move ? movePercent(move) : null), align: "right" },
];
