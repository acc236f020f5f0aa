// Launches done together: what the rest of http may use.

import type { Instance } from "../../rental/instances/index.ts";

export { Launches } from "./launches.ts";

/** The first instance of a launch. */
export function firstOf([first]: readonly Instance[]): Instance {
  if (first === undefined) throw new Error("BUG: a launch makes at least one instance");
  return first;
}
