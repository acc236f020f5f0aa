// The names of all operations that change something, as they are declared: what the audit log can have entries of. Also
// those of interfaces that are switched off, for they were on when older entries were written. Used by server.ts.

import type { HttpContext } from "./context.ts";
import type { Api } from "./operations.ts";
import type { Variant } from "./variant.ts";

/** Their operationIds, each once. */
export function changingOperations(variants: Iterable<Variant>, context: HttpContext): string[] {
  const found = new Set<string>();
  const nothing = () => {};
  const change = (_path: string, { id }: { readonly id: string }) => void found.add(id);
  const socket = (_path: string, { id, endedAs }: { readonly id: string; readonly endedAs: string }) =>
    void found.add(id).add(endedAs);
  const changing = { post: change, launch: change, put: change, patch: change, delete: change };
  const api: Api = { context, get: nothing, stream: nothing, socket, ...changing };
  for (const variant of variants) variant.routes(api);
  return [...found];
}
