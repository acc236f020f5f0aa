// A real disk of a few MiB, a tmpfs, for tests of what happens when it is full. Only root may mount one, and not in every
// container: `whyNoDisk` says why not, for tests to be skipped with.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync, writeFileSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";
import { afterTest, type WhenOver } from "./when-over.ts";

const MIB = 2 ** 20;

function mount(path: string, mib: number): string | undefined {
  const args = ["-t", "tmpfs", "-o", `size=${mib}m,mode=0755`, "tmpfs", path];
  const { status, stderr, error } = spawnSync("mount", args, { encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** Lazily: a process on its way out may have a file open still. */
function unmount(path: string): void {
  spawnSync("umount", ["--lazy", path]);
}

/** Why none can be mounted here; undefined: it can. */
export function whyNoDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "lessor-test-disk-"));
  const why = mount(path, 1);
  if (why === undefined) unmount(path);
  rmdirSync(path);
  return why;
}

export interface SmallDisk {
  readonly path: string;
  /** Writes until nothing more fits; what there is of it stays until `free`. */
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** Mounted until the test is over. Throws where none can be mounted. */
export async function smallDisk(mib: number, whenOver: WhenOver = afterTest): Promise<SmallDisk> {
  const path = await temporaryDirectory(0o755, whenOver);
  const why = mount(path, mib);
  if (why !== undefined) throw new Error(`cannot mount a disk: ${why}`);
  whenOver(() => unmount(path));
  const filler = join(path, "filler");
  return {
    path,
    async fill() {
      await using file = await open(filler, "a");
      for (const chunk of [Buffer.alloc(MIB), Buffer.alloc(4096)]) {
        for (let fits = true; fits; ) fits = await fitsIn(file.appendFile(chunk));
      }
    },
    async free() {
      await rm(filler, { force: true });
      writeFileSync(filler, "");
    },
  };
}

async function fitsIn(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
