// The names of all operations that change something, which audit log entries can have, and the fields of all launches,
// which other interfaces ignore. Includes disabled interfaces: older entries may be theirs, and customers know their
// fields. Used by server.ts.

import type { HttpContext } from "./context.ts";
import type { Api } from "./operations.ts";
import type { Variant } from "./variant.ts";

/** The operationIds, and the fields of launches in the order of the interfaces; each once. */
export function declaredChanges(
  variants: Iterable<Variant>,
  context: HttpContext,
): { readonly operations: string[]; readonly launchFields: string[] } {
  const [operations, launchFields] = [new Set<string>(), new Set<string>()];
  const nothing = () => {};
  const change = (_path: string, { id }: { readonly id: string }) => void operations.add(id);
  const socket = (_path: string, { id, endedAs }: { readonly id: string; readonly endedAs: string }) =>
    void operations.add(id).add(endedAs);
  const launch: Api["launch"] = (_path, { id }, { fields }) => {
    operations.add(id);
    for (const field of Object.keys(fields.fields)) launchFields.add(field);
  };
  const changing = { post: change, launch, open: change, put: change, patch: change, delete: change };
  const api: Api = { context, get: nothing, stream: nothing, socket, ...changing };
  for (const variant of variants) variant.routes(api);
  return { operations: [...operations], launchFields: [...launchFields] };
}
