// Whether a program exists on this machine. Used by steps that check what the service starts.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** `path`: the search path, in the form of PATH; unused for a name with a slash. */
export function isProgramOn(path: string, program: string): boolean {
  if (program.includes("/")) return isProgram(program);
  return path.split(delimiter).some((directory) => isProgram(join(directory, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
