// The roles of people in words, and what each may do: from the one table of rights. Pure.

import { type Right, rightNames, rights, type TeamRole, teamMay } from "../../../src/rules/roles.ts";

/** "Owner". */
export const roleTitle = (role: TeamRole): string => role.charAt(0).toUpperCase() + role.slice(1);

/** What people in a team can have, as declared. */
export const rightsOfTeams: readonly Right[] = rightNames.filter((right) => rights[right].team !== null);

/** What a role may do, one sentence each. */
export function meaningsOf(role: TeamRole): readonly string[] {
  return rightsOfTeams.filter((right) => teamMay(role, right)).flatMap((right) => rights[right].team ?? []);
}
