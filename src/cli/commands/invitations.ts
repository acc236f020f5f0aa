// `lessor invitations`: invite people to your team, and accept an invitation. Secrets are read from standard input or
// typed without echo, never an argument.

import type { Command } from "commander";
import { askSecret, confirm } from "../ask.ts";
import { usageError } from "../command-error.ts";
import { addressFrom, connectionFrom, controlBase, tokenIn } from "../connection/connection.ts";
import { controlClient } from "../connection/control-client.ts";
import { chosen } from "../names.ts";
import { printTable } from "../output/table.ts";
import { invitationColumns, printInvitation, roleOption, type TeamRole } from "../people.ts";
import { canAsk, examples, printJson, readInput, type Shell, withJson } from "../shell.ts";

interface AcceptOptions {
  readonly name?: string;
  readonly asMe: boolean;
  readonly withSecret: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list open invitations")).action(
    async ({ json }: { json: boolean }) => {
      const open = await invitationsOf(shell);
      if (json) return printJson(shell, open);
      printTable(shell.out, open, invitationColumns, "No open invitations.");
    },
  );
  examples(list, { "lessor invitations list": "who has not accepted yet" });

  const create = withJson(command.command("create").description("invite a person and show the secret once"))
    .argument("<email>", "the person's address")
    .addOption(roleOption())
    .action(async (email: string, { role, json }: { role: TeamRole; json: boolean }) => {
      const { data } = await shell.client().ask((api) => api.POST("/invitations", { body: { email, role } }));
      printInvitation(shell, data, json);
    });
  examples(create, { "lessor invitations create ada@example.com --role member": "may rent, and nothing more" });

  const revoke = command
    .command("revoke")
    .description("revoke an invitation")
    .argument("<invitation>", "the person's address, or its id")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, email } = chosen({
        word,
        what: "invitation",
        groups: [await invitationsOf(shell)],
        names: [(one) => one.id, (one) => one.email],
        parts: [],
        show: (one) => `${one.email} (${one.id})`,
        list: "lessor invitations list",
      });
      await confirm(shell, { what: `The invitation of ${email} can no longer be accepted.`, yes });
      await shell.client().ask((api) => api.DELETE("/invitations/{id}", { params: { path: { id } } }));
      shell.out.line(`Revoked the invitation of ${email}.`);
    });
  examples(revoke, { "lessor invitations revoke ada@example.com --yes": "without confirmation" });

  const accept = withJson(command.command("accept").description("join a team and show your token once"))
    .argument("[address]", "the address of the service (default: LESSOR_URL, or that of the profile)")
    .option("--name <name>", "your name, for a new person")
    .option("--as-me", "join as the person of the stored token", false)
    .option("--with-secret", "read the secret from standard input", false)
    .action((address: string | undefined, options: AcceptOptions) => accepted(shell, address, options));
  examples(accept, {
    "lessor invitations accept https://gpu.example.com --name Ada": "asks for the secret without showing it",
    "lessor invitations accept --as-me": "in a second team, as the same person",
    "lessor invitations accept --name Ada --with-secret < secret.txt > token.txt": "for lessor login --with-token",
  });
}

async function accepted(shell: Shell, given: string | undefined, options: AcceptOptions): Promise<void> {
  const { name, asMe, withSecret, json } = options;
  if ((name === undefined) !== asMe) throw usageError("Give either --name or --as-me.", "Add --name with your name.");
  const { address, token } = asMe
    ? connectionFrom(shell.env)
    : { address: given ?? addressFrom(shell.env), token: undefined };
  if (asMe && given !== undefined) {
    throw usageError("--as-me uses the service of the stored token.", "Omit the address.");
  }
  if (!withSecret && !canAsk(shell)) {
    throw usageError("No terminal is available to enter the secret.", "Use --with-secret < file.");
  }
  const typed = withSecret ? await readInput(shell) : await askSecret(shell, "Secret (not shown): ");
  const secret = tokenIn(typed, "The input");
  const body = { secret, ...(name === undefined ? {} : { name }) };
  const { data } = await controlClient(controlBase(address), token).ask((api) =>
    api.POST("/invitations/accept", { body }),
  );
  if (json) return printJson(shell, data);
  const { account, member } = data;
  shell.err.line(`Joined ${account.name} as ${member.role}. Save your token. It won't be shown again:`);
  shell.out.line(data.token.token);
}

async function invitationsOf(shell: Shell) {
  return (await shell.client().ask((api) => api.GET("/invitations", { params: { query: {} } }))).data;
}
