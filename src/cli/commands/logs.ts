// `lessor logs`: what a machine wrote to its console: the first place to look where one does not come up.

import type { Command } from "commander";
import { instanceOf } from "../instances.ts";
import { plainLines } from "../output/text.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<machine>", "its name, its id, or the beginning of either")
    .option("--raw", "as it came, with what a terminal takes for colours and orders", false)
    .action(async (word: string, { raw, json }: { raw: boolean; json: boolean }) => {
      const { id, name } = await instanceOf(shell.client(), word);
      const { data } = await shell
        .client()
        .ask((api) => api.GET("/instances/{id}/console-log", { params: { path: { id } } }));
      if (json) return printJson(shell, data);
      if (data.truncated) shell.err.line("Only the end of it is kept.");
      if (data.text === "") shell.err.line(`${name} has written nothing to its console.`);
      else shell.out.write(raw ? data.text : endedByLine(plainLines(data.text)));
    });
  examples(command, {
    "lessor logs training": "why does it not boot?",
    "lessor logs training | tail": "its last words",
  });
}

function endedByLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
