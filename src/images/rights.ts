// Whether this user can build an image here, and as which user. Used by build.ts.

import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { ImageError } from "./image-error.ts";
import type { ImageKind } from "./recipe.ts";
import { searchPath } from "./run-tool.ts";

/** `user`: with user namespaces and the ids of /etc/subuid. */
export type Rights = "root" | "user";

/** What it checks; replaced in tests. */
export interface Machine {
  readonly path: string;
  readonly uid: number;
  readonly user: string;
  readonly subuid: () => Promise<string>;
  readonly canUnshare: () => Promise<boolean>;
}

/** Each kind's programs, and the package of each. */
const programs: Readonly<Record<ImageKind, Readonly<Record<string, string>>>> = {
  container: { mmdebstrap: "mmdebstrap", zstd: "zstd", tar: "tar" },
  "virtual-machine": {
    mmdebstrap: "mmdebstrap",
    sfdisk: "fdisk",
    mformat: "mtools",
    mcopy: "mtools",
    mke2fs: "e2fsprogs",
    "qemu-img": "qemu-utils",
  },
};

/** Throws ImageError if a tool or a permission is missing. */
export async function rightsToBuild(kind: ImageKind, machine: Machine = thisMachine()): Promise<Rights> {
  for (const [program, packageName] of Object.entries(programs[kind])) {
    if (await isThere(program, machine.path)) continue;
    throw new ImageError(`${program} is missing.`, `Install it: apt-get install ${packageName}`);
  }
  if (machine.uid === 0) return "root";
  const lent = (await machine.subuid()).split("\n").some((line) => line.startsWith(`${machine.user}:`));
  if (lent && (await isThere("newuidmap", machine.path)) && (await machine.canUnshare())) return "user";
  throw new ImageError(
    "Building an image requires root, or user namespaces for all users.",
    "Run it as root. Otherwise: apt-get install uidmap, add a range for your user to /etc/subuid and /etc/subgid, " +
      "and use a kernel that allows user namespaces for all users.",
  );
}

function thisMachine(): Machine {
  const { uid, username } = userInfo();
  return {
    path: searchPath(),
    uid,
    user: username,
    subuid: () => readFile("/etc/subuid", "utf8").catch(() => ""),
    canUnshare: () =>
      promisify(execFile)("unshare", ["--user", "true"]).then(
        () => true,
        () => false,
      ),
  };
}

async function isThere(program: string, path: string): Promise<boolean> {
  for (const directory of path.split(delimiter)) {
    try {
      await access(join(directory, program), constants.X_OK);
      return true;
    } catch {
      // Perhaps in the next directory.
    }
  }
  return false;
}
