// Which hosts of an engine a resync is about. Used by the reconciler, and by the queries of what it compares.

import { type RawBuilder, sql } from "kysely";

/** All of the engine's hosts, only some, or all but some. */
export interface HostScope {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

export const allHosts: HostScope = {};

/** The SQL condition. `host`: the column with the name of a host, such as `h.name`. */
export function isInScope({ only, except = [] }: HostScope, host: RawBuilder<unknown>): RawBuilder<boolean> {
  const isOne = only === undefined ? sql<boolean>`true` : sql<boolean>`${host} = any(${[...only]}::text[])`;
  return except.length === 0 ? isOne : sql<boolean>`(${isOne} and ${host} <> all(${[...except]}::text[]))`;
}

/** The same for names. */
export function scopeTest({ only, except = [] }: HostScope): (host: string) => boolean {
  const [some, others] = [only && new Set(only), new Set(except)];
  return (host) => some?.has(host) !== false && !others.has(host);
}
