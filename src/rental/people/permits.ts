// Whether the role behind a token has a right (rules/roles.ts). Used by http/auth for every request, and by the rental
// where the right depends on the object.
//
// Invariant: a scope counts only with the right of the role behind it. That is the operator's role for the scope
// `operator`, and the person's role for the others; a token of the team has the rights of `roleOfTeamTokens`.

import {
  fullOperator,
  type OperatorRole,
  operatorMay,
  type Right,
  roleOfTeamTokens,
  type TeamRole,
  teamMay,
} from "../../rules/roles.ts";
import { RentalError } from "../errors.ts";
import type { Principal, Scope } from "../service.ts";

/** Through what a right is used: in the own account, or as an operator. */
export type Through = "team" | "operator";

/** The scopes of the token that count for an operation with this right. */
export function scopesWith(principal: Principal, right: Right): ReadonlySet<Scope> {
  const isFull = teamMay(principal.person?.role ?? null, right) && operatorMay(principal.operatorRole ?? null, right);
  if (isFull) return principal.scopes;
  return new Set([...principal.scopes].filter((scope) => may(principal, right, throughOf(scope))));
}

export function may({ person, operatorRole }: Principal, right: Right, through: Through): boolean {
  return through === "operator" ? operatorMay(operatorRole ?? null, right) : teamMay(person?.role ?? null, right);
}

export function forbids(principal: Principal, right: Right, through: Through): RentalError {
  return new RentalError("role-forbids", { role: roleIn(principal, through), right });
}

/** Whether the token may have passwords and commands of its account's instances, which give full access. */
export function seesSecrets(principal: Principal): boolean {
  return principal.scopes.has("write") && may(principal, "rent", "team");
}

/** Whether the token may have the secrets of notebooks, which need no scope. */
export const seesNotebooks = (principal: Principal): boolean => may(principal, "rent", "team");

export const throughOf = (scope: Scope): Through => (scope === "operator" ? "operator" : "team");

function roleIn({ person, operatorRole }: Principal, through: Through): TeamRole | OperatorRole {
  return through === "operator" ? (operatorRole ?? fullOperator) : (person?.role ?? roleOfTeamTokens);
}
