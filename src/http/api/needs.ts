// What an operation needs of a token: one of some scopes, and a right of the role behind it. Used by operations.ts.

import type { HTTPMethods } from "fastify";
import type { Scope } from "../../rental/service.ts";
import type { Right } from "../../rules/roles.ts";

export interface Needs {
  /** The required scope; of several, one. By default GET needs `read` and everything else `write`. */
  readonly scope?: Scope | readonly [Scope, ...Scope[]];
  /**
   * What it needs of the role behind the token. By default GET needs `see`, everything else `rent`, and what only
   * operators change `fleet`.
   */
  readonly right?: Right;
}

/** The token must have one of these. */
export function scopesOf({ scope }: Needs, method: HTTPMethods): readonly [Scope, ...Scope[]] {
  const declared = scope ?? (method === "GET" ? "read" : "write");
  return typeof declared === "string" ? [declared] : declared;
}

export function rightOf({ scope, right }: Needs, method: HTTPMethods): Right {
  return right ?? (method === "GET" ? "see" : scope === "operator" ? "fleet" : "rent");
}
