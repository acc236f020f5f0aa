// `lessor launches`: launches that wait until they can be placed: list, show, cancel.

import type { Command } from "commander";
import { isWaiting } from "../../rules/waiting-launches.ts";
import { accountsOf } from "../account-tokens.ts";
import { type Launch, launchColumns } from "../launch/waiting.ts";
import { chosen } from "../names.ts";
import { type Column, printFacts, printTable } from "../output/table.ts";
import { ago, moment, perHour } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

const which = "its id, or the beginning of it";

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list launches that wait"))
    .option("-a, --all", "also those that are over", false)
    .action(async ({ all, json }: { all: boolean; json: boolean }) => {
      const launches = (await launchesOf(shell)).filter((one) => all || isWaiting(one.state));
      if (json) return printJson(shell, launches);
      printTable(shell.out, launches, await columnsFor(shell, launches), "No launch waits.");
    });
  examples(list, { "lessor launches list --all": "with those of the last 30 days" });

  const show = withJson(command.command("show").description("show what a launch waits for"))
    .argument("<launch>", which)
    .action(async (word: string, { json }: { json: boolean }) => {
      const { id } = await launchOf(shell, word);
      const read = await shell.client().ask((api) => api.GET("/launches/{id}", { params: { path: { id } } }));
      print(shell, read.data, json);
    });
  examples(show, { "lessor launches show 0198c5a2": "with the reason" });

  const cancel = withJson(command.command("cancel").description("cancel a launch that waits"))
    .argument("<launch>", which)
    .action(async (word: string, { json }: { json: boolean }) => {
      const { id } = await launchOf(shell, word);
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/launches/{id}/cancel", { params: { path: { id } } }));
      print(shell, data, json);
    });
  examples(cancel, { "lessor launches cancel 0198c5a2": "nothing is launched" });
}

/** For operators, who see those of all accounts, also whose they are. */
async function columnsFor(shell: Shell, launches: readonly Launch[]): Promise<readonly Column<Launch>[]> {
  const { data: own } = await shell.client().ask((api) => api.GET("/account"));
  if (launches.every(({ account_id: id }) => id === own.id)) return launchColumns;
  const names = new Map((await accountsOf(shell)).map(({ id, name }) => [id, name]));
  const [id, ...rest] = launchColumns;
  const account: Column<Launch> = { title: "ACCOUNT", of: (one) => names.get(one.account_id), spare: 1 };
  return id === undefined ? [account] : [id, account, ...rest];
}

async function launchesOf(shell: Shell): Promise<Launch[]> {
  return (await shell.client().ask((api) => api.GET("/launches", { params: { query: {} } }))).data;
}

/** Throws CommandError if none or several begin so. */
async function launchOf(shell: Shell, word: string): Promise<Launch> {
  const launches = await launchesOf(shell);
  return chosen({
    word,
    what: "launch",
    groups: [launches.filter(({ state }) => isWaiting(state)), launches],
    names: [({ id }) => id],
    parts: [({ id }) => word.length >= 4 && id.startsWith(word)],
    show: ({ id, instance_type, state }) => `${id} (${instance_type}, ${state})`,
    list: "lessor launches list --all",
  });
}

/** With how far away it is. */
const inUtc = (time: string | null) => (time === null ? null : `${moment(time)} UTC (${ago(time)})`);

function print(shell: Shell, one: Launch & { readonly explanation?: readonly string[] }, json: boolean): void {
  if (json) printJson(shell, one);
  else
    printFacts(shell.out, [
      ["Id", one.id],
      ["State", one.state],
      ["Instance type", `${one.instance_type}${one.spot ? " (spot)" : ""}`],
      ["Region", one.region ?? "any"],
      ["Quantity", one.quantity],
      ["Maximum price", one.max_price_cents_per_hour === null ? null : perHour(one.max_price_cents_per_hour)],
      ["Position", one.position],
      ["Expected", inUtc(one.expected_at)],
      ...waitsFor(one).map((sentence, at): [string, string] => [at === 0 ? "Waits for" : "", sentence]),
      ["Reason", one.reason],
      ["Until", inUtc(one.until)],
      ["Asked", inUtc(one.created_at)],
      ["Ended", inUtc(one.ended_at)],
      ["Instances", one.instance_ids.join(", ") || null],
    ]);
}

function waitsFor({ explanation, blocked_message }: Launch & { readonly explanation?: readonly string[] }) {
  return explanation ?? (blocked_message === null ? [] : [blocked_message]);
}
