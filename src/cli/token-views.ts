// Tokens on the command line, one's own (commands/tokens.ts) and those of accounts (commands/accounts.ts): their
// request options and output. A token is printed once, alone on a line of standard output, so that it can be piped into
// a file or a password store without appearing on the screen.

import { Option } from "commander";
import type { Shape } from "../client/client.ts";
import {
  type CompatibilityVersion,
  compatibilityVersionNotes,
  compatibilityVersions,
} from "../rules/compatibility-versions.ts";
import { type OperatorRole, operatorRoles } from "../rules/roles.ts";
import { usageError } from "./command-error.ts";
import type { Column } from "./output/table.ts";
import { ago, centsIn, cost, money, secondsIn } from "./output/units.ts";
import { printJson, type Shell } from "./shell.ts";

export type Token = Shape<"Token">;

export interface TokenOptions {
  readonly scope?: readonly string[];
  readonly limit?: string;
  readonly expires?: string;
  readonly compatibility?: CompatibilityVersion;
  readonly operatorRole?: OperatorRole;
  readonly team?: boolean;
  readonly json: boolean;
}

const scopes = ["read", "write", "operator"] as const;

/** The request's body. Throws CommandError. */
export function tokenBody(name: string, options: TokenOptions) {
  const { scope = ["read", "write"], limit, expires, compatibility, operatorRole, team = false } = options;
  return {
    name,
    scopes: scope.map(scopeNamed),
    ...(limit === undefined ? {} : { spend_limit_cents: centsIn(limit) }),
    ...(expires === undefined ? {} : { expires_at: new Date(Date.now() + secondsIn(expires) * 1000).toISOString() }),
    ...(compatibility === undefined ? {} : { compatibility_version: compatibility }),
    ...(operatorRole === undefined ? {} : { operator_role: operatorRole }),
    ...(team ? { person_id: null } : {}),
  };
}

/** The option for the role of operators. */
export const operatorRoleOption = (): Option =>
  new Option("--operator-role <role>", "with the scope operator: what it may").choices(operatorRoles);

/** The option that pins a new token to an API version. */
export function compatibilityOption(): Option {
  const notes = Object.entries(compatibilityVersionNotes).map(([version, note]) => `${version}: ${note}`);
  return new Option("--compatibility <version>", `pin the token to a version. ${notes.join(" ")}`).choices(
    compatibilityVersions,
  );
}

/** In cents; "none" removes it. Throws CommandError. */
export function limitFrom(amount: string): number | null {
  return amount === "none" ? null : centsIn(amount);
}

export function printMadeToken(shell: Shell, made: Shape<"MadeToken">, json: boolean): void {
  if (json) {
    printJson(shell, made);
    return;
  }
  shell.err.line(`Created token ${made.name} (${made.scopes.join(", ")}). Save it now. It won't be shown again:`);
  shell.out.line(made.token);
}

/** Also pinned versions, if any token has one. */
export function tokenColumnsFor(tokens: readonly Token[]): readonly Column<Token>[] {
  const isAnyPinned = tokens.some(({ compatibility_version: version }) => version !== null);
  return isAnyPinned ? tokenColumns : tokenColumns.filter((column) => column !== pin);
}

const pin: Column<Token> = { title: "COMPATIBILITY", of: ({ compatibility_version: version }) => version };

export const tokenColumns: readonly Column<Token>[] = [
  { title: "NAME", of: ({ name }) => name, colour: () => "bold" },
  { title: "SCOPES", of: ({ scopes }) => scopes.join(", ") },
  pin,
  { title: "STATE", of: stateOf, colour: (one) => (stateOf(one) === "valid" ? "green" : "dim") },
  { title: "LAST USED", of: ({ last_used_at }) => ago(last_used_at), spare: 2 },
  { title: "SPENT", of: ({ spent_this_month_cents: spent }) => (spent === null ? null : cost(spent)), align: "right" },
  { title: "OF", of: ({ spend_limit_cents: limit }) => (limit === null ? null : money(limit)), align: "right" },
  { title: "ID", of: ({ id }) => id, spare: 3 },
];

function stateOf({ revoked_at, expires_at }: Token): string {
  if (revoked_at !== null) return "revoked";
  if (expires_at === null) return "valid";
  return Date.parse(expires_at) > Date.now() ? `expires ${ago(expires_at)}` : "expired";
}

function scopeNamed(word: string): (typeof scopes)[number] {
  const found = scopes.find((one) => one === word);
  if (found !== undefined) return found;
  throw usageError(`There is no scope "${word}".`, `Choose one of: ${scopes.join(", ")}.`);
}
