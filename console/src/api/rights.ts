// What a session may do, as the service decides it: a scope of the token counts only with the right of the role behind it
// (src/rules/roles.ts). Pure. Used by session-context.tsx.

import {
  type OperatorRole,
  operatorMay,
  operatorRoles,
  type Right,
  type TeamRole,
  teamMay,
  teamRoles,
} from "../../../src/rules/roles.ts";

export type Scope = "read" | "write" | "operator";

export interface Identity {
  /** Of the token. */
  readonly scopes: readonly Scope[];
  /** Null: a token of the team itself. */
  readonly role: TeamRole | null;
  readonly operatorRole: OperatorRole | null;
}

/**
 * Why this session may not do what needs the right; undefined: it may. `scope`: what it is done with, `operator` for what
 * operators do to any account.
 */
export function lackOf(identity: Identity, right: Right, scope: Scope = "write"): string | undefined {
  const { scopes, role, operatorRole } = identity;
  if (!scopes.includes(scope)) return `Your token does not have the scope ${scope}.`;
  const isOperator = scope === "operator";
  if (isOperator ? operatorMay(operatorRole, right) : teamMay(role, right)) return undefined;
  const allowed = isOperator
    ? operatorRoles.filter((one) => operatorMay(one, right))
    : teamRoles.filter((one) => teamMay(one, right));
  return `This needs the role ${eitherOf(allowed)}.`;
}

/** "owner, admin or billing". */
function eitherOf(words: readonly string[]): string {
  const [last = "", ...others] = words.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
}
