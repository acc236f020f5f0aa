// `lessor list`: instances; terminated ones only on request.

import type { Command } from "commander";
import type { paths } from "../../client/control-api.ts";
import { finalState, states } from "../../rules/lifecycle.ts";
import { accountNamed, accountNames } from "../account-tokens.ts";
import { usageError } from "../command-error.ts";
import { type Instance, instanceColumns, newestFirst } from "../instances.ts";
import { moveText } from "../move-text.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";
import { hasTag } from "../tags.ts";

type Query = NonNullable<paths["/instances"]["get"]["parameters"]["query"]>;
type Status = NonNullable<Query["status"]>;

interface Options {
  readonly all: boolean;
  readonly status?: string;
  readonly region?: string;
  readonly tag: readonly string[];
  readonly account?: string;
  readonly host?: string;
  readonly troubled: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("-a, --all", "also terminated instances that are still stored", false)
    .option("--status <status>", `only instances that are ${states.join(", ")}`)
    .option("--region <region>", "only instances in a region")
    .option("--tag <tag>", "only instances with a tag, key=value or key; may be repeated", collect, [])
    .option("--account <account>", "for operators: only instances of an account (default: all accounts)")
    .option("--host <host>", "for operators: only instances on a host")
    .option("--troubled", "only instances with a stalled operation; operators see why", false)
    .action((options: Options) => list(shell, options));
  examples(command, {
    "lessor list": "current instances, newest first",
    "lessor list --all": "also those terminated in the last weeks",
    "lessor list --status active --json": "for a program",
    "lessor list --tag team=vision": "instances of a team",
    "lessor list --host us-east-1-a10-01": "for operators: what is left on a host",
  });
}

async function list(shell: Shell, options: Options): Promise<void> {
  const { all, status, region, tag, account, host, troubled, json } = options;
  const query = {
    ...(status === undefined ? {} : { status: statusNamed(status) }),
    ...(region === undefined ? {} : { region }),
    ...(account === undefined ? {} : { account_id: (await accountNamed(shell, account)).id }),
    ...(troubled ? { troubled } : {}),
  };
  const { data } = await shell.client().ask((api) => api.GET("/instances", { params: { query } }));
  const isShown = (one: Instance) =>
    (all || status !== undefined || one.status !== finalState) &&
    (host === undefined || isOn(one, host)) &&
    tag.every((word) => hasTag(one, word));
  const shown = newestFirst(data.filter(isShown));
  if (json) return printJson(shell, shown);
  const columns = [
    ...(await columnsFor(shell, shown)),
    ...(troubled ? [trouble] : []),
    ...(host === undefined ? [] : [move]),
  ];
  const launchHint = "No instances. Launch one: lessor types, then lessor launch <type>.";
  const isFiltered = Object.keys(query).length > 0 || tag.length > 0 || host !== undefined;
  const none = isFiltered ? "No instances match these filters." : launchHint;
  printTable(shell.out, shown, columns, troubled ? "No instances need attention." : none);
}

/** Also where a copy of it is left, or not yet complete: that holds capacity of the host. */
function isOn({ host, move }: Instance, name: string): boolean {
  return host === name || (move?.failure === null && (move.from === name || move.to === name));
}

/** For operators also the owner. */
async function columnsFor(shell: Shell, shown: readonly Instance[]): Promise<readonly Column<Instance>[]> {
  const accounts = await accountNames(shell, shown);
  if (accounts.size === 0) return instanceColumns;
  const account: Column<Instance> = { title: "ACCOUNT", of: (one) => accounts.get(one.account_id), spare: 1 };
  const [name, ...rest] = instanceColumns;
  return name === undefined ? [account] : [name, account, ...rest];
}

const trouble: Column<Instance> = {
  title: "STALLED",
  of: ({ trouble }) => (trouble ? `${trouble.kind}: ${trouble.reason ?? `since ${ago(trouble.since)}`}` : null),
  colour: () => "red",
};

const move: Column<Instance> = { title: "MOVE", of: (one) => (one.move ? moveText(one.move) : null) };

function statusNamed(word: string): Status {
  const found = states.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`There is no status "${word}".`, `Choose one of: ${states.join(", ")}.`);
}
