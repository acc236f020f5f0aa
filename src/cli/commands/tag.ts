// `lessor tag`: the customer's labels of an instance.

import type { Command } from "commander";
import { instanceOf, readInstance } from "../instances.ts";
import { type Column, printTable } from "../output/table.ts";
import { collect, examples, printJson, type Shell, withJson } from "../shell.ts";
import { changedTags, type Tag, tagFrom } from "../tags.ts";

interface Options {
  readonly remove: readonly string[];
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance>", "its name, its id, or the beginning of either")
    .argument("[tags...]", "key=value; without any, the tags are listed")
    .option("--remove <key>", "remove the tag of this key; may be repeated", collect, [])
    .action((word: string, words: string[], options: Options) => tag(shell, word, words, options));
  examples(command, {
    "lessor tag training": "list its tags",
    "lessor tag training team=vision budget=q3": "set two tags",
    "lessor tag training --remove budget": "remove one",
    "lessor list --tag team=vision": "list instances by tag",
  });
}

async function tag(shell: Shell, word: string, words: readonly string[], { remove, json }: Options): Promise<void> {
  const client = shell.client();
  const found = await readInstance(client, (await instanceOf(client, word)).id);
  const tags = changedTags(found.tags, words.map(tagFrom), remove);
  const isChange = words.length > 0 || remove.length > 0;
  const path = { id: found.id };
  const instance = isChange
    ? (await client.ask((api) => api.PATCH("/instances/{id}", { params: { path }, body: { tags } }))).data
    : found;
  if (json) return printJson(shell, instance.tags);
  printTable(shell.out, instance.tags, columns, `${instance.name} has no tags.`);
}

const columns: readonly Column<Tag>[] = [
  { title: "KEY", of: ({ key }) => key, colour: () => "bold" },
  { title: "VALUE", of: ({ value }) => value },
];
