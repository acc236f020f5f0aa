// `lessor rename`.

import type { Command } from "commander";
import { instanceOf } from "../instances.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance>", "its name, its id, or the beginning of either")
    .argument("<name>", "its new name, 1 to 64 characters")
    .action(async (word: string, name: string, { json }: { json: boolean }) => {
      const client = shell.client();
      const { id, name: before } = await instanceOf(client, word);
      const { data } = await client.ask((api) =>
        api.PATCH("/instances/{id}", { params: { path: { id } }, body: { name } }),
      );
      if (json) return printJson(shell, data);
      shell.out.line(`Renamed ${before} to ${data.name}.`);
    })
    .addHelpText("after", "\nThe host name stays as it was at launch.");
  examples(command, { "lessor rename training training-old": "before you reuse its name" });
}
