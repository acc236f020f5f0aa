// No two engines of lessor.yaml have the same name, whatever kind they are: hosts and instances are stored with it.
// Invariant: no error repeats a value. Used by config.ts.

import { ConfigError } from "./error.ts";
import type { FileSettings } from "./file-schema.ts";
import { settingIn, settingName } from "./setting-path.ts";

/** Throws ConfigError for the first engine, in the order of the kinds below, that is called like one before it. */
export function refuseSharedNames({ incus = [], libvirt = [] }: FileSettings, fileName: string): void {
  const seen = new Map<string, string>();
  for (const [kind, engines] of Object.entries({ incus, libvirt })) {
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
