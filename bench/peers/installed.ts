// Peers that are not part of this project: located, or installed, or reported as missing with the reason.

import { execFile } from "node:child_process";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Peer } from "./bare-peer.ts";

/** A peer that could not be started. */
export interface NoPeer {
  readonly missing: string;
}

export type PerhapsPeer = Peer | NoPeer;

export function isThere(peer: PerhapsPeer): peer is Peer {
  return !("missing" in peer);
}

/** The cache of installed peers between runs; outside of the checkout. */
export function cacheDirectory(): string {
  const cache = process.env.XDG_CACHE_HOME ?? (process.env.HOME === undefined ? tmpdir() : join(homedir(), ".cache"));
  return join(cache, "lessor-bench");
}

/**
 * Installs packages from npm into a folder of the cache if missing; returns the folder. Their install scripts do not
 * run. The folder is renamed when complete, so an interrupted run leaves no partial one.
 */
export async function installed(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(cacheDirectory(), name);
  if (await stat(folder).catch(() => undefined)) return folder;
  const fresh = `${folder}.${process.pid}`;
  await mkdir(fresh, { recursive: true });
  // Otherwise npm would look for a project above it.
  await writeFile(join(fresh, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--prefix", fresh, "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  await promisify(execFile)("npm", [...args, ...packages], { cwd: fresh, timeout: 600_000 });
  // If another run was faster, its folder is equivalent.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return folder;
}

/** The first line of the error. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").slice(0, 3).join(" ");
}
