// `lessor accounts members` and `invite`, for operators: the people of an account. Used by commands/accounts.ts.

import type { Command } from "commander";
import { accountNamed } from "./account-tokens.ts";
import { printTable } from "./output/table.ts";
import { memberColumns, printInvitation, roleOption, type TeamRole } from "./people.ts";
import { examples, printJson, type Shell, withJson } from "./shell.ts";

export function definePeople(command: Command, shell: Shell): void {
  const members = withJson(command.command("members").description("list the people of an account"))
    .argument("<account>", "its name, its id, or the beginning of either")
    .action(async (word: string, { json }: { json: boolean }) => {
      const { id } = await accountNamed(shell, word);
      const params = { path: { id }, query: {} };
      const { data } = await shell.client().ask((api) => api.GET("/accounts/{id}/members", { params }));
      if (json) return printJson(shell, data);
      printTable(shell.out, data, memberColumns, "No people.");
    });
  examples(members, { "lessor accounts members acme": "who owns it" });

  const invite = withJson(
    command.command("invite").description("invite a person to an account, such as its first owner"),
  )
    .argument("<account>", "its name, its id, or the beginning of either")
    .argument("<email>", "the person's address")
    .addOption(roleOption())
    .action(async (word: string, email: string, { role, json }: { role: TeamRole; json: boolean }) => {
      const { id } = await accountNamed(shell, word);
      const asked = { params: { path: { id } }, body: { email, role } };
      const { data } = await shell.client().ask((api) => api.POST("/accounts/{id}/invitations", asked));
      printInvitation(shell, data, json);
    });
  examples(invite, { "lessor accounts invite acme ada@example.com --role owner": "shows the secret once" });
}
