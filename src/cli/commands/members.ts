// `lessor members`: the people of your team, their roles, removing one, and leaving.

import type { Command } from "commander";
import { confirm } from "../ask.ts";
import { CommandError } from "../command-error.ts";
import { printTable } from "../output/table.ts";
import { type Member, memberColumns, memberNamed, roleOption, type TeamRole } from "../people.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

const which = "a name, an email address or an id";

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list the people of your team")).action(
    async ({ json }: { json: boolean }) => {
      const members = await membersOf(shell);
      if (json) return printJson(shell, members);
      printTable(shell.out, members, memberColumns, "No people. Tokens of the team itself are in lessor tokens list.");
    },
  );
  examples(list, { "lessor members list": "who is in the team, with which role" });

  const change = withJson(command.command("change").description("change the role of a person"))
    .argument("<person>", which)
    .addOption(roleOption())
    .action(async (word: string, { role, json }: { role: TeamRole; json: boolean }) => {
      const { id, name } = memberNamed(word, await membersOf(shell));
      const { data } = await shell
        .client()
        .ask((api) => api.PATCH("/members/{id}", { params: { path: { id } }, body: { role } }));
      if (json) return printJson(shell, data);
      shell.out.line(`Changed the role of ${name} to ${data.role}.`);
    });
  examples(change, { "lessor members change ada@example.com --role admin": "from the next request on" });

  const remove = command
    .command("remove")
    .description("remove a person from the team and revoke the person's tokens")
    .argument("<person>", which)
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const member = memberNamed(word, await membersOf(shell));
      await confirm(shell, { what: `The tokens of ${member.name} in this team are revoked.`, yes });
      await removeMember(shell, member);
      shell.out.line(`Removed ${member.name}.`);
    });
  examples(remove, { "lessor members remove ada@example.com --yes": "without confirmation" });

  const leave = command
    .command("leave")
    .description("leave the team")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async ({ yes }: { yes: boolean }) => {
      const { data } = await shell.client().ask((api) => api.GET("/account"));
      if (data.person === null)
        throw new CommandError("This token belongs to the team.", "Use your own token.", { exit: "usage" });
      await confirm(shell, { what: `Your tokens in the team ${data.name} are revoked, this one too.`, yes });
      await removeMember(shell, data.person);
      shell.out.line(`Left the team ${data.name}.`);
    });
  examples(leave, { "lessor members leave": "asks for confirmation" });
}

async function membersOf(shell: Shell): Promise<Member[]> {
  return (await shell.client().ask((api) => api.GET("/members", { params: { query: {} } }))).data;
}

async function removeMember(shell: Shell, { id }: Member): Promise<void> {
  await shell.client().ask((api) => api.DELETE("/members/{id}", { params: { path: { id } } }));
}
