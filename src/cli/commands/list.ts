// `lessor list`: machines, those that are terminated only when asked for.

import type { Command } from "commander";
import type { paths } from "../../client/index.ts";
import { accountNamed } from "../account-tokens.ts";
import { usageError } from "../command-error.ts";
import { type Instance, instanceColumns, newestFirst } from "../instances.ts";
import { type Column, printTable } from "../output/table.ts";
import { moment } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Query = NonNullable<paths["/instances"]["get"]["parameters"]["query"]>;
type Status = NonNullable<Query["status"]>;

interface Options {
  readonly all: boolean;
  readonly status?: string;
  readonly region?: string;
  readonly account?: string;
  readonly troubled: boolean;
  readonly json: boolean;
}

const statuses: readonly Status[] = ["booting", "active", "stopping", "stopped", "terminating", "terminated"];

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("-a, --all", "also those that are terminated, as long as they are kept", false)
    .option("--status <status>", `only those that are ${statuses.join(", ")}`)
    .option("--region <region>", "only those in a region")
    .option("--account <account>", "for operators: only those of an account; otherwise those of all")
    .option("--troubled", "only those the work on which is slow or failed; operators see why", false)
    .action((options: Options) => list(shell, options));
  examples(command, {
    "lessor list": "what you rent now",
    "lessor list --all": "with what you rented in the last weeks",
    "lessor list --status active --json": "for a program",
  });
}

async function list(shell: Shell, { all, status, region, account, troubled, json }: Options): Promise<void> {
  const query = {
    ...(status === undefined ? {} : { status: statusNamed(status) }),
    ...(region === undefined ? {} : { region }),
    ...(account === undefined ? {} : { account_id: (await accountNamed(shell, account)).id }),
    ...(troubled ? { troubled } : {}),
  };
  const { data } = await shell.client().ask((api) => api.GET("/instances", { params: { query } }));
  const shown = newestFirst(all || status !== undefined ? data : data.filter((one) => one.status !== "terminated"));
  if (json) return printJson(shell, shown);
  if (troubled) return printTable(shell.out, shown, [...instanceColumns, trouble], "All is well.");
  printTable(shell.out, shown, instanceColumns, "No machines. Rent one: lessor types, then lessor launch <type>.");
}

const trouble: Column<Instance> = {
  title: "TROUBLE",
  of: ({ trouble }) => (trouble ? `${trouble.kind}: ${trouble.reason ?? `since ${moment(trouble.since)}`}` : null),
  colour: () => "red",
};

function statusNamed(word: string): Status {
  const found = statuses.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`There is no status "${word}".`, `There is: ${statuses.join(", ")}.`);
}
