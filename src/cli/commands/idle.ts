// `lessor idle`.

import type { Command } from "commander";
import { idleRuleFrom, idleRuleText } from "../idle-rule.ts";
import { instanceOf } from "../instances.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance>", "its name, its id, or the beginning of either")
    .argument("<rule>", "a time and what happens then: 30m:notify, 1h:stop or 2h:terminate; or none")
    .action(async (word: string, text: string, { json }: { json: boolean }) => {
      const rule = idleRuleFrom(text);
      const client = shell.client();
      const { id } = await instanceOf(client, word);
      const { data } = await client.ask((api) =>
        api.PATCH("/instances/{id}", { params: { path: { id } }, body: { idle_rule: rule } }),
      );
      if (json) return printJson(shell, data);
      shell.out.line(`${data.name}: ${idleRuleText(data.idle_rule) ?? "no idle rule"}.`);
    })
    .addHelpText("after", "\nOnly for images with an agent that reports the use of GPUs. The time counts anew.");
  examples(command, { "lessor idle training 30m:stop": "stop it when its GPUs are not used for 30 minutes" });
}
