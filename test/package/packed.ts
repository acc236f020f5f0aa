// The package as `npm pack` makes it of this checkout. It is built in the checkout's own dist/, so one test file alone may
// call this: package.test.ts.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { npmEnvironment } from "../support/npm-environment.ts";

export const root = resolve(import.meta.dirname, "../..");
export const run = promisify(execFile);

export interface Packed {
  /** The tarball. */
  readonly file: string;
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
}

/** Builds the program and packs it into `folder`. The console is built where the checkout has no build of it yet. */
export async function pack(folder: string): Promise<Packed> {
  await run(process.execPath, [join(root, "packaging/build.ts")]);
  if (!existsSync(join(root, "dist/console"))) await run(process.execPath, [join(root, "console/build.ts")]);
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], {
    cwd: root,
    env: npmEnvironment,
    maxBuffer: 2 ** 26,
  });
  const [packed]: { filename: string; files: Packed["files"] }[] = JSON.parse(stdout);
  if (packed === undefined) throw new Error("npm packed nothing");
  return { file: join(folder, packed.filename), files: packed.files };
}
