// `lessor notices`: be told by an event when there is capacity for an instance type: list, add, remove.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { chosen } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Notice = Shape<"CapacityNotice">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list capacity notices")).action(
    async ({ json }: { json: boolean }) => {
      const notices = await noticesOf(shell);
      if (json) return printJson(shell, notices);
      printTable(shell.out, notices, columns, "No notices. Create one: lessor notices add <type>.");
    },
  );
  examples(list, { "lessor notices list": "with the regions that have capacity now" });

  const add = withJson(command.command("add").description("be told when there is capacity"))
    .argument("[type]", "an instance type (default: every one)")
    .option("--region <region>", "only in this region (default: every one)")
    .action(async (type: string | undefined, { region, json }: { region?: string; json: boolean }) => {
      const body = {
        ...(type === undefined ? {} : { instance_type: type }),
        ...(region === undefined ? {} : { region }),
      };
      const { data } = await shell.client().ask((api) => api.POST("/capacity-notices", { body }));
      if (json) return printJson(shell, data);
      printTable(shell.out, [data], columns, "");
      shell.err.line("The event capacity.available tells of it: lessor events --follow --type 'capacity.*'");
    });
  examples(add, {
    "lessor notices add gpu_8x_h100_sxm5": "of an instance type, in every region",
    "lessor notices add gpu_8x_h100_sxm5 --region us-east-1": "in one region",
  });

  const remove = withJson(command.command("remove").alias("rm").description("remove a capacity notice"))
    .argument("<notice>", "its id, or the beginning of it")
    .action(async (word: string, { json }: { json: boolean }) => {
      const notice = await noticeNamed(shell, word);
      const path = { id: notice.id };
      await shell.client().ask((api) => api.DELETE("/capacity-notices/{id}", { params: { path } }));
      if (json) return printJson(shell, notice);
      shell.out.line(`Removed the notice of ${typeOf(notice)} in ${regionOf(notice)}.`);
    });
  examples(remove, { "lessor notices remove 0198c5a2": "no more events come of it" });
}

async function noticesOf(shell: Shell): Promise<Notice[]> {
  return (await shell.client().ask((api) => api.GET("/capacity-notices", { params: { query: {} } }))).data;
}

/** Throws CommandError if none or several begin so. */
async function noticeNamed(shell: Shell, word: string): Promise<Notice> {
  return chosen({
    word,
    what: "notice",
    groups: [await noticesOf(shell)],
    names: [({ id }) => id],
    parts: [({ id }) => word.length >= 4 && id.startsWith(word)],
    show: (one) => `${one.id} (${typeOf(one)} in ${regionOf(one)})`,
    list: "lessor notices list",
  });
}

const typeOf = ({ instance_type: type }: Notice): string => type ?? "every type";
const regionOf = ({ region }: Notice): string => region ?? "every region";

/** Of a notice of every type, those in which one has capacity. */
const availableIn = ({ available }: Notice): string => [...new Set(available.map(({ region }) => region))].join(", ");

const columns: readonly Column<Notice>[] = [
  { title: "ID", of: ({ id }) => id.slice(0, 13) },
  { title: "TYPE", of: typeOf },
  { title: "REGION", of: regionOf },
  {
    title: "AVAILABLE IN",
    of: (one) => availableIn(one) || "-",
    colour: (one) => (availableIn(one) === "" ? undefined : "green"),
  },
  { title: "CREATED", of: ({ created_at }) => ago(created_at) ?? "", spare: 1 },
];
