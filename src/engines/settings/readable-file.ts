// Files that settings name. Their contents are read when they are needed; at start it is only checked that they can be.
// Used by engines/incus/settings/connection.ts and engines/openstack/settings/clouds-file.ts.

import { accessSync, constants, statSync } from "node:fs";
import { ConfigError } from "../../settings/error.ts";

/** `path`, if it is a readable file. `name` is the setting's, for the message. Throws ConfigError. */
export function readable(path: string, name: string): string {
  let problem: unknown;
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isFile()) return path;
    problem = "not a file";
  } catch (error) {
    problem = error instanceof Error && "code" in error ? error.code : "unknown error";
  }
  // The file system's own message contains the path.
  throw new ConfigError(`${name} must name a readable file (${problem}).`);
}
