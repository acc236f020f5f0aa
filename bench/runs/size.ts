// `size`: the space on disk that an installation takes: node_modules after `npm ci` in a copy of the checkout, and a folder
// into which the package was installed that `npm pack` makes of it. Needs npm's registry, or its cache.

import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { npmEnvironment } from "../../test/support/npm-environment.ts";
import type { Bench } from "../bench.ts";
import { diskMb } from "../disk-usage.ts";
import { shown } from "../output.ts";
import { checkout } from "../service/service.ts";
import { figureOf } from "../statistics.ts";
import type { Result } from "../verdict.ts";

/** How many of the largest packages are named. */
const named = 6;
const run = promisify(execFile);

export async function size(bench: Bench): Promise<Result> {
  if (!bench.effort.installs) return { name: "size", missing: "installs everything anew, as a full run does" };
  const copy = join(bench.directory, "size/checkout");
  const empty = join(bench.directory, "size/installed");
  await copyCheckout(copy);
  await npm(copy, "ci");
  const modules = join(copy, "node_modules");
  const ci = diskMb(modules);
  const largest = await largestIn(modules);
  await npm(copy, "pack", "--pack-destination", "..");
  await mkdir(empty);
  // Otherwise npm would look for a project above it.
  await writeFile(join(empty, "package.json"), "{}");
  const [tarball = ""] = (await readdir(dirname(copy))).filter((name) => name.endsWith(".tgz"));
  await npm(empty, "install", "--omit=dev", join("..", tarball));
  return {
    name: "size",
    figures: { "npm ci": figureOf([ci]), packed: figureOf([diskMb(empty)]) },
    notes: [`npm ci: ${largest}`, `packed: ${await largestIn(join(empty, "node_modules"))}`],
  };
}

/** The files of the checkout as they are now, without what was made of them. */
async function copyCheckout(to: string): Promise<void> {
  const { stdout } = await run("git", ["ls-files", "-z"], { cwd: checkout, maxBuffer: 2 ** 26 });
  for (const file of stdout.split("\0").filter((name) => name !== "")) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await copyFile(join(checkout, file), join(to, file));
  }
}

async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  await run("npm", [...args, "--no-audit", "--no-fund"], { cwd, env: npmEnvironment, maxBuffer: 2 ** 26 });
}

/** The largest packages, or the folders of their scope, each with its megabytes. */
async function largestIn(modules: string): Promise<string> {
  return (await readdir(modules))
    .map((name) => ({ name, mb: diskMb(join(modules, name)) }))
    .sort((a, b) => b.mb - a.mb)
    .slice(0, named)
    .map(({ name, mb }) => `${name} ${shown(mb)}`)
    .join(", ");
}
