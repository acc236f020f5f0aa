// People of teams on the command line: their tables, and finding one by name, address or id. Used by
// commands/members.ts, commands/invitations.ts and account-people.ts.

import { Option } from "commander";
import type { Shape } from "../client/client.ts";
import { teamRoles } from "../rules/roles.ts";
import { chosen } from "./names.ts";
import type { Column } from "./output/table.ts";
import { ago } from "./output/units.ts";
import { printJson, type Shell } from "./shell.ts";

export type Member = Shape<"Member">;
export type TeamRole = Shape<"TeamRole">;

export const roleOption = (): Option =>
  new Option("--role <role>", "what the person may").choices(teamRoles).makeOptionMandatory();

/** The one that a name, an address, an id, or the beginning of a name refers to. Throws CommandError. */
export function memberNamed(word: string, members: readonly Member[]): Member {
  return chosen({
    word,
    what: "person",
    groups: [members],
    names: [(one) => one.id, (one) => one.email, (one) => one.name],
    parts: [(one) => one.name.startsWith(word)],
    show: ({ name, email, id }) => `${name} <${email}> (${id})`,
    list: "lessor members list",
  });
}

/** The secret of an invitation is printed once, alone on a line of standard output. */
export function printInvitation(shell: Shell, made: Shape<"MadeInvitation">, json: boolean): void {
  if (json) {
    printJson(shell, made);
    return;
  }
  shell.err.line(`Invited ${made.email} as ${made.role}. Give the person this secret; it won't be shown again:`);
  shell.out.line(made.secret);
}

export const memberColumns: readonly Column<Member>[] = [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "EMAIL", of: ({ email }) => email },
  { title: "ROLE", of: ({ role }) => role },
  { title: "JOINED", of: ({ joined_at }) => ago(joined_at), spare: 2 },
  { title: "ID", of: ({ id }) => id, spare: 3 },
];

export const invitationColumns: readonly Column<Shape<"Invitation">>[] = [
  { title: "EMAIL", of: ({ email }) => email, colour: () => "bold" },
  { title: "ROLE", of: ({ role }) => role },
  { title: "EXPIRES", of: ({ expires_at }) => ago(expires_at) },
  { title: "ID", of: ({ id }) => id, spare: 3 },
];
