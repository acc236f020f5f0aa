// What the tests of packaging/ have in common: the names of all settings of the environment, as the documents list them,
// and which programs this machine has.

import { readdirSync, readFileSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";

const docs = resolve(import.meta.dirname, "../../docs");

/** The first column of the table of settings. */
export const settingNames: readonly string[] = readdirSync(docs, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => [...readFileSync(join(docs, file), "utf8").matchAll(/^\| `([A-Z][A-Z_]+)` \| `[a-z_]+` \|/gm)])
  .map(([, name]) => name ?? "");

/** Whether this machine has the program. */
export async function found(program: string): Promise<boolean> {
  const places = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => access(join(folder, program), constants.X_OK));
  return (await Promise.allSettled(places)).some(({ status }) => status === "fulfilled");
}
