// Changes hosts one after the other, up to the first that is rejected. Used by the dialogs for many hosts.

import type { Answered } from "../../../../src/client/client.ts";

/**
 * `ask`: the change of one host. Returns the last response: of the first rejection, or of the last host. `onDone` hears
 * how many have been changed. Repeating it is safe, because each change is. Throws "BUG: …" for no hosts.
 */
export async function oneByOne<T>(
  names: readonly string[],
  ask: (name: string) => Promise<Answered<T>>,
  onDone: (count: number) => void,
): Promise<Answered<T>> {
  let last: Answered<T> | undefined;
  for (const [index, name] of names.entries()) {
    last = await ask(name);
    if (last.error !== undefined) return last;
    onDone(index + 1);
  }
  if (last === undefined) throw new Error("BUG: a change of no hosts");
  return last;
}
