// Tools that few need or that are large, each a folder here with its package.json: they are no part of `npm ci`, but come
// from npm when first used, into a cache outside of the checkout. Invariants: the lock file beside each determines every
// package with its content, and another lock file is another folder of the cache; a folder there is complete, because it
// gets its name when it is. Used by run.ts, docs/client.ts, the peers of the benchmark, and the suites that use such tools.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A folder beside this file. */
export type Tool = "biome" | "generators" | "openapi-typescript" | "prism" | "redocly";

/** The folder of the cache that has the tool's node_modules, or will have it. */
export function folderOf(tool: Tool): string {
  const home = process.env.HOME === undefined ? tmpdir() : join(homedir(), ".cache");
  const lock = createHash("sha256")
    .update(readFileSync(sourceOf(tool, "package-lock.json")))
    .digest("hex");
  return join(process.env.XDG_CACHE_HOME ?? home, "lessor-tools", `${tool}-${lock.slice(0, 12)}`);
}

export function isInstalled(tool: Tool): boolean {
  return existsSync(folderOf(tool));
}

/** Installs the tool if missing; returns its folder. Install scripts do not run. Throws with npm's message. */
export async function installed(tool: Tool): Promise<string> {
  const folder = folderOf(tool);
  if (isInstalled(tool)) return folder;
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) await copyFile(sourceOf(tool, file), join(fresh, file));
  const args = ["ci", "--prefix", fresh, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await promisify(execFile)("npm", args, { cwd: fresh, timeout: 600_000 }).catch(async (cause: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    throw new Error(`npm could not install the tool ${tool}, which comes from its registry when first used.`, {
      cause,
    });
  });
  // If another process was faster, its folder is the same.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return folder;
}

function sourceOf(tool: Tool, file: string): string {
  return join(import.meta.dirname, tool, file);
}
