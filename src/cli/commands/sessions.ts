// `lessor sessions`: where you are signed in to the console, and ending that.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { usageError } from "../command-error.ts";
import { chosen } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list your sessions of the console")).action(
    async ({ json }: { json: boolean }) => {
      const sessions = await sessionsOf(shell);
      if (json) return printJson(shell, sessions);
      printTable(shell.out, sessions, sessionColumns, "No sessions.");
    },
  );
  examples(list, { "lessor sessions list": "where you are signed in" });

  const end = command
    .command("end")
    .description("end sessions of the console")
    .argument("[session]", "its id, or the beginning of it")
    .option("--all", "end all of them", false)
    .action(async (word: string | undefined, { all }: { all: boolean }) => {
      if ((word === undefined) !== all)
        throw usageError("Give either a session or --all.", "See lessor sessions list.");
      if (word === undefined) {
        await shell.client().ask((api) => api.DELETE("/sessions"));
        return shell.out.line("Ended all sessions.");
      }
      const { id } = chosen({
        word,
        what: "session",
        groups: [await sessionsOf(shell)],
        names: [(one) => one.id],
        parts: [(one) => word.length >= 4 && one.id.startsWith(word)],
        show: (one) => one.id,
        list: "lessor sessions list",
      });
      await shell.client().ask((api) => api.DELETE("/sessions/{id}", { params: { path: { id } } }));
      shell.out.line(`Ended the session ${id}.`);
    });
  examples(end, { "lessor sessions end --all": "such as after a laptop was lost" });
}

const sessionColumns: readonly Column<Shape<"Session">>[] = [
  { title: "ID", of: ({ id }) => id, colour: () => "bold" },
  { title: "ADDRESS", of: ({ address }) => address ?? "" },
  { title: "SIGNED IN", of: ({ created_at }) => ago(created_at) },
  { title: "LAST USED", of: ({ last_used_at }) => ago(last_used_at) },
  { title: "EXPIRES", of: ({ expires_at }) => ago(expires_at), spare: 1 },
  { title: "BROWSER", of: ({ user_agent: agent }) => agent ?? "", spare: 2 },
];

async function sessionsOf(shell: Shell) {
  return (await shell.client().ask((api) => api.GET("/sessions"))).data;
}
