// No two engines of lessor.yaml have the same name, whatever kind they are: hosts and instances are stored with it.
// Invariant: no error repeats a value. Used by ../kinds.ts.

import { ConfigError } from "../../settings/error.ts";
import { settingIn, settingName } from "../../settings/setting-path.ts";

/** `lists`: the items of each kind. Throws ConfigError for the first engine in them that is called like one before it. */
export function refuseSharedNames(
  lists: ReadonlyMap<string, readonly { readonly name: string }[]>,
  fileName: string,
): void {
  const seen = new Map<string, string>();
  for (const [kind, engines] of lists) {
    for (const [index, { name }] of engines.entries()) {
      const path = [kind, index, "name"];
      const first = seen.get(name);
      if (first !== undefined) {
        throw new ConfigError(
          `${settingIn(path, fileName)} must not be the same as ${first}: ` +
            "each of them is an engine, and hosts and instances know their engine by its name.",
        );
      }
      seen.set(name, settingName(path));
    }
  }
}
